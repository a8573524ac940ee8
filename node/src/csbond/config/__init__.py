"""The home of an agent: its identity, its key, its settings, and the one process that runs it."""
