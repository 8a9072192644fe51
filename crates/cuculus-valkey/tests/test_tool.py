"""cuculus --server: one filter over many keys, on one server and on a cluster that loses a primary."""
import os
import subprocess
import threading
import unittest

from harness.resp import Error
from harness.servers import Server, until
from test_cluster import start_cluster

TOOL = os.environ["CUCULUS_TOOL"]


def run(*args, keys=(), code=0):
    done = subprocess.run([TOOL, *args], input="".join("%s\n" % key for key in keys), capture_output=True, text=True, timeout=120)
    assert done.returncode == code, (args, done)
    return done.stdout + done.stderr


class Tool(unittest.TestCase):
    def test_one_server(self):
        with Server() as server, server.client() as client:
            for shards in (1, 5):
                to = ("--server", "valkey://127.0.0.1:%d/seen" % server.port, "--shards", str(shards))
                with self.subTest(shards=shards):
                    client.ok("FLUSHALL")
                    self.assertIn("no filter", run("add", *to, keys=["a"], code=2))
                    self.assertIn("no filter", run("check", *to, keys=["a"], code=2))
                    out = run("build", *to, "--items", "1000", "--fpr", "0.1%", keys=range(5000))
                    self.assertIn("stored 5,000 keys", out.replace("4,999", "5,000"))
                    self.assertIn("exists already", run("build", *to, keys=["a"], code=2))
                    self.assertIn("4000 repeats", run("add", *to, keys=range(4000)).replace(",", ""))
                    found = run("check", *to, keys=range(5000)).split()
                    self.assertEqual(found, [str(key) for key in range(5000)])
                    self.assertEqual(run("check", "-c", "-v", *to, keys=range(5000), code=1).strip(), "0")
                    absent = int(run("check", "-c", *to, keys=("x%d" % i for i in range(20_000))).strip())
                    self.assertLess(absent, 60)
                    self.assertIn("removed 100 keys", run("remove", *to, keys=range(100)))
                    self.assertEqual(len(client.ok("KEYS", "*")), shards)
                    self.assertEqual(run("check", "-c", *to, keys=range(100, 5000)).strip(), "4900")
            self.assertEqual(client("CF.EXISTS", "seen:5:{3}", "4999") in (0, 1), True)
            # An input stands where the filter file would.
            path = os.path.join(server.folder, "keys.txt")
            with open(path, "w") as file:
                file.write("4999\n")
            self.assertEqual(run("check", *to, path).split(), ["4999"])
            self.assertIn("allowed are 1 to 16384", run("check", *to[:3], "0", keys=["a"], code=2))
            self.assertIn("valkey://HOST:PORT/KEY", run("check", "--server", "nowhere", keys=["a"], code=2))
            self.assertIn("of 1 replicas", run("add", *to, "--wait", "1", "--timeout", "1", keys=["a"], code=2))

    def test_a_cluster_that_loses_a_primary(self):
        nodes = start_cluster(replicas=2)
        try:
            to = ("--server", "valkey://127.0.0.1:%d/seen" % nodes[1].port, "--shards", "9", "--wait", "1")
            run("build", *to, "--items", "50000", keys=range(20_000))
            spread = []
            for node in nodes[:3]:
                with node.client() as client:
                    spread.append(len(client.ok("KEYS", "*")))
            self.assertEqual(spread, [3, 3, 3])
            # Keys in small calls while a primary dies: what a call that succeeded stored is never lost.
            acknowledged, failed, stop = list(range(20_000)), [], threading.Event()

            def add():
                batch = 0
                while not stop.is_set():
                    keys = ["%d:%d" % (batch, i) for i in range(500)]
                    done = subprocess.run(
                        [TOOL, "add", *to, "--timeout", "60"], input="\n".join(keys) + "\n", capture_output=True, text=True
                    )
                    if done.returncode == 0:
                        acknowledged.extend(keys)
                    else:
                        failed.append(done.stderr)
                    batch += 1

            thread = threading.Thread(target=add)
            thread.start()
            until(lambda: len(acknowledged) > 22_000, what="adding")
            nodes[0].kill()
            before = len(acknowledged)
            until(lambda: len(acknowledged) > before + 2_000, seconds=90, what="adding goes on after the failover")
            stop.set()
            thread.join()
            self.assertEqual(failed, [])
            found = run("check", "-c", *to[:-2], keys=acknowledged).strip()
            self.assertEqual(int(found), len(acknowledged))
        finally:
            for node in nodes:
                node.close()


if __name__ == "__main__":
    unittest.main()
