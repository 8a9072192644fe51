"""RDB, AOF, DUMP and COPY keep every byte; a damaged file or payload is refused and nothing else happens."""
import random
import unittest

from harness.resp import Error
from harness.servers import Server, until
from test_replication import mixed_calls


def digests(client):
    keys = sorted(client.ok("KEYS", "*"))
    return keys, client.ok("DEBUG", "DIGEST-VALUE", *keys)


def fill(client, seed=3):
    for call in mixed_calls(seed, 300):
        client(*call)
    client.ok("CF.RESERVE", "secret", 100, "SECRET", "0f" * 16)
    client.ok("CF.INSERT", "secret", "ITEMS", *range(300))
    # A filter of which chunks are missing.
    client.ok("CF.RESERVE", "large", 1_500_000, "EXPANSION", 0)
    position, first = client.ok("CF.SCANDUMP", "large", 0)
    client.ok("CF.LOADCHUNK", "partial", position, first)
    position, second = client.ok("CF.SCANDUMP", "large", position)
    client.ok("CF.LOADCHUNK", "partial", position, second)


class Persistence(unittest.TestCase):
    def test_rdb(self):
        for limits in ({}, dict(max_filter_bytes=1024, max_growth=1)):
            with Server(**limits) as server:
                with server.client() as client:
                    client.ok("CONFIG", "SET", "cuculus.max-filter-bytes", 1 << 30, "cuculus.max-growth", 0)
                    fill(client)
                    before = digests(client)
                    client.ok("SAVE")
                    client.ok("DEBUG", "RELOAD")
                    self.assertEqual(digests(client), before)
                # A start loads what is on disk even above the limits.
                server.restart()
                with server.client() as client:
                    self.assertEqual(digests(client), before)

    def test_aof(self):
        for preamble in ("yes", "no"):
            with self.subTest(preamble=preamble), Server(
                "appendonly yes", "aof-use-rdb-preamble " + preamble
            ) as server:
                with server.client() as client:
                    fill(client, 4)
                    before = digests(client)
                    client.ok("DEBUG", "LOADAOF")
                    self.assertEqual(digests(client), before)
                    client.ok("BGREWRITEAOF")
                    until(
                        lambda: b"aof_rewrite_in_progress:0" in client("INFO", "persistence")
                        and b"aof_rewrite_scheduled:0" in client("INFO", "persistence")
                    )
                    self.assertIn(b"aof_last_bgrewrite_status:ok", client("INFO", "persistence"))
                    client.ok("DEBUG", "LOADAOF")
                    self.assertEqual(digests(client), before)
                    for call in mixed_calls(5, 100):
                        client(*call)
                    before = digests(client)
                server.restart()
                with server.client() as client:
                    self.assertEqual(digests(client), before)

    def test_dump_restore_and_copy(self):
        """dump_restore-002, keyspace-006"""
        with Server() as server, server.client() as client:
            fill(client)
            keys, before = digests(client)
            for key, digest in zip(keys, before):
                payload = client.ok("DUMP", key)
                client.ok("RESTORE", b"restored", 0, payload, "REPLACE")
                client.ok("COPY", key, "copied", "REPLACE")
                self.assertEqual(client.ok("DEBUG", "DIGEST-VALUE", "restored", "copied"), [digest, digest])
            # A copy is a value of its own.
            client.ok("COPY", "a", "copied", "REPLACE")
            client.ok("CF.ADD", "copied", "only there")
            self.assertEqual(client.ok("DEBUG", "DIGEST-VALUE", "a"), [before[keys.index(b"a")]])

    def test_damaged_payloads(self):
        """A changed payload under a right checksum of the server's is refused by ours, and the server lives."""
        with Server() as server, server.client() as client:
            client.ok("CF.RESERVE", "k", 300)
            client.ok("CF.INSERT", "k", "ITEMS", *range(300))
            payload = client.ok("DUMP", "k")
            body, version = payload[:-10], payload[-10:-8]
            rng = random.Random(6)
            restored = 0
            for _ in range(400):
                damaged = bytearray(body)
                if rng.randrange(4) == 0:
                    damaged = damaged[: rng.randrange(len(damaged))]
                else:
                    for _ in range(rng.randrange(1, 4)):
                        damaged[rng.randrange(9, len(damaged))] ^= 1 << rng.randrange(8)
                data = bytes(damaged) + version
                data += crc64(data).to_bytes(8, "little")
                reply = client("RESTORE", "k2", 0, data, "REPLACE")
                restored += not isinstance(reply, Error)
                self.assertTrue(server.is_alive())
            # In packed strings a few bits mean nothing.
            self.assertLess(restored, 10)
            self.assertEqual(client.ok("CF.MEXISTS", "k", *range(300)), [1] * 300)

    def test_freed_in_the_background(self):
        with Server() as server, server.client() as client:
            client.ok("CF.RESERVE", "k", 2_000_000, "EXPANSION", 0)
            before = self.lazily_freed(client)
            client.ok("UNLINK", "k")
            until(lambda: self.lazily_freed(client) > before)

    def lazily_freed(self, client):
        return int(client("INFO", "memory").split(b"lazyfreed_objects:")[1].split(b"\r\n")[0])

    def test_memory_is_the_servers(self):
        """What a filter takes is in used_memory and in MEMORY USAGE, so that maxmemory sees it (keyspace-007)."""
        with Server() as server, server.client() as client:
            used = lambda: int(client("INFO", "memory").split(b"used_memory:")[1].split(b"\r\n")[0])
            before = used()
            client.ok("CF.RESERVE", "k", 10_000_000, "EXPANSION", 0)
            grown, usage = used() - before, client.ok("MEMORY", "USAGE", "k")
            self.assertGreater(grown, 11_000_000)
            # The server's allocator may round up to the next of four sizes between two powers of two.
            self.assertTrue(usage - 200_000 < grown < usage * 1.25, (grown, usage))
            self.assertLess(usage, 12_000_000)


def crc64(data, table=[]):
    """The checksum of DUMP: CRC-64 "Jones", reflected."""
    if not table:
        for byte in range(256):
            for _ in range(8):
                byte = byte >> 1 ^ (0x95AC9329AC4BC9B5 if byte & 1 else 0)
            table.append(byte)
    crc = 0
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    return crc


if __name__ == "__main__":
    unittest.main()
