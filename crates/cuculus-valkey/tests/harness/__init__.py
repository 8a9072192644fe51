"""What the tests of the module share: servers of their own and a client that sees reply types."""
