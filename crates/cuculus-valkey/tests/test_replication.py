"""A replica holds the same bytes: digests are compared after every write command."""
import random
import unittest

from harness.resp import Error
from harness.servers import Server, digest, in_step, replicate


def mixed_calls(seed, number):
    """Calls of every write command, good and bad, on a few keys."""
    rng = random.Random(seed)
    key = lambda: rng.choice(["a", "b", "small", "fixed"])
    item = lambda: "item:%d" % rng.randrange(400)
    yield "CF.RESERVE", "small", 4, "BUCKETSIZE", 1
    yield "CF.RESERVE", "fixed", 60, "EXPANSION", 0, "ERROR", "0.001", "LAYOUT", "packed"
    for _ in range(number):
        yield rng.choice(
            [
                lambda: ("CF.ADD", key(), item()),
                lambda: ("CF.ADDNX", key(), item()),
                lambda: ("CF.INSERT", key(), "ITEMS", *(item() for _ in range(rng.randrange(1, 30)))),
                lambda: ("CF.INSERT", key(), "ITEMS", *[item()] * 9, item()),
                lambda: ("CF.INSERTNX", key(), "CAPACITY", 300, "ITEMS", *(item() for _ in range(8))),
                lambda: ("CF.INSERT", "c", "CAPACITY", 8, "ERROR", "0.02", "ITEMS", item(), item()),
                lambda: ("CF.DEL", key(), item()),
                lambda: ("CF.MDEL", key(), *(item() for _ in range(5))),
                lambda: ("CF.COMPACT", key()),
                lambda: ("CF.MERGE", "merged", "a", "b"),
                lambda: ("CF.MERGE", "fixed", "a"),
                lambda: ("CF.RESERVE", key(), 1000),
                lambda: ("CF.RESERVE", "r%d" % rng.randrange(9), rng.randrange(1, 99), "ERROR", rng.random()),
            ]
        )()
        if rng.random() < 0.02:
            yield "CF.CLEAR", key()
        if rng.random() < 0.02:
            yield "DEL", key()
        if rng.random() < 0.02:
            yield "CF.LOADCHUNK", "bad", rng.choice([1, 2]), "nonsense"


class Replication(unittest.TestCase):
    def keys_and_digests(self, server):
        with server.client() as client:
            keys = sorted(client.ok("KEYS", "*"))
            return keys, client.ok("DEBUG", "DIGEST-VALUE", *keys) if keys else []

    def assert_equal(self, primary, replica):
        in_step(primary, replica)
        self.assertEqual(self.keys_and_digests(primary), self.keys_and_digests(replica))

    def test_every_call(self):
        """replication-004 and more: after each call, whatever it answered, both hold the same bytes, whatever the settings."""
        other = dict(cf_initial_size=77, cf_error_rate="0.2", cf_bucket_size=9, max_filter_bytes=1024, max_growth=1, seed=5)
        for primary_settings, replica_settings in [({}, other), (dict(max_filter_bytes=3000, max_growth=3), {})]:
            with self.subTest(primary_settings), Server(**primary_settings) as primary, Server(
                **replica_settings
            ) as replica:
                replicate(primary, replica)
                refused = 0
                with primary.client() as client:
                    for number, call in enumerate(mixed_calls(1, 700)):
                        reply = client(*call)
                        refused += isinstance(reply, Error) or (isinstance(reply, list) and -1 in reply)
                        if number % 20 == 0 or call[0] in ("CF.MERGE", "CF.COMPACT", "CF.LOADCHUNK"):
                            self.assert_equal(primary, replica)
                self.assertGreater(refused, 100)
                self.assert_equal(primary, replica)
                self.after_restart_and_failover(primary, replica)

    def after_restart_and_failover(self, primary, replica):
        before = self.keys_and_digests(primary)
        with replica.client() as client:
            client.ok("REPLICAOF", "NO", "ONE")
        primary.close()
        self.assertEqual(self.keys_and_digests(replica), before)
        # The new primary goes on, and a new replica gets everything from a full copy.
        with Server(cf_bucket_size=3) as second, replica.client() as client:
            replicate(replica, second)
            for call in mixed_calls(2, 200):
                client(*call)
            self.assert_equal(replica, second)

    def test_random_secrets_travel(self):
        with Server(hash_secret="random") as primary, Server() as replica:
            replicate(primary, replica)
            with primary.client() as client, replica.client() as reader:
                for key in range(5):
                    client.ok("CF.INSERT", key, "ITEMS", *range(100))
                in_step(primary, replica)
                for key in range(5):
                    self.assertEqual(reader.ok("CF.MEXISTS", key, *range(100)), [1] * 100)
            self.assert_equal(primary, replica)

    def test_dumps_are_replicated(self):
        """replication-002: the chunks reach the replica, also when it joins between two of them."""
        with Server() as primary, Server() as replica, Server() as late, primary.client() as client:
            replicate(primary, replica)
            client.ok("CF.RESERVE", "k", 1_500_000, "EXPANSION", 0)
            client.ok("CF.INSERT", "k", "ITEMS", *range(1000))
            chunks, position = [], 0
            while True:
                position, data = client.ok("CF.SCANDUMP", "k", position)
                if not position:
                    break
                chunks.append((position, data))
            self.assertGreater(len(chunks), 2)
            for number, (position, data) in enumerate(chunks):
                client.ok("CF.LOADCHUNK", "k2", position, data)
                self.assert_equal(primary, replica)
                if number == 1:
                    replicate(primary, late)
            self.assert_equal(primary, late)
            self.assertEqual(*client.ok("DEBUG", "DIGEST-VALUE", "k", "k2"))
            with replica.client() as reader:
                self.assertEqual(reader.ok("CF.MEXISTS", "k2", *range(1000)), [1] * 1000)

    def test_transactions_and_scripts(self):
        with Server() as primary, Server(cf_initial_size=5) as replica, primary.client() as client:
            replicate(primary, replica)
            client.ok("MULTI")
            client.ok("CF.ADD", "k", "x")
            client.ok("CF.INSERT", "k", "ITEMS", *["x"] * 9)
            client.ok("CF.DEL", "k", "x")
            client.ok("EXEC")
            self.assert_equal(primary, replica)
            script = "for i = 1, 50 do redis.call('CF.ADD', KEYS[1], i) end return redis.call('CF.CARD', KEYS[1])"
            self.assertEqual(client.ok("EVAL", script, 1, "s"), 50)
            self.assert_equal(primary, replica)


if __name__ == "__main__":
    unittest.main()
