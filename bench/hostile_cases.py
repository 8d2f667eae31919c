# SPDX-License-Identifier: BSD-3-Clause
"""Requests to redblue serve that mean no good: the n-th is the same every time."""
import json
import random

KERNEL = "void f(int N, double A[N][N], double B[N]) {\n  for (int i = 0; i < N; i++)\n    for (int j = 0; j < N; j++)\n      B[i] += A[i][j];\n}\n"
PYTHON = "def f(N, A, B):\n    for i in range(N):\n        for j in range(N):\n            B[i] += A[i, j]\n"
SCRIPTS = ["<script>document.title='owned'</script>", "<img src=x onerror=\"document.title='owned'\">", "<svg onload=document.title='owned'>",
           "</code></pre><script>document.title='owned'</script>", "\"><script>window.owned=1</script>", "'+alert(1)+'", "javascript:alert(1)",
           "<iframe srcdoc=\"<script>parent.document.title='owned'</script>\">", "</title><script>document.title='owned'</script>",
           "<math><mtext></table><mglyph><style><img src onerror=document.title='owned'>", "${document.title='owned'}", "{{constructor.constructor('document.title=1')()}}",
           "<a href=javascript:document.title='owned'>x</a>", "]]><script>document.title='owned'</script>", "--><script>document.title='owned'</script>",
           "\u2028document.title='owned'\u2029", "\u202e<script>", "<base href=//evil.example>", "<form action=//evil.example><input name=q>", "&lt;script&gt;"]
NUMBERS = ["0", "-1", "1", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "99999999999999999999999999", "1e18", "1e99", "1.5",
           "0x10", "NaN", "inf", "", " ", "N", "1e", "--3", "1000000000", "4294967296", "1_000"]
FILES = ["/etc/passwd", "/proc/self/environ", "/proc/self/cmdline", "/dev/zero", "/dev/stdin", "/etc/hostname", "../../../../etc/passwd",
         "/proc/self/fd/0", "/dev/tty", "//etc//passwd", "/root/.ssh/id_rsa", "/usr/include/stdio.h"]
INCLUDES = ['#include "{0}"', "#include <{0}>", '# /* */ include "{0}"', '%:include "{0}"', '??=include "{0}"', '#inc\\\nlude "{0}"', '#\\\ninclude "{0}"',
            '#include\\\n"{0}"', '#define X "{0}"\n#include X', "#define X <{0}>\n#include X", '#include_next "{0}"', '#import "{0}"', "#include <../..{0}>",
            '#include "/usr/include/../..{0}"', 'const char s[] = {{\n#embed "{0}"\n}};', 'const char s[] = {{\n#embed <{0}> limit(40)\n}};',
            '#if __has_include("{0}")\n#error there is one\n#endif', '#if __has_embed("{0}")\n#error there is one\n#endif',
            '_Pragma("include_alias(\\"x\\", \\"{0}\\")")\n#include "x"', '#pragma GCC dependency "{0}"', '#pragma clang module load "{0}"',
            'asm(".incbin \\"{0}\\"");', '#line 1 "{0}"\n#error here', '#include "{0}" // <math.h>', '/**/ #include "{0}"', '#if 1\n#include "{0}"\n#endif',
            '#define CAT(a, b) a##b\nCAT(#, include) "{0}"', '#include STR({0})', '\ufeff#include "{0}"', "#include <math.h>\n#include \"{0}\"",
            '#  include   "{0}"', '#ident "{0}"\n#include "{0}"', '#pragma push_macro("x")\n#include_next <{0}>', 'module;\n#include "{0}"\nimport <{0}>;',
            'import "{0}";', '@import {0};', '__asm__(".include \\"{0}\\"");', '#include "file://{0}"', '#include "\\{0}"', '#pragma GCC pch_preprocess "{0}"',
            '#pragma comment(lib, "{0}")\n#include "./{0}"', '#include <math.h{0}>', '#warning x\n#include "/redblue-headers/../{0}"']
ENDLESS_C = ["void f(void) { while (1) ; }", "void f(int N) { for (;;) N++; }", "void f(int N, double *A) { for (int i = 0; i < N; i += 0) A[i] = 1; }",
             "void f(int N, double *A) { for (unsigned i = 0; i >= 0; i++) A[i] = 1; }", "double f(int n) { return f(n) + f(n); }",
             "void f(int N, double *A) { l: A[0] += 1; goto l; }", "int g(int); int f(int n) { return g(n); } int g(int n) { return f(n); }"]
