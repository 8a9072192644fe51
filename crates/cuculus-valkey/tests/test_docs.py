"""Every example of docs/valkey.md answers what stands there; `...` stands for anything."""
import os
import re
import shlex
import unittest

from harness.resp import Error
from harness.servers import Server

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "docs", "valkey.md")


def shown(reply):
    """A reply as the server's command line prints it."""
    if isinstance(reply, Error):
        return ["(error) %s" % reply]
    if isinstance(reply, int):
        return ["(integer) %d" % reply]
    if isinstance(reply, bytes):
        return ['"%s"' % reply.decode()]
    if isinstance(reply, list):
        width = len(str(len(reply)))
        lines = []
        for number, element in enumerate(reply, 1):
            # What a map calls its fields are simple strings, which are printed as others here.
            element = element.encode() if isinstance(element, str) else element
            lines += ["%*d) %s" % (width, number, line) for line in shown(element)]
        return lines
    return ["(nil)"] if reply is None else [reply]


class Docs(unittest.TestCase):
    def test_examples(self):
        with open(DOCS) as file:
            blocks = [block for block in re.findall(r"```\n(.*?)```", file.read(), re.S) if block.startswith("> ")]
        examples = 0
        with Server() as server, server.client() as client:
            for example in re.findall(r"> (.*)\n((?:(?!> ).*\n)*)", "".join(blocks)):
                command, expected = example[0], example[1].splitlines()
                got = shown(client(*shlex.split(command)))
                self.assertEqual(len(got), len(expected), (command, got))
                for line, pattern in zip(got, expected):
                    pattern = ".*".join(map(re.escape, pattern.split("...")))
                    self.assertRegex(line, "^%s$" % pattern, command)
                examples += 1
        self.assertGreater(examples, 25)

    def test_every_command_and_setting_has_its_place(self):
        with open(DOCS) as file:
            text = file.read()
        with Server() as server, server.client() as client:
            for name in client.ok("COMMAND", "LIST", "FILTERBY", "MODULE", "cuculus"):
                self.assertRegex(text, r"###.*%s" % re.escape(name.decode().upper()))
            for name in client.ok("CONFIG", "GET", "cuculus.*")[::2]:
                self.assertIn("| `%s` |" % name.decode().split(".")[1], text)


if __name__ == "__main__":
    unittest.main()
