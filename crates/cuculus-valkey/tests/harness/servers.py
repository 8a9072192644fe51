"""Servers with the module, on free ports, in folders of their own; all are ended when the process ends.

The environment says which: CUCULUS_MODULE is the library, CUCULUS_SERVER the program.
"""
import atexit
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from .resp import Client, Closed

MODULE = os.environ["CUCULUS_MODULE"]
PROGRAM = os.environ["CUCULUS_SERVER"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    # A cluster node takes port + 10,000 as well.
    return port if port < 50_000 else free_port()


class Server:
    """One server process. `options` are lines of its configuration, `settings` those of the module."""

    running = set()

    def __init__(self, *options, module=True, **settings):
        self.folder = tempfile.mkdtemp(prefix="cuculus-server-")
        self.options, self.settings, self.module = list(options), settings, module
        self.port = free_port()
        self.process = None
        self.start()

    def start(self):
        lines = [
            "port %d" % self.port,
            "bind 127.0.0.1",
            "dir %s" % self.folder,
            'save ""',
            "logfile server.log",
            "enable-debug-command yes",
            "repl-diskless-sync-delay 0",
            *self.options,
        ]
        if self.module:
            lines.append("loadmodule %s" % MODULE)
            lines += ["cuculus.%s %s" % (name.replace("_", "-"), value) for name, value in self.settings.items()]
        with open(os.path.join(self.folder, "server.conf"), "w") as conf:
            conf.write("\n".join(lines) + "\n")
        self.process = subprocess.Popen(
            [PROGRAM, "server.conf"], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        Server.running.add(self)
        end = time.time() + 60
        while True:
            try:
                with Client(self.port) as client:
                    if client("PING") == "PONG":
                        return
            except (OSError, Closed):
                pass
            if self.process.poll() is not None or time.time() > end:
                raise AssertionError("the server did not start:\n" + self.log()[-3000:])
            time.sleep(0.02)

    def log(self):
        try:
            with open(os.path.join(self.folder, "server.log"), errors="replace") as log:
                return log.read()
        except OSError:
            return ""

    def client(self, proto=2, timeout=60):
        return Client(self.port, proto, timeout)

    def kill(self):
        """As a crash."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """In order, saving nothing that the configuration does not save."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()

    def restart(self):
        self.stop()
        self.start()

    def close(self):
        self.kill()
        Server.running.discard(self)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def is_alive(self):
        return self.process.poll() is None

    def cpu_seconds(self):
        """Processor time of the server's main thread so far."""
        with open("/proc/%d/schedstat" % self.process.pid) as schedstat:
            return int(schedstat.read().split()[0]) / 1e9

    def resident_bytes(self):
        with open("/proc/%d/statm" % self.process.pid) as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@atexit.register
def end_all():
    for server in list(Server.running):
        server.close()


def until(condition, seconds=30, what="condition"):
    """Waits until `condition()` is true, and returns its value."""
    end = time.time() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.time() > end:
            raise AssertionError("not in %d s: %s" % (seconds, what))
        time.sleep(0.02)


def replicate(primary, replica):
    """Makes `replica` follow `primary`, and waits until it does."""
    with replica.client() as client:
        client.ok("REPLICAOF", "127.0.0.1", primary.port)
        until(lambda: b"master_link_status:up" in client("INFO", "replication"), what="replication")


def in_step(primary, replica):
    """Waits until everything written to `primary` is on `replica`."""
    with primary.client() as first, replica.client() as second:
        offset = lambda info, field: int(info.split(field)[1].split(b"\r\n")[0])

        def same():
            there = offset(first("INFO", "replication"), b"master_repl_offset:")
            return offset(second("INFO", "replication"), b"slave_repl_offset:") >= there

        until(same, what="the replica catches up")


def digest(server, *keys):
    """The server's digest of values."""
    with server.client() as client:
        return client.ok("DEBUG", "DIGEST-VALUE", *keys)