ENDLESS_CPP = ["constexpr int g(int n) { while (true) n++; return n; }\nstatic_assert(g(1));\n", "template <int n> struct T { static constexpr int v = T<n + 1>::v; }; int x = T<0>::v;",
               "template <class A> struct P { P<P<A>> *operator->(); }; int x = P<int>()->y;", "template <int n> struct F { static constexpr int v = F<n-1>::v + F<n-2>::v; }; int x = F<900>::v;",
               "template <class... T> void h(T... t) { h(t..., 1); } void f() { h(1); }", "constexpr int g(int n) { return n < 2 ? n : g(n-1) + g(n-2); }\nconstexpr int x = g(60);",
               "auto f = [](auto self) { return self(self); }; int x = f(f);", "template <class T> concept C = requires(T t) { requires C<T>; }; static_assert(C<int>);"]
PYTHONS = ["__import__('os').system('touch {0}')", "import os; os.system('touch {0}')", "open('{0}', 'w').write('x')", "exec(open('/etc/passwd').read())", "while True: pass",
           "x = 10 ** 10 ** 10", "def f(N, A):\n    for i in range(10 ** 10 ** 10):\n        A[i] = 1", "@__import__('os').system\ndef f(N, A):\n    for i in range(N):\n        A[i] = 1",
           "def f(N, A=open('{0}', 'w')):\n    for i in range(N):\n        A[i] = 1", "# coding: rot13\nvzcbeg bf", "def f(N, A):\n    for i in range(eval('1')):\n        A[i] = 1",
           "def f(N, A):\n    for i in range(len(open('/etc/passwd').read())):\n        A[i] = 1", "class A:\n    x = open('{0}', 'w')", "(lambda: open('{0}', 'w'))()",
           "[x for x in iter(int, 1)]", "def f(N, A):\n    for i in range(N):\n        A[i] = f'{{__import__(\"os\").system(\"touch {0}\")}}'", "def f(n):\n    return f(n)",
           "def f(N, A):\n    for i in range(N):\n        A[i] = 'a' * 10 ** 9", "import numpy\ndef f(N):\n    A = numpy.zeros((10**9, 10**9))\n    for i in range(N):\n        A[i, i] = 1"]
DEEP = [("c", "void f(int N, double *A) { for (int i = 0; i < N; i++) A[i] = ", "(", "1", ")", "; }"), ("c", "void f(int N, double *A) ", "{", "A[0] = 1;", "}", ""),
        ("c", "void f(int N, double *A) { A[0] = ", "-", "1", "", "; }"), ("c", "void f(int N, double *A) { ", "if (N > 0) ", "A[0] = 1;", "", " }"),
        ("c", "void f(int N, double *A) { ", "for (int i = 0; i < N; i++) ", "A[0] += 1;", "", " }"), ("c", "int x", "[1]", "", "", ";"),
        ("c++", "int x = ", "[]{ return ", "1", "; }()", ";"), ("c++", "", "namespace a {", "", "}", ""), ("c++", "std::", "x<", "int", ">", " y;"),
        ("python", "x = ", "(", "1", ")", ""), ("python", "x = ", "[", "1", "]", ""), ("python", "x = ", "not ", "1", "", ""), ("python", "x = ", "-", "1", "", ""),
        ("python", "x = a", "[a", "", "]", ""), ("python", "x = 1", " + 1", "", "", ""), ("einsum", "", "ij,", "ij", "", "->ij"), ("einsum", "", "(", "i", ")", "->i")]


def exploding(rng):
    depth, width = rng.choice([(12, 12), (30, 2), (9, 30), (25, 4)])
    text = "#define M0 B[i] += 1;\n" if rng.random() < 0.5 else "#define M0 x\n"
    for d in range(1, depth + 1):
        text += f"#define M{d} " + f"M{d - 1} " * width + "\n"
    return text + f"void f(int N, double B[N]) {{\n  for (int i = 0; i < N; i++) {{ M{depth} }}\n}}\n"


def include(rng, canary):
    directive = rng.choice(INCLUDES).format(rng.choice([*FILES, canary, canary, canary]))
    return rng.choice([directive + "\n" + KERNEL, KERNEL.replace("B[i] +=", "\n" + directive + "\nB[i] +="), KERNEL + "\n" + directive])


def request(language, source, sizes="N=40,S=256", function=""):
    return json.dumps({"language": language, "source": source, "set": sizes, "function": function}).encode()


def script(rng):
    """A script in a name, a size, a comment, a string, the language, the key."""
    text = rng.choice(SCRIPTS)
    kind = rng.randrange(9)
    if kind == 0:
        return request("c", KERNEL, text)
    if kind == 1:
        return request("c", KERNEL, f"{text}=40,S=256")
    if kind == 2:
        return request("c", KERNEL, function=text)
    if kind == 3:
        return request("c", f"/* {text} */\n// {text}\n" + KERNEL.replace("B[i] +=", f"/* {text} */ B[i] +="))
    if kind == 4:
        return request("c", f"#line 3 \"{text}\"\n" + KERNEL)
    if kind == 5:
        return request("python", f"\"\"\"{text}\"\"\"\n" + PYTHON.replace("B[i] +=", f"B[i] +=  # {text}\n               "))
    if kind == 6:
        return request(text, KERNEL)
    if kind == 7:
        return request("einsum", text)
    return request("c", f"#error {text}\n" + KERNEL)


