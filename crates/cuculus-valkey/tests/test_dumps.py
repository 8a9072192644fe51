"""CF.SCANDUMP and CF.LOADCHUNK: our own chunks, RedisBloom's dumps, and everything that is wrong with either."""
import base64
import json
import os
import random
import struct
import time
import unittest

from harness.resp import Error
from harness.servers import Server

with open(os.path.join(os.path.dirname(__file__), "testdata", "redisbloom.json")) as file:
    REDISBLOOM = json.load(file)["dumps"]


def scandump(client, key):
    chunks, position = [], 0
    while True:
        position, data = client.ok("CF.SCANDUMP", key, position)
        if not position:
            return chunks
        chunks.append((position, data))


def load(client, key, chunks):
    for position, data in chunks:
        client.ok("CF.LOADCHUNK", key, position, data)


def redisbloom_chunks(dump):
    return [(position, base64.b64decode(data)) for position, data in dump["chunks"]]


def header(items=0, buckets=64, deletes=0, filters=1, bucket_size=2, iterations=20, expansion=1):
    return struct.pack("<QQQQHHH", items, buckets, deletes, filters, bucket_size, iterations, expansion)


def fingerprint(item):
    """RedisBloom's fingerprint: MurmurHash64A, reduced."""
    multiplier, mask, data = 0xC6A4A7935BD1E995, (1 << 64) - 1, item.encode()
    mix = lambda word: ((word * multiplier & mask) ^ (word * multiplier & mask) >> 47) * multiplier & mask
    value = len(data) * multiplier & mask
    for start in range(0, len(data) // 8 * 8, 8):
        value = (value ^ mix(int.from_bytes(data[start : start + 8], "little"))) * multiplier & mask
    rest = data[len(data) // 8 * 8 :]
    if rest:
        value = (value ^ int.from_bytes(rest, "little")) * multiplier & mask
    value = (value ^ value >> 47) * multiplier & mask
    return (value ^ value >> 47) % 255 + 1


class Dumps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.client = cls.server.client()

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.server.close()

    def setUp(self):
        self.client.ok("FLUSHALL")

    def fill(self, key, capacity, *options, items=20_000):
        self.client.ok("CF.RESERVE", key, capacity, *options)
        for start in range(0, items, 1000):
            self.client.ok("CF.INSERT", key, "ITEMS", *range(start, start + 1000))

    def test_round_trips(self):
        """scandump_roundtrip-003"""
        for options in [(), ("EXPANSION", 0), ("EXPANSION", 0, "LAYOUT", "packed"), ("SECRET", "0f" * 16)]:
            for capacity in (1_500_000, 20_000):
                with self.subTest(options, capacity=capacity):
                    self.client.ok("FLUSHALL")
                    self.fill("k", capacity, *options)
                    self.client("CF.INSERT", "k", "BAD")
                    self.client.ok("CF.INSERT", "k", "ITEMS", *["x"] * 9)
                    self.client.ok("CF.DEL", "k", 5)
                    load(self.client, "k2", scandump(self.client, "k"))
                    self.assertEqual(*self.client.ok("DEBUG", "DIGEST-VALUE", "k", "k2"))
                    self.client.ok("CF.ADD", "k2", "more")
                    self.assertEqual(self.client("CF.CARD", "k2"), self.client("CF.CARD", "k") + 1)

    def test_partial_loads(self):
        """Until the last chunk is there, nothing is answered that could be wrong."""
        self.fill("k", 1_500_000, "EXPANSION", 0)
        chunks = scandump(self.client, "k")
        load(self.client, "k2", chunks[:-1])
        for command in [
            ("CF.ADD", "k2", "x"),
            ("CF.ADDNX", "k2", "x"),
            ("CF.INSERT", "k2", "ITEMS", "x"),
            ("CF.EXISTS", "k2", "x"),
            ("CF.MEXISTS", "k2", "x"),
            ("CF.COUNT", "k2", "x"),
            ("CF.DEL", "k2", "x"),
            ("CF.MDEL", "k2", "x"),
            ("CF.CARD", "k2"),
            ("CF.CLEAR", "k2"),
            ("CF.INFO", "k2"),
            ("CF.COMPACT", "k2"),
            ("CF.SCANDUMP", "k2", 0),
            ("CF.MERGE", "k2", "k"),
            ("CF.MERGE", "k3", "k2"),
        ]:
            with self.subTest(command[0]):
                self.assertIn("still being loaded", str(self.client(*command)))
        load(self.client, "k2", chunks[-1:])
        self.assertEqual(self.client("CF.EXISTS", "k2", 7), 1)

    def test_chunks_in_wrong_order(self):
        """loadchunk-004"""
        self.fill("k", 2_500_000, "EXPANSION", 0)
        first, *others = scandump(self.client, "k")
        self.assertEqual(self.client("CF.LOADCHUNK", "k2", *others[0]), Error("ERR not found"))
        refused = Error("Couldn't load chunk!")
        load(self.client, "k2", [first])
        before = self.client.ok("DEBUG", "DIGEST-VALUE", "k2")
        self.assertEqual(self.client("CF.LOADCHUNK", "k2", *first), Error("ERR item exists"))
        self.assertEqual(self.client("CF.LOADCHUNK", "k2", *others[1]), refused)
        self.assertEqual(self.client("CF.LOADCHUNK", "k2", others[0][0], others[1][1]), refused)
        self.assertEqual(self.client("CF.LOADCHUNK", "k2", others[1][0], others[0][1]), refused)
        self.assertEqual(self.client.ok("DEBUG", "DIGEST-VALUE", "k2"), before)
        load(self.client, "k2", others[:1])
        self.assertEqual(self.client("CF.LOADCHUNK", "k2", *others[0]), refused)
        load(self.client, "k2", others[1:])
        self.assertEqual(self.client("CF.LOADCHUNK", "k2", *others[-1]), refused)
        self.assertEqual(*self.client.ok("DEBUG", "DIGEST-VALUE", "k", "k2"))
        self.client.ok("SET", "s", 1)
        self.assertIn("WRONGTYPE", str(self.client("CF.LOADCHUNK", "s", *first)))

    def test_changed_chunks(self):
        """No changed bit of any chunk is taken."""
        self.fill("k", 1000, items=1000)
        chunks = scandump(self.client, "k")
        rng = random.Random(7)
        for number, (position, data) in enumerate(chunks):
            for _ in range(150):
                self.client.ok("DEL", "k2")
                load(self.client, "k2", chunks[:number])
                damaged = bytearray(data)
                if rng.randrange(3) == 0:
                    damaged = damaged[: rng.randrange(len(damaged))]
                else:
                    damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
                self.assertIsInstance(self.client("CF.LOADCHUNK", "k2", position, bytes(damaged)), Error)

    def test_a_filter_that_changes_meanwhile(self):
        """Chunks of two states do not fit together."""
        self.fill("k", 1_500_000, "EXPANSION", 0)
        position, first = self.client.ok("CF.SCANDUMP", "k", 0)
        load(self.client, "k2", [(position, first)])
        self.client.ok("CF.ADD", "k", "one more")
        position, second = self.client.ok("CF.SCANDUMP", "k", position)
        self.assertIsInstance(self.client("CF.LOADCHUNK", "k2", position, second), Error)

    def test_chunks_of_two_filters(self):
        self.fill("a", 1000, items=1000)
        self.fill("b", 1000, items=2000)
        a, b = scandump(self.client, "a"), scandump(self.client, "b")
        load(self.client, "k2", a[:1])
        self.assertIsInstance(self.client("CF.LOADCHUNK", "k2", *b[1]), Error)
        load(self.client, "k2", a[1:])

    def test_redisbloom_dumps(self):
        """Real dumps: every count is the one that RedisBloom gave, but that it counts a copy twice if the item's two buckets
        are one."""
        for dump in REDISBLOOM:
            with self.subTest(dump["name"]):
                self.client.ok("DEL", "k")
                load(self.client, "k", redisbloom_chunks(dump))
                smallest, twice = dump["info"]["Number of buckets"], 0
                for number, theirs in enumerate(dump["counts"]):
                    item = "item:%d" % number
                    ours = self.client.ok("CF.COUNT", "k", item)
                    if fingerprint(item) % smallest:
                        self.assertEqual(ours, theirs, item)
                    else:
                        self.assertTrue(ours <= theirs <= 2 * ours, item)
                        twice += 1
                self.assertLess(twice, len(dump["counts"]) / 10)
                info = self.client.ok("CF.INFO", "k")
                info = dict(zip(info[::2], info[1::2]))
                for field in info:
                    if field not in ("Size", "Number of buckets"):
                        self.assertEqual(info[field], dump["info"][field], field)
                load(self.client, "again", scandump(self.client, "k"))
                self.assertEqual(*self.client.ok("DEBUG", "DIGEST-VALUE", "k", "again"))
                self.client.ok("DEL", "again")

    def test_redisbloom_filters_go_on(self):
        """An imported filter counts, adds and deletes; what no longer fits goes into a table of ours."""
        for dump in REDISBLOOM[:2]:
            with self.subTest(dump["name"]):
                self.client.ok("DEL", "k")
                load(self.client, "k", redisbloom_chunks(dump))
                old = ["item:%d" % i for i, count in enumerate(dump["counts"]) if count and i >= 20][:300]
                old = [item for item in old if self.client("CF.COUNT", "k", item)]
                stored = int(dump["info"]["Number of items inserted"])
                new = ["new:%d" % i for i in range(3000)]
                answers = []
                for start in range(0, len(new), 500):
                    answers += self.client.ok("CF.INSERT", "k", "ITEMS", *new[start : start + 500])
                self.assertEqual(set(answers), {1})
                self.assertEqual(self.client("CF.CARD", "k"), stored + 3000)
                info = self.client.ok("CF.INFO", "k", "ALL")
                info = dict(zip(info[::2], info[1::2]))
                self.assertEqual(info["Number of filters"], dump["info"]["Number of filters"] + 1)
                self.assertEqual(info["Imported filters"], dump["info"]["Number of filters"])
                # Deleting any of them never hides another.
                rng = random.Random(8)
                left = old + new
                rng.shuffle(left)
                while left:
                    gone, left = left[:100], left[100:]
                    self.assertEqual(set(self.client.ok("CF.MDEL", "k", *gone)), {1})
                    if left:
                        self.assertEqual(set(self.client.ok("CF.MEXISTS", "k", *left)), {1})

    def test_a_fixed_redisbloom_filter_stays_fixed(self):
        load(self.client, "k", redisbloom_chunks(REDISBLOOM[2]))
        answers = self.client.ok("CF.INSERT", "k", "ITEMS", *("new:%d" % i for i in range(1000)))
        self.assertEqual(set(answers), {1, -1})
        self.assertEqual(self.client("CF.CARD", "k"), 61 + answers.count(1))

    def test_hostile_redisbloom_headers(self):
        """What no filter can be is refused before a byte is allocated for it."""
        memory = self.server.resident_bytes()
        for fields in [
            dict(buckets=1 << 40),
            dict(buckets=1 << 31, bucket_size=255),
            dict(buckets=(1 << 64) - 1),
            dict(buckets=0),
            dict(buckets=65),
            dict(bucket_size=0),
            dict(bucket_size=256),
            dict(filters=0),
            dict(filters=1 << 63),
            dict(filters=60, expansion=32768),
            dict(filters=2, expansion=0),
            dict(iterations=0),
            dict(expansion=3),
            dict(items=(1 << 64) - 1),
            dict(items=129),
            dict(deletes=(1 << 64) - 1),
        ]:
            with self.subTest(fields):
                started = time.monotonic()
                self.assertIsInstance(self.client("CF.LOADCHUNK", "k", 1, header(**fields)), Error)
                self.assertLess(time.monotonic() - started, 5)
                self.assertEqual(self.client("EXISTS", "k"), 0)
        # The largest that the settings allow takes memory only as its bytes come.
        self.client.ok("CF.LOADCHUNK", "k", 1, header(buckets=1 << 30))
        self.client.ok("CF.LOADCHUNK", "k", (1 << 20) + 1, bytes(1 << 20))
        self.assertLess(self.server.resident_bytes() - memory, 50 << 20)
        self.client.ok("DEBUG", "RELOAD")
        self.assertLess(self.client("MEMORY", "USAGE", "k"), 4 << 20)

    def test_hostile_redisbloom_data(self):
        refused = Error("Couldn't load chunk!")
        for items, data in [(0, b"\1" + bytes(127)), (1, bytes(128)), (128, b"\1" * 127 + b"\0"), (2, b"\1" + bytes(127))]:
            with self.subTest(items=items):
                self.client.ok("DEL", "k")
                self.client.ok("CF.LOADCHUNK", "k", 1, header(items=items))
                self.assertEqual(self.client("CF.LOADCHUNK", "k", 129, data), refused)
                self.assertIn("still being loaded", str(self.client("CF.CARD", "k")))
        self.client.ok("DEL", "k")
        self.client.ok("CF.LOADCHUNK", "k", 1, header(items=1))
        for position, data in [
            (129, bytes(129)),
            (130, bytes(128)),
            (128, bytes(128)),
            (2, b""),
            (-5, b"a"),
            (9223372036854775807, b"a"),
            (200, bytes(100)),
            (65, bytes(65)),
        ]:
            with self.subTest(position=position):
                self.assertEqual(self.client("CF.LOADCHUNK", "k", position, data), refused)
        self.assertEqual(self.client("CF.LOADCHUNK", "k", 0, b"a"), Error("Invalid position"))
        self.client.ok("CF.LOADCHUNK", "k", 65, b"\1" + bytes(63))
        self.assertEqual(self.client("CF.LOADCHUNK", "k", 65, b"\1" + bytes(63)), refused)
        self.client.ok("CF.LOADCHUNK", "k", 129, bytes(64))
        self.assertEqual(self.client("CF.CARD", "k"), 1)

    def test_ten_thousand_failing_loads(self):
        """Memory stays flat."""
        self.fill("k", 1000, items=1000)
        first, second = scandump(self.client, "k")[:2]
        bad = bytearray(second[1])
        bad[100] ^= 1
        calls = [
            ("CF.LOADCHUNK", "k2", *first),
            ("CF.LOADCHUNK", "k2", second[0], bytes(bad)),
            ("CF.LOADCHUNK", "k2", *first),
            ("DEL", "k2"),
            ("CF.LOADCHUNK", "k2", 1, bytes(first[1][:-1]) + b"!"),
            ("CF.LOADCHUNK", "k2", 1, header(items=5)),
            ("CF.LOADCHUNK", "k2", 129, bytes(128)),
            ("DEL", "k2"),
        ]
        used = lambda: int(self.client("INFO", "memory").split(b"used_memory:")[1].split(b"\r\n")[0])
        self.client.pipeline(calls * 100)
        before, resident = used(), self.server.resident_bytes()
        for _ in range(25):
            replies = self.client.pipeline(calls * 100)
        self.assertEqual(sum(isinstance(reply, Error) for reply in replies), 400)
        self.assertLess(used() - before, 100_000)
        self.assertLess(self.server.resident_bytes() - resident, 8 << 20)


if __name__ == "__main__":
    unittest.main()
