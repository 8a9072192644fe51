"""What the server knows of the commands: arity, flags, keys, categories, documentation, settings, counters, events."""
import unittest

from harness.resp import Error
from harness.servers import Server

# name: arity, flags, key flags, categories beside @cuckoo. (command_info-001 to -014, in our own terms.)
COMMANDS = {
    "cf.reserve": (-3, {"write", "denyoom"}, {"RW", "access", "update"}, {"@write", "@fast"}),
    "cf.add": (3, {"write", "denyoom"}, {"RW", "access", "update"}, {"@write", "@slow"}),
    "cf.addnx": (3, {"write", "denyoom"}, {"RW", "access", "update"}, {"@write", "@slow"}),
    "cf.insert": (-4, {"write", "denyoom"}, {"RW", "access", "update"}, {"@write", "@slow"}),
    "cf.insertnx": (-4, {"write", "denyoom"}, {"RW", "access", "update"}, {"@write", "@slow"}),
    "cf.exists": (3, {"readonly", "fast"}, {"RO", "access"}, {"@read", "@fast"}),
    "cf.mexists": (-3, {"readonly", "fast"}, {"RO", "access"}, {"@read", "@fast"}),
    "cf.count": (3, {"readonly", "fast"}, {"RO", "access"}, {"@read", "@fast"}),
    "cf.card": (2, {"readonly", "fast"}, {"RO", "access"}, {"@read", "@fast"}),
    "cf.del": (3, {"write", "fast"}, {"RW", "access", "update"}, {"@write", "@fast"}),
    "cf.mdel": (-3, {"write"}, {"RW", "access", "update"}, {"@write", "@slow"}),
    "cf.clear": (2, {"write"}, {"RW", "access", "update"}, {"@write", "@slow"}),
    "cf.merge": (-3, {"write", "denyoom"}, {"RW", "access", "update"}, {"@write", "@slow"}),
    "cf.scandump": (3, {"readonly", "fast"}, {"RO", "access"}, {"@read", "@fast"}),
    "cf.loadchunk": (4, {"write", "denyoom"}, {"RW", "access", "update"}, {"@write", "@slow"}),
    "cf.info": (-2, {"readonly", "fast"}, {"RO", "access"}, {"@read", "@fast"}),
    "cf.compact": (2, {"write"}, {"RW", "access", "update"}, {"@write", "@slow"}),
    "cf.debug": (2, {"readonly", "fast"}, {"RO", "access"}, {"@read", "@fast"}),
}


