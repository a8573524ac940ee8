"""What tests share: requirements, the rule for skips, the places of the repository."""
