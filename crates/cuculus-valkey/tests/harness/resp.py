"""A client of the server's protocol that keeps the types of replies apart.

A reply is a Python value: str for a simple string, bytes for a bulk string, int, bool (RESP3), float (RESP3),
None, list, Map (RESP3), or Error.
"""
import socket


class Error(Exception):
    """An error reply; equal if the texts are equal."""

    def __eq__(self, other):
        return isinstance(other, Error) and self.args == other.args

    def __hash__(self):
        return hash(self.args)


class Map(list):
    """A RESP3 map: a list of pairs, in the order of the reply."""


class Closed(Exception):
    """The server has gone."""


def encode(args):
    out = [b"*%d\r\n" % len(args)]
    for arg in args:
        arg = arg if isinstance(arg, bytes) else str(arg).encode()
        out.append(b"$%d\r\n%s\r\n" % (len(arg), arg))
    return b"".join(out)


class Client:
    def __init__(self, port, proto=2, timeout=60):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        self.file = self.socket.makefile("rb")
        if proto == 3:
            self("HELLO", 3)

    def close(self):
        self.file.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __call__(self, *args):
        """Sends a command; an error reply is returned, not raised."""
        self.send(*args)
        return self.reply()

    def ok(self, *args):
        """Sends a command that must not fail."""
        reply = self(*args)
        if isinstance(reply, Error):
            raise AssertionError("%s: %s" % (args[:3], reply))
        return reply

    def send(self, *args):
        self.send_raw(encode(args))

    def send_raw(self, data):
        try:
            self.socket.sendall(data)
        except OSError as error:
            raise Closed from error

    def pipeline(self, commands):
        """Sends many commands at once and returns their replies."""
        commands = list(commands)
        self.send_raw(b"".join(encode(command) for command in commands))
        return [self.reply() for _ in commands]

    def reply(self):
        try:
            return self._reply()
        except OSError as error:
            raise Closed from error

    def _reply(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise Closed
        kind, rest = line[:1], line[1:-2]
        if kind == b"+":
            return rest.decode()
        if kind == b"-":
            return Error(rest.decode("utf-8", "replace"))
        if kind == b":":
            return int(rest)
        if kind in b"$=":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2]
        if kind in b"*~>":
            return None if rest == b"-1" else [self._reply() for _ in range(int(rest))]
        if kind == b"%":
            return Map([self._reply(), self._reply()] for _ in range(int(rest)))
        if kind == b"#":
            return rest == b"t"
        if kind == b",":
            return float(rest)
        if kind == b"_":
            return None
        raise Closed("unknown reply type %r" % kind)
