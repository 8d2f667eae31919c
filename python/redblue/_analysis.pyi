# SPDX-License-Identifier: BSD-3-Clause
# The extension module's functions take and give texts and numbers; the package's own modules have the types that matter.
from typing import Any

def __getattr__(name: str) -> Any: ...
