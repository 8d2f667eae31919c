# SPDX-License-Identifier: BSD-3-Clause
"""Translates one function of a file; arguments: FILE FUNCTION ('' for the only one) [TEXT..: instead of the file's]. Runs behind shapes.py, arrays.py and
translate.py, in one script with them.

Prints JSON: {"c": text, "function": name, "extents": {parameter: [array, dimension]}}, or {"line": number, "reason": text, "remedy": text}.
"""

import ast
import json
import os
import sys


def chosen(tree, wanted):
    functions = [n for n in tree.body if isinstance(n, ast.FunctionDef)]
    if wanted:
        for f in functions:
            if f.name == wanted:
                return f
        raise Unsupported(None, f"no function '{wanted}'", "the file defines " + ", ".join(f.name for f in functions))
    if len(functions) > 1:
        raise Unsupported(functions[1], "several functions",
                          "choose one of " + ", ".join(f.name for f in functions) + " with --function")
    return functions[0] if functions else None


def content(path):
    with open(path, encoding="utf-8") as source:
        return source.read()


def main(path, wanted, *pieces):
    translation = None
    try:
        tree = ast.parse(os.fsencode("".join(pieces)).decode("utf-8") if pieces else content(path), path)
        function = chosen(tree, wanted)
        if function is None:
            if not tree.body:
                raise Unsupported(None, "nothing to analyse", "write a loop nest")
            translation = Translation(tree.body, None, "program")
        else:
            translation = Translation(function.body, [a.arg for a in function.args.args], function.name)
        text = translation.text(path)
        return {"c": text, "function": translation.name,
                "extents": {name: list(extent) for extent, name in translation.extents.items()}}
    except SyntaxError as e:
        return {"line": e.lineno or 1, "reason": f"this Python has a syntax error: {e.msg}", "remedy": ""}
    except Unsupported as e:
        return {"line": e.line, "reason": e.reason, "remedy": e.remedy}
    except (OSError, UnicodeDecodeError, ValueError) as e:
        return {"line": 0, "reason": f"cannot be read: {e}", "remedy": "give the path of a Python file"}
    except (RecursionError, MemoryError):
        return {"line": 1, "reason": "nested too deeply", "remedy": "split it"}
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError) as e:
        line = translation.line if translation else 1
        return {"line": line, "reason": f"this is not understood ({e})", "remedy": "write the statement as loops"}


print(json.dumps(main(*sys.argv[1:])))
