"""The CF helpers of Python's two clients, as their users call them."""
import importlib
import unittest

from harness.servers import Server


class Clients(unittest.TestCase):
    def check(self, name, protocol):
        library = importlib.import_module(name)
        kind = getattr(library, "Valkey", None) or library.Redis
        with Server() as server, kind(port=server.port, protocol=protocol, decode_responses=False) as client:
            cf = client.cf()
            self.assertTrue(cf.create("k", 1000))
            self.assertTrue(cf.create("e", 1000, expansion=1))
            self.assertTrue(cf.create("b", 1000, bucket_size=4))
            self.assertTrue(cf.create("i", 1000, max_iterations=10))
            self.assertTrue(cf.add("k", "foo"))
            self.assertFalse(cf.addnx("k", "foo"))
            self.assertTrue(cf.addnx("k", "bar"))
            self.assertEqual([1], [int(answer) for answer in cf.insert("i", ["foo"])])
            self.assertEqual([1, 1], [int(answer) for answer in cf.insert("captest", ["a", "b"], capacity=1000)])
            self.assertEqual([1, 0], list(cf.insertnx("captest", ["c", "a"], capacity=1000)))
            with self.assertRaises(library.ResponseError):
                cf.insert("nokey", ["a"], nocreate=True)
            self.assertEqual(1, cf.exists("k", "foo"))
            self.assertEqual(0, cf.exists("k", "noexist"))
            if hasattr(cf, "mexists"):
                self.assertEqual([1, 0], [int(answer) for answer in cf.mexists("k", "foo", "noexist")])
            self.assertEqual(1, cf.count("k", "foo"))
            self.assertEqual(0, cf.count("k", "not there"))
            self.assertTrue(cf.delete("k", "foo"))
            self.assertFalse(cf.delete("k", "foo"))
            info = cf.info("e")
            # A map in RESP3; the helpers read the other form only.
            if isinstance(info, dict):
                info = {name.decode() if isinstance(name, bytes) else name: value for name, value in info.items()}
                names = ("items inserted", "items deleted", "filters")
                values = [info["Number of " + name] for name in names]
                values += [info["Bucket size"], info["Expansion rate"], info["Max iterations"]]
            else:
                values = [info.insertedNum, info.deletedNum, info.filterNum]
                values += [info.bucketSize, info.expansionRate, info.maxIteration]
            self.assertEqual(values, [0, 0, 1, 2, 1, 20])
            for _ in range(3):
                cf.add("k", "again")
            self.assertEqual(3, cf.count("k", "again"))

            # A dump, as the helpers' documentation does it.
            chunks, position = [], 0
            while True:
                position, data = cf.scandump("k", position)
                if position == 0:
                    break
                chunks.append((position, data))
            client.delete("k")
            for position, data in chunks:
                self.assertTrue(cf.loadchunk("k", position, data))
            self.assertEqual(3, cf.count("k", "again"))
            self.assertEqual(1, cf.exists("k", "bar"))

    def test_redis_py(self):
        for protocol in (2, 3):
            with self.subTest(protocol=protocol):
                self.check("redis", protocol)

    def test_valkey_py(self):
        for protocol in (2, 3):
            with self.subTest(protocol=protocol):
                self.check("valkey", protocol)


if __name__ == "__main__":
    unittest.main()
