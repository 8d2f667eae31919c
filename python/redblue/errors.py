# SPDX-License-Identifier: BSD-3-Clause
"""The one exception of redblue."""

from __future__ import annotations

from typing import Optional


class Error(ValueError):
    """Bad input, said in one line with the words of the command: what was asked, what was found, what would work.

    >>> import redblue
    >>> try:
    ...     redblue.bound("ij,jk->ik", {"S": 0})
    ... except redblue.Error as error:
    ...     print(error.asked)
    size S=0
    """

    def __init__(self, message: str, asked: str = "", found: str = "", remedy: str = "", least: Optional[int] = None):
        super().__init__(message)
        self.asked = asked      #: what was asked
        self.found = found      #: what was found
        self.remedy = remedy    #: what would work; empty: nobody knows
        self.least = least      #: the least amount that would have worked, where the remedy names one

    def __reduce__(self):
        return Error, (str(self), self.asked, self.found, self.remedy, self.least)


def error(asked: str, found: str, remedy: str = "") -> Error:
    """An Error from its parts."""
    return Error(f"{asked}: {found}" + (f"; {remedy}" if remedy else ""), asked, found, remedy)
