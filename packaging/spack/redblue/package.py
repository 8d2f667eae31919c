# SPDX-License-Identifier: BSD-3-Clause
# Copy the folder `redblue` into the `packages` folder of a Spack repository of yours.
from spack.package import *


class Redblue(CMakePackage):
    """Lower bounds on the data that programs move, schedules that come near them, and parallel
    dense linear algebra on MPI that meets them."""

    # A checkout: spack dev-build redblue@0.1.0, or `spack develop --path CHECKOUT redblue@0.1.0`.
    license("BSD-3-Clause")
    version("0.1.0")

    variant("analysis", default=True, description="Bounds, schedules and counts from source code")
    variant("linalg", default=True, description="Linear algebra on MPI, and ScaLAPACK's names")
    variant("shared", default=True, description="Shared libraries")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("tomlplusplus@3.3:")
    depends_on("cli11@2:", type="build")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    with when("+analysis"):
        depends_on("isl@0.25:")
        depends_on("ginac@1.7.8:")  # 1.8.4 is tested; older headers compile
        depends_on("boost@1.74:")
        depends_on("graphviz")
        depends_on("llvm@19 +clang", type=("build", "link", "run"))  # clang compiles what is counted
        depends_on("python@3.9:", type=("build", "run"))  # reads Python sources
    with when("+linalg"):
        depends_on("mpi@3:")
        depends_on("blas")
        depends_on("lapack")
        depends_on("scalapack", type=("link", "run"))

    def cmake_args(self):
        return [
            self.define_from_variant("REDBLUE_ANALYSIS", "analysis"),
            self.define_from_variant("REDBLUE_LINALG", "linalg"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("REDBLUE_WERROR", False),
        ]
