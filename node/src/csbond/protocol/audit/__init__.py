"""The record of what was done, why, and by whose authority: chained and signed."""
