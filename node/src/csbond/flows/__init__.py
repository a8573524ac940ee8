"""The stories: one file is one thing that can happen. They decide nothing and read no byte."""
