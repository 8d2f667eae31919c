// SPDX-License-Identifier: BSD-3-Clause
// Forwards to the headers that took its place; will be gone after release 0.1.
#pragma once

#include "redblue/gemm_model.hpp"  // IWYU pragma: export
#include "redblue/machine.hpp"     // IWYU pragma: export
