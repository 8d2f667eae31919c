# SPDX-License-Identifier: BSD-3-Clause
"""pip's way to the Python package: the extension modules are built by CMake, from this checkout.

The environment: REDBLUE_CMAKE_ARGS, words for CMake (-DREDBLUE_LINALG=OFF leaves redblue.Matrix out); REDBLUE_BUILD_DIR, a
folder that is kept, so that a second build is quick; CMAKE_BUILD_PARALLEL_LEVEL, as CMake has it.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


def version():
    numbers = re.findall(r"define REDBLUE_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", (ROOT / "include/redblue/version.hpp").read_text())
    return ".".join(numbers)


class ByCMake(build_ext):
    """Both modules at once, into the package's folder."""

    def run(self):
        package = pathlib.Path(self.get_ext_fullpath("redblue._analysis")).resolve().parent
        build = pathlib.Path(os.environ.get("REDBLUE_BUILD_DIR") or pathlib.Path(self.build_temp) / "cmake").resolve()
        package.mkdir(parents=True, exist_ok=True)
        build.mkdir(parents=True, exist_ok=True)
        words = ["-DCMAKE_BUILD_TYPE=Release", "-DREDBLUE_CLI=OFF", "-DREDBLUE_SCALAPACK=OFF", "-DREDBLUE_WERROR=OFF",
                 "-DREDBLUE_PYTHON=ON", f"-DREDBLUE_PYTHON_OUTPUT={package}", f"-DPython3_EXECUTABLE={sys.executable}"]
        words += shlex.split(os.environ.get("REDBLUE_CMAKE_ARGS", ""))
        generator = ["-G", "Ninja"] if not (build / "CMakeCache.txt").exists() else []
        subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), *generator, *words], check=True)
        subprocess.run(["cmake", "--build", str(build), "--target", "redblue_python"], check=True)
        if not list(package.glob("_analysis*.so")):
            raise SystemExit("redblue: CMake built no Python module: install python3-dev and pybind11-dev, see above")


setup(version=version(), packages=["redblue"], package_dir={"": "python"}, package_data={"redblue": ["py.typed", "*.pyi"]},
      ext_modules=[Extension("redblue._analysis", sources=[])], cmdclass={"build_ext": ByCMake}, zip_safe=False)
