"""Three primaries with a replica each on loopback: keys on all of them, slots that move, a primary that dies."""
import time
import unittest

from harness.resp import Error
from harness.servers import Server, digest, until

SLOTS = 16384


def start_cluster(primaries=3, replicas=1):
    """A cluster of empty nodes, in the order: primaries, then the replicas of each."""
    options = ["cluster-enabled yes", "cluster-node-timeout 1500", "appendonly yes", "cluster-replica-no-failover no"]
    options[-1:] = ["cluster-replica-validity-factor 0"]
    nodes = [Server(*options) for _ in range(primaries * (1 + replicas))]
    clients = [node.client() for node in nodes]
    for number, client in enumerate(clients):
        client.ok("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        client.ok("CLUSTER", "MEET", "127.0.0.1", nodes[0].port)
    for number in range(primaries):
        first, end = SLOTS * number // primaries, SLOTS * (number + 1) // primaries
        clients[number].ok("CLUSTER", "ADDSLOTSRANGE", first, end - 1)
    known = lambda client: client.ok("CLUSTER", "NODES").count(b"connected")
    until(lambda: all(known(client) == len(nodes) for client in clients), what="nodes meet")
    for number, client in enumerate(clients[primaries:]):
        primary = clients[number % primaries].ok("CLUSTER", "MYID")
        until(lambda: client("CLUSTER", "REPLICATE", primary) == "OK", what="replicas follow")
    healthy = lambda client: b"cluster_state:ok" in client.ok("CLUSTER", "INFO")
    until(lambda: all(map(healthy, clients)), what="the cluster is up")
    up = lambda client: b"master_link_status:up" in client.ok("INFO", "replication")
    until(lambda: all(map(up, clients[primaries:])), what="replicas are in step")
    for client in clients:
        client.close()
    return nodes


class Cluster(unittest.TestCase):
    def setUp(self):
        self.nodes = start_cluster()

    def tearDown(self):
        for node in self.nodes:
            node.close()

    def owner(self, key):
        for node in self.nodes:
            if node.is_alive():
                with node.client() as client:
                    if not isinstance(client("CF.CARD", key), Error):
                        return node

    def test_failover(self):
        items = list(range(2000))
        keys = ["filter:{%d}" % number for number in range(12)]
        for key in keys:
            with self.owner(key).client() as client:
                client.ok("CF.INSERT", key, "ITEMS", *items)
                self.assertEqual(client.ok("WAIT", 1, 5000), 1)
        self.nodes[0].kill()
        until(lambda: all(self.owner(key) for key in keys), what="failover")
        for key in keys:
            with self.owner(key).client() as client:
                self.assertEqual(client.ok("CF.MEXISTS", key, *items), [1] * len(items))
                self.assertEqual(client.ok("CF.ADD", key, "after"), 1)

    def test_migration_of_keys(self):
        """MIGRATE ships the payload of DUMP; the digest stays."""
        source, target = self.nodes[0], self.nodes[1]
        with source.client() as client, target.client() as other:
            key = next(k for k in ("k{%d}" % i for i in range(1000)) if client.ok("CLUSTER", "KEYSLOT", k) < SLOTS // 3)
            slot = client.ok("CLUSTER", "KEYSLOT", key)
            client.ok("CF.INSERT", key, "ITEMS", *range(5000))
            before = digest(source, key)
            other.ok("CLUSTER", "SETSLOT", slot, "IMPORTING", client.ok("CLUSTER", "MYID"))
            client.ok("CLUSTER", "SETSLOT", slot, "MIGRATING", other.ok("CLUSTER", "MYID"))
            self.assertEqual(client.ok("MIGRATE", "127.0.0.1", target.port, key, 0, 20000), "OK")
            for node in (other, client):
                node.ok("CLUSTER", "SETSLOT", slot, "NODE", other.ok("CLUSTER", "MYID"))
            self.assertEqual(digest(target, key), before)
            self.assertEqual(other.ok("CF.MEXISTS", key, *range(5000)), [1] * 5000)

    def test_atomic_slot_migration(self):
        """Valkey 9 ships keys through the AOF rewrite's commands."""
        source, target = self.nodes[0], self.nodes[1]
        with source.client() as client, target.client() as other:
            if isinstance(client("CLUSTER", "GETSLOTMIGRATIONS"), Error):
                return
            key = next(k for k in ("k{%d}" % i for i in range(1000)) if client.ok("CLUSTER", "KEYSLOT", k) < SLOTS // 3)
            slot = client.ok("CLUSTER", "KEYSLOT", key)
            client.ok("CF.INSERT", key, "ITEMS", *range(5000))
            client.ok("CF.RESERVE", key + "large", 1_500_000, "EXPANSION", 0) if "}" not in key[-1] else None
            before = digest(source, key)
            client.ok("CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", slot, slot, "NODE", other.ok("CLUSTER", "MYID"))
            until(lambda: not isinstance(other("CF.CARD", key), Error), what="migration")
            self.assertEqual(digest(target, key), before)
            self.assertEqual(other.ok("CF.MEXISTS", key, *range(5000)), [1] * 5000)


if __name__ == "__main__":
    unittest.main()