class WhatTheServerKnows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.client = cls.server.client()
        # Redis 7.0 has no functions for categories of modules.
        cls.has_categories = not isinstance(cls.client("ACL", "CAT", "cuckoo"), Error)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.server.close()

    def setUp(self):
        self.client.ok("FLUSHALL")

    def test_command_info(self):
        for name, (arity, flags, key_flags, categories) in COMMANDS.items():
            with self.subTest(name):
                info = self.client.ok("COMMAND", "INFO", name)[0]
                self.assertEqual(info[0], name.encode())
                self.assertEqual(info[1], arity)
                self.assertEqual(set(info[2]), flags | {"module"})
                spec = info[8][0]
                self.assertEqual(set(spec[1]), key_flags)
                self.assertEqual(info[3], 1)
                self.assertEqual(set(info[6]), categories | {"@cuckoo"} if self.has_categories else set())

    def test_merge_reads_its_sources(self):
        specs = self.client.ok("COMMAND", "INFO", "cf.merge")[0][8]
        self.assertEqual([set(spec[1]) for spec in specs], [{"RW", "access", "update"}, {"RO", "access"}])
        self.assertEqual(self.client.ok("COMMAND", "GETKEYS", "CF.MERGE", "a", "b", "c"), [b"a", b"b", b"c"])

    def test_every_command_has_documentation(self):
        for name in COMMANDS:
            with self.subTest(name):
                docs = self.client.ok("COMMAND", "DOCS", name)[1]
                docs = dict(zip(docs[::2], docs[1::2]))
                self.assertTrue(docs[b"summary"] and docs[b"complexity"] and docs[b"arguments"])

    def test_no_other_commands(self):
        """arity-050, but for CF.CARD and CF.MDEL, which exist here."""
        self.assertIn("unknown command", str(self.client("CF.DIGEST", "k")))
        self.assertIn("unknown command", str(self.client("CF.MADD", "k", "a")))
        self.assertEqual(self.client("CF.CARD", "k"), 0)
        self.assertEqual(self.client("CF.MDEL", "k", "a"), Error("Not found"))
        listed = {name.decode() for name in self.client.ok("COMMAND", "LIST", "FILTERBY", "MODULE", "cuculus")}
        self.assertEqual(listed, set(COMMANDS))

    def test_categories(self):
        """acl-003"""
        if not self.has_categories:
            return
        may = lambda *command: self.client("ACL", "DRYRUN", "u", *command) == "OK"
        self.client.ok("ACL", "SETUSER", "u", "reset", "on", "nopass", "~k*", "+@all", "-@write")
        self.assertFalse(may("CF.ADD", "k", "x") or may("CF.DEL", "k", "x") or may("CF.COMPACT", "k"))
        self.assertTrue(may("CF.EXISTS", "k", "x") and may("CF.INFO", "k"))
        self.client.ok("ACL", "SETUSER", "u", "+@all", "-@read")
        self.assertFalse(may("CF.EXISTS", "k", "x") or may("CF.INFO", "k"))
        self.assertTrue(may("CF.ADD", "k", "x"))
        self.client.ok("ACL", "SETUSER", "u", "-@all", "+@cuckoo")
        self.assertTrue(may("CF.ADD", "k", "x") and may("CF.MERGE", "k", "k2"))
        self.assertFalse(may("CF.ADD", "z", "x"))

    def test_key_permissions(self):
        """acl-004"""
        may = lambda *command: self.client("ACL", "DRYRUN", "u", *command) == "OK"
        self.client.ok("ACL", "SETUSER", "u", "reset", "on", "nopass", "%R~k*", "%W~w*", "+@all")
        self.assertTrue(may("CF.EXISTS", "k", "x") and may("CF.SCANDUMP", "k", 0) and may("CF.INFO", "k"))
        self.assertFalse(may("CF.ADD", "k", "x") or may("CF.COMPACT", "k") or may("CF.LOADCHUNK", "k", 1, "a"))
        self.client.ok("ACL", "SETUSER", "u", "~w*")
        self.assertTrue(may("CF.MERGE", "w", "k1", "k2"))
        self.assertFalse(may("CF.MERGE", "k1", "w"))

    def test_settings(self):
        """config-001"""
        got = self.client.ok("CONFIG", "GET", "cuculus.*")
        self.assertEqual(
            dict(zip(got[::2], got[1::2])),
            {
                b"cuculus.cf-initial-size": b"1024",
                b"cuculus.cf-bucket-size": b"2",
                b"cuculus.cf-max-iterations": b"20",
                b"cuculus.cf-expansion-factor": b"1",
                b"cuculus.cf-error-rate": b"0.01",
                b"cuculus.cf-layout": b"compact",
                b"cuculus.seed": b"0",
                b"cuculus.hash-secret": b"",
                b"cuculus.max-filter-bytes": b"4294967296",
                b"cuculus.max-growth": b"0",
            },
        )
        for name, value in {"cf-error-rate": "1", "cf-layout": "best", "hash-secret": "12", "cf-bucket-size": "0"}.items():
            with self.subTest(name):
                self.assertIsInstance(self.client("CONFIG", "SET", "cuculus." + name, value), Error)

    def test_settings_are_defaults_of_new_filters(self):
        settings = {"cf-error-rate": ".001", "cf-initial-size": "5000", "cf-bucket-size": "3", "cf-expansion-factor": "0"}
        settings |= {"cf-layout": "packed", "cf-max-iterations": "7"}
        old = {name: self.client.ok("CONFIG", "GET", "cuculus." + name)[1] for name in settings}
        for name, value in settings.items():
            self.client.ok("CONFIG", "SET", "cuculus." + name, value)
        self.client.ok("CF.ADD", "k", "x")
        info = self.client.ok("CF.INFO", "k", "ALL")
        info = dict(zip(info[::2], info[1::2]))
        self.assertEqual((info["Capacity"], info["Bucket size"], info["Expansion rate"]), (5000, 3, 0))
        self.assertEqual((info["Promised error rate"], info["Layout"], info["Max iterations"]), (b"0.001", b"packed", 7))
        for name, value in old.items():
            self.client.ok("CONFIG", "SET", "cuculus." + name, value)

    def test_counters(self):
        self.client.ok("CF.RESERVE", "k", 4, "EXPANSION", 0, "BUCKETSIZE", 1)
        for item in range(6):
            self.client("CF.ADD", "k", item)
        info = self.client.ok("INFO", "cuculus_filters")
        self.assertIn(b"cuculus_filters:1\r\n", info)
        self.assertNotIn(b"cuculus_refused_full:0\r\n", info)
        self.assertIn(b"cuculus_internal_errors:0\r\n", info)

    def test_events(self):
        self.client.ok("CONFIG", "SET", "notify-keyspace-events", "KEA")
        with self.server.client() as listener:
            listener.ok("PSUBSCRIBE", "__keyspace@0__:*")
            calls = [
                ("CF.RESERVE", "k", 100),
                ("CF.ADD", "k", "x"),
                ("CF.ADDNX", "k", "x"),
                ("CF.ADDNX", "k", "y"),
                ("CF.INSERT", "k", "ITEMS", "z"),
                ("CF.DEL", "k", "not there at all"),
                ("CF.DEL", "k", "x"),
                ("CF.COMPACT", "k"),
                ("CF.MERGE", "m", "k"),
                ("CF.CLEAR", "k"),
            ]
            for call in calls:
                self.client.ok(*call)
            expected = "reserve add addnx insert del compact merge clear".split()
            events = [listener.reply()[3] for _ in expected]
        self.assertEqual(events, [b"cf." + name.encode() for name in expected])
        self.client.ok("CONFIG", "SET", "notify-keyspace-events", "")

    def test_only_changes_disturb_watchers(self):
        self.client.ok("CF.ADD", "k", "x")
        for call, disturbs in {("CF.EXISTS", "k", "x"): False, ("CF.ADDNX", "k", "x"): False, ("CF.ADD", "k", "x"): True}.items():
            with self.server.client() as watcher:
                watcher.ok("WATCH", "k")
                self.client.ok(*call)
                watcher.ok("MULTI")
                watcher.ok("PING")
                self.assertEqual(watcher("EXEC") is None, disturbs, call)

    def test_arguments_at_load_are_refused(self):
        self.assertIsInstance(self.client("MODULE", "LOAD", "/nowhere"), Error)


if __name__ == "__main__":
    unittest.main()
