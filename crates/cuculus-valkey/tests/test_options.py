"""What goes beyond the original: ERROR, LAYOUT, hashes, CF.INFO ALL, CF.MDEL, CF.MERGE, CF.CARD, CF.CLEAR; copies and full filters."""
import unittest

from harness.resp import Error, Map
from harness.servers import Server


def info_of(client, key):
    reply = client.ok("CF.INFO", key, "ALL")
    return dict(reply) if isinstance(reply, Map) else dict(zip(reply[::2], reply[1::2]))


class Options(unittest.TestCase):
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

    def insert_many(self, key, items, *options):
        items = list(items)
        answers = []
        for start in range(0, len(items), 1000):
            answers += self.client.ok("CF.INSERT", key, *options, "ITEMS", *items[start : start + 1000])
        return answers

    def found(self, key, items):
        items = list(items)
        found = []
        for start in range(0, len(items), 1000):
            found += self.client.ok("CF.MEXISTS", key, *items[start : start + 1000])
        return sum(found)

    def test_rates_are_kept(self):
        """reserve_options-005 had no effect in the original; here ERROR is a promise, also for a filter that grew."""
        absent = ["absent:%d" % i for i in range(40_000)]
        for rate, options in [
            ("0.01", ()),
            ("0.03", ("EXPANSION", 0)),
            ("0.001", ("EXPANSION", 0, "LAYOUT", "packed")),
            ("0.002", ("EXPANSION", 0, "LAYOUT", "semi-sorted")),
            ("0.01", ("LAYOUT", "compact")),
            ("0.005", ("LAYOUT", "packed")),
        ]:
            for capacity in (20_000,) if "EXPANSION" in options else (20_000, 2_000):
                with self.subTest(rate=rate, capacity=capacity):
                    self.client.ok("FLUSHALL")
                    self.client.ok("CF.RESERVE", "k", capacity, "ERROR", rate, *options)
                    self.assertEqual(set(self.insert_many("k", range(20_000))), {1})
                    self.assertEqual(self.found("k", range(20_000)), 20_000)
                    expected = len(absent) * float(rate)
                    self.assertLessEqual(self.found("k", absent), expected + 4 * expected**0.5 + 4)
                    info = info_of(self.client, "k")
                    self.assertEqual(float(info["Promised error rate"]), float(rate))
                    self.assertLessEqual(float(info["Expected error rate"]), float(rate) * 1.001)

    def test_bad_options(self):
        """reserve_options-004 and -007: what the original passes over or crashes on is an error."""
        for options in [
            ("FOO", "4"),
            ("FOO", "BUCKETSIZE"),
            ("ERROR", "0"),
            ("ERROR", "1"),
            ("ERROR", "nan"),
            ("ERROR", "-0.1"),
            ("ERROR", "1e-300"),
            ("LAYOUT", "best"),
            ("LAYOUT", "growing", "EXPANSION", "0"),
            ("SEED", "-1"),
            ("SECRET", "xyz"),
            ("SECRET", "é" * 16),
        ]:
            with self.subTest(options):
                self.assertIsInstance(self.client("CF.RESERVE", "k", 1000, *options), Error)
                self.assertEqual(self.client("EXISTS", "k"), 0)
        for options in [("ERROR", "2", "ITEMS", "a"), ("FOO", "ITEMS", "a"), ("ERROR", "ITEMS", "a"), ("CAPACITY", "ITEMS", "a")]:
            with self.subTest(options):
                self.assertIsInstance(self.client("CF.INSERT", "k", *options), Error)
                self.assertEqual(self.client("EXISTS", "k"), 0)

    def test_insert_error(self):
        self.client.ok("CF.INSERT", "k", "CAPACITY", 3000, "ERROR", "0.0001", "ITEMS", "a")
        info = info_of(self.client, "k")
        self.assertEqual((info["Promised error rate"], info["Capacity"]), (b"0.0001", 3000))

    def test_info_all(self):
        with self.server.client(3) as client:
            client.ok("CF.RESERVE", "k", 1000)
            client.ok("CF.ADD", "k", "x")
            plain, full = client.ok("CF.INFO", "k"), client.ok("cf.info", "k", "all")
        self.assertEqual(full[:8], plain)
        self.assertEqual(
            [name for name, _ in full[8:]],
            [
                "Capacity",
                "Promised error rate",
                "Expected error rate",
                "Bits per item",
                "Load factor",
                "Layout",
                "Growing",
                "Hash",
                "Copies of an item",
                "Imported filters",
                "Imported items",
                "Imported bytes",
            ],
        )
        full = dict(full)
        self.assertIs(type(full["Promised error rate"]), float)
        self.assertEqual((full["Layout"], full["Hash"], full["Growing"], full["Copies of an item"]), (b"growing", b"seeded", 1, 4))

    def test_copies(self):
        """One item at most max(2 x BUCKETSIZE, candidate slots) times; a growing filter does not grow for it."""
        for options, most in [
            ((), 4),
            (("BUCKETSIZE", 1), 4),
            (("BUCKETSIZE", 3), 6),
            (("BUCKETSIZE", 255), 510),
            (("LAYOUT", "compact"), 4),
            (("LAYOUT", "packed"), 8),
            (("EXPANSION", 0), 4),
            (("EXPANSION", 0, "BUCKETSIZE", 40), 80),
            (("EXPANSION", 0, "LAYOUT", "packed"), 8),
            (("EXPANSION", 0, "LAYOUT", "semi-sorted", "BUCKETSIZE", 5), 10),
        ]:
            for proto in (2, 3):
                with self.subTest(options, proto=proto), self.server.client(proto) as client:
                    client.ok("FLUSHALL")
                    client.ok("CF.RESERVE", "k", 4096, *options)
                    before = info_of(client, "k")
                    for _ in range(most):
                        self.assertEqual(client("CF.ADD", "k", "x"), 1)
                    full = Error("Filter is full")
                    refused = -1 if proto == 2 else False
                    self.assertEqual(client("CF.ADD", "k", "x"), full)
                    self.assertEqual(client("CF.INSERT", "k", "ITEMS", "x", "y", "x", "z"), [refused, 1, refused, 1])
                    self.assertEqual(client("CF.ADDNX", "k", "x"), 0)
                    self.assertEqual(client("CF.COUNT", "k", "x"), most)
                    self.assertEqual(client("CF.CARD", "k"), most + 2)
                    after = info_of(client, "k")
                    self.assertEqual(before["Number of buckets"], after["Number of buckets"])
                    for left in reversed(range(most)):
                        self.assertEqual(client("CF.DEL", "k", "x"), 1)
                        self.assertEqual(client("CF.COUNT", "k", "x"), left)
                    self.assertEqual(client("CF.DEL", "k", "x"), 0)
                    self.assertEqual(client("CF.MEXISTS", "k", "x", "y", "z"), [0, 1, 1])

    def test_full_filters(self):
        """EXPANSION 0: the capacity is taken, and one more is refused."""
        for layout in ("compact", "packed", "semi-sorted"):
            for capacity in (2, 10, 1000, 4096):
                with self.subTest(layout, capacity=capacity):
                    self.client.ok("FLUSHALL")
                    self.client.ok("CF.RESERVE", "k", capacity, "BUCKETSIZE", 1, "EXPANSION", 0, "LAYOUT", layout)
                    self.assertEqual(set(self.insert_many("k", range(capacity))), {1})
                    more = self.insert_many("k", ("more:%d" % i for i in range(200)))
                    self.assertEqual(more[-1], -1)
                    # The builder may have a little more room than was asked for; then it is full.
                    taken = more.index(-1)
                    self.assertEqual(set(more[taken:]), {-1})
                    self.assertEqual(self.client("CF.ADD", "k", "one more"), Error("Filter is full"))
                    self.assertEqual(self.client("CF.CARD", "k"), capacity + taken)
                    self.assertEqual(self.found("k", range(capacity)), capacity)
                    self.assertEqual(self.client("CF.DEL", "k", "0"), 1)
                    self.assertEqual(self.client("CF.ADD", "k", "one more"), 1)

    def test_mdel(self):
        self.client.ok("CF.INSERT", "k", "ITEMS", "a", "b", "b")
        self.assertEqual(self.client("CF.MDEL", "k", "a", "b", "a", "b", "b"), [1, 1, 0, 1, 0])
        self.assertEqual(self.client("CF.MDEL", "nokey", "a"), Error("Not found"))
        self.client.ok("SET", "s", 1)
        self.assertEqual(self.client("CF.MDEL", "s", "a"), Error("Not found"))
        with self.server.client(3) as client:
            self.assertEqual([type(reply) for reply in client("CF.MDEL", "k", "a", "b")], [bool, bool])

    def test_card_and_clear(self):
        self.client.ok("CF.RESERVE", "k", 5000, "ERROR", "0.001")
        self.client.ok("CF.INSERT", "k", "ITEMS", "a", "b", "b")
        self.assertEqual(self.client("CF.CARD", "k"), 3)
        self.assertEqual(self.client("CF.CLEAR", "k"), "OK")
        self.assertEqual(self.client("CF.CARD", "k"), 0)
        self.assertEqual(self.client("CF.EXISTS", "k", "a"), 0)
        self.assertEqual(info_of(self.client, "k")["Promised error rate"], b"0.001")
        self.assertEqual(self.client("CF.CLEAR", "nokey"), Error("ERR not found"))
        self.client.ok("SET", "s", 1)
        for command in ("CF.CLEAR", "CF.CARD"):
            self.assertIn("WRONGTYPE", str(self.client(command, "s")))

    def test_merge(self):
        for options in [(), ("LAYOUT", "compact"), ("EXPANSION", 0)]:
            with self.subTest(options):
                self.client.ok("FLUSHALL")
                if options:
                    for key in "abc":
                        self.client.ok("CF.RESERVE", key, 8000, *options)
                self.merge()

    def merge(self):
        self.insert_many("a", range(0, 3000))
        self.insert_many("b", range(2000, 6000))
        self.insert_many("c", range(6000, 6100))
        self.client.ok("CF.MERGE", "all", "a", "b", "c")
        self.assertEqual(self.client("CF.CARD", "all"), 3000 + 4000 + 100)
        self.assertEqual(self.found("all", range(6100)), 6100)
        self.assertEqual(self.client("CF.COUNT", "all", 2500), 2)
        self.client.ok("CF.MERGE", "a", "b")
        self.assertEqual(self.client("CF.CARD", "a"), 7000)
        self.assertEqual(self.client("CF.CARD", "b"), 4000)

    def test_merge_refusals_change_nothing(self):
        self.client.ok("CF.RESERVE", "fixed", 10, "EXPANSION", 0)
        self.client.ok("CF.RESERVE", "other", 10, "EXPANSION", 0)
        self.client.ok("CF.RESERVE", "seeded", 10, "SEED", 7)
        self.client.ok("CF.RESERVE", "grows", 10)
        self.insert_many("fixed", range(100))
        self.insert_many("other", range(100))
        self.client.ok("SET", "s", 1)
        before = self.client.ok("DEBUG", "DIGEST-VALUE", "fixed")
        for sources in [("grows",), ("seeded",), ("nokey",), ("s",), ("other",), ("fixed", "nokey")]:
            with self.subTest(sources):
                self.assertIsInstance(self.client("CF.MERGE", "fixed", *sources), Error)
                self.assertEqual(self.client.ok("DEBUG", "DIGEST-VALUE", "fixed"), before)
        self.assertIsInstance(self.client("CF.MERGE", "new", "nokey"), Error)
        self.assertIsInstance(self.client("CF.MERGE", "s", "fixed"), Error)
        self.assertEqual(self.client("EXISTS", "new"), 0)

    def test_hashes(self):
        """Equal items, another seed or key: other bytes, and no filter shares another's false positives."""
        secret = "00112233445566778899aabbccddeeff"
        for key, options in {"a": (), "b": ("SEED", 1), "c": ("SECRET", secret), "d": ("SECRET", secret[::-1])}.items():
            self.client.ok("CF.RESERVE", key, 1000, *options)
            self.insert_many(key, range(500))
            self.assertEqual(self.found(key, range(500)), 500)
        digests = self.client.ok("DEBUG", "DIGEST-VALUE", "a", "b", "c", "d")
        self.assertEqual(len(set(digests)), 4)
        self.assertEqual(info_of(self.client, "c")["Hash"], b"secret")

    def test_secret_setting(self):
        self.client.ok("CONFIG", "SET", "cuculus.hash-secret", "random")
        self.client.ok("CF.ADD", "a", "x")
        self.client.ok("CF.ADD", "b", "x")
        self.client.ok("CONFIG", "SET", "cuculus.hash-secret", "0f" * 16)
        self.client.ok("CF.ADD", "c", "x")
        self.client.ok("CF.ADD", "d", "x")
        self.client.ok("CONFIG", "SET", "cuculus.hash-secret", "")
        a, b, c, d = self.client.ok("DEBUG", "DIGEST-VALUE", "a", "b", "c", "d")
        self.assertNotEqual(a, b)
        self.assertEqual(c, d)
        self.assertEqual({info_of(self.client, key)["Hash"] for key in "abcd"}, {b"secret"})


if __name__ == "__main__":
    unittest.main()
