"""kill -9 under load with appendfsync always: nothing that was acknowledged is lost."""
import random
import threading
import unittest

from harness.resp import Closed
from harness.servers import Server


class Crash(unittest.TestCase):
    def test_nothing_acknowledged_is_lost(self):
        with Server("appendonly yes", "appendfsync always", "auto-aof-rewrite-min-size 64kb") as server:
            rng, acknowledged, removed = random.Random(9), [set() for _ in range(4)], [set() for _ in range(4)]
            for turn in range(5):
                def work(number, seed, turn=turn):
                    mine, gone, rng = acknowledged[number], removed[number], random.Random(seed)
                    key, count = "k%d" % (number % 2), 0
                    try:
                        with server.client() as client:
                            while True:
                                count += 1
                                items = ["%d:%d:%d:%d" % (number, turn, count, i) for i in range(20)]
                                if client.ok("CF.INSERT", key, "ITEMS", *items) == [1] * 20:
                                    mine.update(items)
                                if rng.random() < 0.3:
                                    item = rng.choice(items)
                                    # From here on it may be gone, acknowledged or not.
                                    mine.discard(item)
                                    if client.ok("CF.DEL", key, item):
                                        gone.add(item)
                    except (Closed, OSError, ValueError):
                        pass

                threads = [threading.Thread(target=work, args=(number, rng.random())) for number in range(4)]
                for thread in threads:
                    thread.start()
                threading.Event().wait(0.4 + rng.random() * 0.4)
                server.kill()
                for thread in threads:
                    thread.join()
                server.start()
                with server.client() as client:
                    for number, mine in enumerate(acknowledged):
                        items, key = sorted(mine), "k%d" % (number % 2)
                        for start in range(0, len(items), 1000):
                            self.assertEqual(set(client.ok("CF.MEXISTS", key, *items[start : start + 1000])), {1})
            self.assertTrue(all(len(mine) > 100 for mine in acknowledged))


if __name__ == "__main__":
    unittest.main()
