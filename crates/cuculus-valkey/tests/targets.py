#!/usr/bin/env python3
"""Measures what the module costs, against GET on the same server in the same run, and prints a table. No test: run it on a quiet
machine, with a release build.

  CUCULUS_MODULE=... CUCULUS_SERVER=... python3 targets.py [cpu] [memory] [longest ITEMS]

cpu       server processor time a command, 16 commands in flight; and calls with 100 items
memory    bytes for 10 million items, reserved and grown, and the rate measured
longest   the longest time that each command took, on a filter of so many items (100,000,000 takes some minutes)
"""
import random
import sys
import time

from harness.resp import encode
from harness.servers import Server

DEPTH = 16


def cpu_of(server, client, commands, seconds=3.0):
    """Microseconds of the server's processor a command; `commands` are encoded."""
    batches = [b"".join(commands[i : i + DEPTH]) for i in range(0, len(commands), DEPTH)]
    batches = [batch for batch, start in zip(batches, range(0, len(commands), DEPTH)) if start + DEPTH <= len(commands)]
    count, before, end = 0, server.cpu_seconds(), time.time() + seconds
    while time.time() < end:
        for batch in batches:
            client.send_raw(batch)
            for _ in range(DEPTH):
                client.reply()
            count += DEPTH
    return (server.cpu_seconds() - before) / count * 1e6


def fill(client, key, items, first=0, batch=2000):
    for start in range(first, first + items, batch * 8):
        calls = [
            ["CF.INSERT", key, "ITEMS", *range(at, min(at + batch, first + items))]
            for at in range(start, min(start + batch * 8, first + items), batch)
        ]
        for reply in client.pipeline(calls):
            assert set(reply) == {1}, reply


