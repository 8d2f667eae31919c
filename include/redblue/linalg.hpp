// SPDX-License-Identifier: BSD-3-Clause
// Forwards to the headers that took its place; will be gone after release 0.1.
#pragma once

#include "redblue/gemm.hpp"            // IWYU pragma: export
#include "redblue/redistribution.hpp"  // IWYU pragma: export