def broken_text(rng):
    """Bytes that are no text, and JSON that is none."""
    kind = rng.randrange(8)
    if kind == 0:
        return request("c", KERNEL.replace("N", "N\0", 1))
    if kind == 1:
        return request("c", KERNEL).replace(b"double", b"dou\xff\xfe\xc0ble", 1)
    if kind == 2:
        return request("c", KERNEL).replace(b"double", b"\\ud800ble", 1)
    if kind == 3:
        return request("python", PYTHON.replace("B", "B\x1b[2J\x07", 1))
    if kind == 4:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(1, 2000)))
    if kind == 5:
        return rng.choice([b"", b"{}", b"[]", b"null", b"1", b"[" * 100_000, b'{"a":' * 50_000, b'{"language":"c","source":1}', b'{"language":{},"source":"x"}',
                           b'{"language":"c","source":"x","set":[1]}', b'{"language":"fortran","source":"x"}', b'{"language":"c"}', b'"' * 70_000])
    if kind == 6:
        return request(rng.choice(["c", "c++", "python", "einsum"]), "".join(chr(rng.choice([0x202E, 0xFEFF, 0x1F600, 0x0301, 0x10FFFF, 0x41, 0x7B, 0x7D, 0x28])) for _ in range(500)))
    return request("c", KERNEL.replace("A", "\U0001f4a9\u0301"))


def numbers(rng):
    sizes = ",".join(f"{name}={rng.choice(NUMBERS)}" for name in rng.sample(["N", "S", "M", "N", "T"], rng.randrange(1, 4)))
    literal = rng.choice(NUMBERS + ["9" * 5000, "1" + "0" * 400 + ".0"])
    source = rng.choice([KERNEL, KERNEL.replace("j < N", f"j < {literal}"), KERNEL.replace("A[i][j]", f"A[i][{literal}]"), KERNEL.replace("int j = 0", f"int j = {literal}")])
    return rng.choice([request("c", source, sizes), request("c", source), request("python", PYTHON.replace("range(N)", f"range({literal or 0})"), sizes),
                       request("einsum", "ij,jk->ik", f"Ni={rng.choice(NUMBERS)},Nj=10,Nk=10,S={rng.choice(NUMBERS)}")])


def large(rng):
    megabytes = rng.choice([0.2, 0.25, 1, 10, 10, 10])
    piece = rng.choice([KERNEL, "/* x */", "A", "(", "#define x y\n", "double x;\n", "\n", " ", "B[0] += 1;", "\\\n"])
    return request(rng.choice(["c", "c++", "python", "einsum"]), piece * int(megabytes * 1e6 / len(piece)))


def deep(rng):
    language, begin, opened, inner, closed, end = rng.choice(DEEP)
    depth = rng.choice([20, 200, 1000, 5000, 20000])
    return request(language, begin + opened * depth + inner + closed * depth + end)


def changed(rng):
    """A kernel with some bytes of it changed."""
    language, text = rng.choice([("c", KERNEL), ("c++", KERNEL), ("python", PYTHON), ("einsum", "ij,jk->ik")])
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(["", "{", "}", "(", ")", "[", "#", "\"", "'", "/*", "*", "<", "&", ";", "for", "N", "0", "\\", "\n", "%:", "??/", "->"]) + text[at + rng.randrange(3):]
    return request(language, text)


def case(number, canary, touched):
    """(kind, body). `canary`: a file that must not be opened; `touched`: one that must not be made."""
    rng = random.Random(number)
    kinds = [("include", 30), ("script", 18), ("text", 9), ("number", 10), ("changed", 9), ("deep", 8), ("endless", 6), ("macro", 3), ("python", 5), ("large", 2)]
    kind = rng.choices([k for k, _ in kinds], [w for _, w in kinds])[0]
    if kind == "include":
        return kind, request(rng.choice(["c", "c", "c++"]), include(rng, canary))
    if kind == "endless":
        language = rng.choice(["c", "c++"])
        return kind, request(language, rng.choice(ENDLESS_C) + "\n" if language == "c" else rng.choice(ENDLESS_CPP) + "\n" + rng.choice(["", KERNEL]))
    if kind == "macro":
        return kind, request("c", exploding(rng))
    if kind == "python":
        return kind, request("python", rng.choice(PYTHONS).format(touched) + "\n" + rng.choice(["", PYTHON]))
    return kind, {"script": script, "text": broken_text, "number": numbers, "changed": changed, "deep": deep, "large": large}[kind](rng)