def cpu():
    print("%-44s %10s %8s" % ("server processor a call, depth 16", "us", "of GET"))
    with Server("maxmemory 0") as server, server.client() as client:
        rng = random.Random(1)
        size = 1_000_000
        client.ok("CF.RESERVE", "k", size)
        client.ok("CF.RESERVE", "fixed", size, "EXPANSION", 0)
        fill(client, "k", size // 2)
        fill(client, "fixed", size // 2)
        for number in range(10_000):
            client.ok("SET", "item:%d" % number, "value")
        some = lambda: "item:%d" % rng.randrange(10_000)
        item = lambda: rng.randrange(size // 2)
        calls = {
            "GET": lambda: ("GET", some()),
            "SET": lambda: ("SET", some(), "v"),
            "CF.EXISTS, present": lambda: ("CF.EXISTS", "k", item()),
            "CF.EXISTS, absent": lambda: ("CF.EXISTS", "k", some()),
            "CF.EXISTS, present, EXPANSION 0": lambda: ("CF.EXISTS", "fixed", item()),
            "CF.COUNT": lambda: ("CF.COUNT", "k", item()),
        }
        prepared = {name: [encode(call()) for _ in range(DEPTH * 512)] for name, call in calls.items()}
        # Adding for ever would fill the filter: what is added is removed again.
        for name, key in {"CF.ADD then CF.DEL, each": "k", "the same, EXPANSION 0": "fixed"}.items():
            both = []
            for _ in range(512):
                items = [rng.randrange(1 << 60) for _ in range(DEPTH // 2)]
                both += [encode(("CF.ADD", key, item)) for item in items] + [encode(("CF.DEL", key, item)) for item in items]
            prepared[name] = both
        results = {name: [] for name in prepared}
        for _ in range(7):
            for name, commands in prepared.items():
                results[name].append(cpu_of(server, client, commands, 0.3))
        get = sorted(results["GET"])[3]
        for name, values in results.items():
            print("%-44s %10.2f %8.2f" % (name, sorted(values)[3], sorted(values)[3] / get))
        # Adds alone, into a filter with room for them.
        values = []
        for turn in range(3):
            client.ok("DEL", "fresh")
            client.ok("CF.RESERVE", "fresh", 1_000_000)
            commands = [encode(("CF.ADD", "fresh", rng.randrange(1 << 60))) for _ in range(200_000)]
            before, count = server.cpu_seconds(), 0
            for start in range(0, len(commands), DEPTH):
                client.send_raw(b"".join(commands[start : start + DEPTH]))
                for _ in range(DEPTH):
                    client.reply()
                    count += 1
            values.append((server.cpu_seconds() - before) / count * 1e6)
        print("%-44s %10.2f %8.2f" % ("CF.ADD, new items", sorted(values)[1], sorted(values)[1] / get))
        print()
        print("%-44s %10s" % ("100 items a call, server processor", "us"))
        for key in ("k", "fixed"):
            commands = [encode(["CF.MEXISTS", key] + [item() for _ in range(100)]) for _ in range(DEPTH * 32)]
            print("%-44s %10.1f" % ("CF.MEXISTS " + key, cpu_of(server, client, commands)))
        for name, options in {"CF.INSERT": (), "CF.INSERT, EXPANSION 0": ("EXPANSION", 0)}.items():
            client.ok("DEL", "fresh")
            client.ok("CF.RESERVE", "fresh", 4_000_000, *options)
            commands = [
                encode(["CF.INSERT", "fresh", "ITEMS"] + [rng.randrange(1 << 60) for _ in range(100)])
                for _ in range(DEPTH * 2000)
            ]
            before = server.cpu_seconds()
            for start in range(0, len(commands), DEPTH):
                client.send_raw(b"".join(commands[start : start + DEPTH]))
                for _ in range(DEPTH):
                    client.reply()
            print("%-44s %10.1f" % (name, (server.cpu_seconds() - before) / len(commands) * 1e6))
    print()


def memory():
    print("%-36s %8s %10s %10s" % ("10 million items at 1 %", "MB", "bits/item", "rate"))
    with Server() as server, server.client() as client:
        for name, capacity, options in [
            ("reserved, EXPANSION 0", 10_000_000, ("EXPANSION", 0)),
            ("reserved", 10_000_000, ()),
            ("grown from 1,024", 1024, ()),
        ]:
            client.ok("FLUSHALL", "SYNC")
            client.ok("CF.RESERVE", "k", capacity, *options)
            fill(client, "k", 10_000_000)
            found = total = 0
            for start in range(0, 400_000, 2000):
                found += sum(client.ok("CF.MEXISTS", "k", *("absent:%d" % i for i in range(start, start + 2000))))
                total += 2000
            bytes_ = client.ok("MEMORY", "USAGE", "k")
            print("%-36s %8.2f %10.2f %9.3f%%" % (name, bytes_ / 1e6, bytes_ * 8 / 1e7, 100 * found / total))
    print()


def longest(items):
    print("%-50s %10s" % ("longest command on %d items" % items, "ms"))
    with Server("maxmemory 0", "latency-tracking no") as server, server.client(timeout=600) as client:

        def worst(name, commands):
            """The longest of the calls, on the server's own clock; `commands` are made while it is watched."""
            client.ok("SLOWLOG", "RESET")
            client.ok("CONFIG", "SET", "slowlog-log-slower-than", 100, "slowlog-max-len", 100_000)
            for _ in commands if not callable(commands) else [commands()]:
                pass
            entries = client.ok("SLOWLOG", "GET", -1)
            client.ok("CONFIG", "SET", "slowlog-log-slower-than", -1)
            verbs = name.split(" ")[0].encode().lower()
            print("%-50s %10.2f" % (name, max([e[2] for e in entries if e[3][0].lower() == verbs] or [0]) / 1000))

        def dumped(key, keep):
            position = 0
            while True:
                position, data = client.ok("CF.SCANDUMP", key, position)
                if not position:
                    return
                keep.append((position, data))
                yield

        for key, options in {"grown from 1,024": ("k", 1024), "EXPANSION 0": ("k", items, "EXPANSION", 0)}.items():
            print("  " + key)
            client.ok("FLUSHALL", "SYNC")
            worst("CF.RESERVE", lambda: client.ok("CF.RESERVE", *options))
            worst("CF.INSERT of 10 items, all the way up", (
                None for start in range(0, items, 10_000 * 16)
                if client.pipeline(["CF.INSERT", "k", "ITEMS", *range(at, at + 10)] for at in range(start, start + 160_000, 10))
            ))
            worst("CF.EXISTS", (client.ok("CF.EXISTS", "k", i * 7919 % items) for i in range(20_000)))
            worst("CF.DEL", (client.ok("CF.DEL", "k", i) for i in range(items // 4)) if items <= 4_000_000 else (
                client.pipeline(["CF.DEL", "k", i] for i in range(start, start + 1000)) for start in range(0, items // 4, 1000)
            ))
            worst("CF.COMPACT", (client.ok("CF.COMPACT", "k") for _ in range(200)))
            worst("CF.INFO k ALL", (client.ok("CF.INFO", "k", "ALL") for _ in range(100)))
            chunks = []
            worst("CF.SCANDUMP", dumped("k", chunks))
            worst("CF.LOADCHUNK", (client.ok("CF.LOADCHUNK", "k2", *chunk) for chunk in chunks))
            del chunks
            worst("CF.CLEAR", lambda: client.ok("CF.CLEAR", "k2"))
            worst("COPY (not bounded)", lambda: client.ok("COPY", "k", "k3"))
            worst("CF.MERGE (not bounded)", lambda: client("CF.MERGE", "k4", "k", "k2"))
            worst("DEBUG DIGEST-VALUE (not bounded)", lambda: client.ok("DEBUG", "DIGEST-VALUE", "k"))
            payload = []
            worst("DUMP (not bounded)", lambda: payload.append(client.ok("DUMP", "k")))
            worst("RESTORE (not bounded)", lambda: client("RESTORE", "k5", 0, payload[0]))
            worst("UNLINK", lambda: client.ok("UNLINK", "k", "k2", "k3", "k4", "k5"))


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["cpu", "memory"]
    if "cpu" in wanted:
        cpu()
    if "memory" in wanted:
        memory()
    if "longest" in wanted:
        longest(int(wanted[wanted.index("longest") + 1]))
