"""Whom the node believes, and what that lets them do."""
