# SPDX-License-Identifier: BSD-3-Clause
"""A region as a tree of loops, conditions and lines, so that parts of it can be left out."""


class Block:
    """A head and a body in braces; with a second body behind `else`."""

    def __init__(self, head, body, otherwise=None):
        self.head, self.body, self.otherwise = head, body, otherwise

    def lines(self):
        result = [f"{self.head} {{".lstrip()] + indented(self.body)
        if self.otherwise:
            result += ["} else {"] + indented(self.otherwise)
        return result + ["}"]

    def bodies(self):
        return [self.body] + ([self.otherwise] if self.otherwise else [])


class Line:
    def __init__(self, text):
        self.text = text

    def lines(self):
        return [self.text]

    def bodies(self):
        return []


def indented(nodes):
    return ["  " + line for node in nodes for line in node.lines()]
