// SPDX-License-Identifier: BSD-3-Clause
// The BLAS that programs which include <cblas.h> are linked with.
#pragma once

#include <string>
#include <vector>

namespace redblue::process {

// The linker's flags for the first library found: -lopenblas, what pkg-config says of cblas,
// -lcblas, -lblas. Throws Error where none has cblas_dgemm, or <cblas.h> is missing; `asked`: its
// subject.
std::vector<std::string> blas_flags(const std::string& asked);

}  // namespace redblue::process
