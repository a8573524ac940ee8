"""Conversations that go on: threads, sessions and the window of what is still in mind."""
