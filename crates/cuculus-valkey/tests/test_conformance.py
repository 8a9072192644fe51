"""Replays recorded calls and replies: what clients of CF.* expect, value and type.

A file has a case a line: id, protocol, commands, replies. An argument is a text, {"b64": ...}, {"rep":
[text, times]}, {"cat": [argument, ...]} or {"ref": [command, element...]}, a part of an earlier reply. A reply is {type: value}, with
the protocol's letter as type, or {"any"}, {"int": [least, most]}, {"re": ...} over its JSON, {"type": letter}.
A command "@until", pattern, command... is repeated until its reply matches.
"""
import base64
import json
import os
import re
import unittest

from harness.resp import Error, Map
from harness.servers import Server, until

FOLDER = os.path.join(os.path.dirname(__file__), "testdata")
RECORDED, MEANT = os.path.join(FOLDER, "conformance.jsonl"), os.path.join(FOLDER, "meant.jsonl")


def typed(reply):
    """A reply as the file writes it."""
    if isinstance(reply, Error):
        return {"-": str(reply)}
    if isinstance(reply, bool):
        return {"#": reply}
    if isinstance(reply, int):
        return {":": reply}
    if isinstance(reply, float):
        return {",": str(reply)}
    if isinstance(reply, str):
        return {"+": reply}
    if isinstance(reply, bytes):
        try:
            return {"$": reply.decode()}
        except UnicodeDecodeError:
            return {"$b64": base64.b64encode(reply).decode()}
    if isinstance(reply, Map):
        return {"%": [[typed(key), typed(value)] for key, value in reply]}
    if isinstance(reply, list):
        return {"*": [typed(element) for element in reply]}
    return {"$": None}


def argument(arg, replies):
    if not isinstance(arg, dict):
        return str(arg).encode()
    (how, what), = arg.items()
    if how == "b64":
        return base64.b64decode(what)
    if how == "rep":
        return what[0].encode() * what[1]
    if how == "cat":
        return b"".join(argument(part, replies) for part in what)
    reply = replies[what[0]]
    for element in what[1:]:
        reply = reply[element]
    return reply if isinstance(reply, bytes) else str(reply).encode()


def fits(expected, got):
    if isinstance(expected, dict):
        if "any" in expected:
            return True
        if "int" in expected:
            return ":" in got and expected["int"][0] <= got[":"] <= expected["int"][1]
        if "re" in expected:
            return re.search(expected["re"], json.dumps(got)) is not None
        if "type" in expected:
            return expected["type"] in got
        if set(expected) == {"_"}:
            return got == {"$": None}
        return expected.keys() == got.keys() and all(fits(expected[kind], got[kind]) for kind in expected)
    if isinstance(expected, list):
        return isinstance(got, list) and len(expected) == len(got) and all(map(fits, expected, got))
    return type(expected) is type(got) and expected == got


def replay(test, path):
    """Replays every case of a file; the number of cases."""
    number = 0
    with Server() as server, open(path) as cases:
        for case in map(json.loads, cases):
            with test.subTest(case["id"]), server.client() as admin, server.client(case["proto"]) as client:
                admin.ok("FLUSHALL")
                replies = []
                for command, expected in zip(case["cmds"], case["replies"]):
                    if command[0] == "@until":
                        pattern = re.compile(command[1].encode(), re.S)
                        until(lambda: pattern.search(client(*command[2:])), what=command[1])
                        replies.append("OK")
                        continue
                    replies.append(client(*(argument(arg, replies) for arg in command)))
                    got = typed(replies[-1])
                    test.assertTrue(fits(expected, got), "%s\nexpected %s\ngot %s" % (command, expected, got))
            number += 1
    return number


class Conformance(unittest.TestCase):
    def test_recorded_cases(self):
        self.assertEqual(replay(self, RECORDED), 135)

    def test_cases_answered_on_purpose_otherwise(self):
        """The recorded cases that depend on the original's table, its type name or its faults, with the replies meant here."""
        self.assertEqual(replay(self, MEANT), 63)


if __name__ == "__main__":
    unittest.main()
