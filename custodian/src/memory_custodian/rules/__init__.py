"""The rules of Protocol 0.6: text and values in, text and values out; no disk, clock or randomness.

Values are made from `rules/value.py`: importing `dataclasses` alone costs more than `read` may take beyond the
interpreter.
"""
