# SPDX-License-Identifier: BSD-3-Clause
"""Leaves out parts of a program while its fault stays."""
from affine_programs.tree import Block


def bodies(nodes):
    yield nodes
    for node in nodes:
        for body in node.bodies():
            yield from bodies(body)


def attempts(program):
    """Each a change and its undoing: a node gone, or a block replaced by what is in it."""
    for body in list(bodies(program.body)):
        for place in range(len(body) - 1, -1, -1):
            node = body[place]
            yield body, place, []
            if isinstance(node, Block) and not node.head.startswith("for"):
                yield body, place, node.body


def reduce(program, same_fault):
    """Changes the program; `same_fault` asks whether what it is now is at fault still."""
    smaller = True
    while smaller:
        smaller = False
        for body, place, instead in attempts(program):
            before = body[:]
            body[place:place + 1] = instead
            if program.body and same_fault():
                smaller = True
                break
            body[:] = before
