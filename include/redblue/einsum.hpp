// SPDX-License-Identifier: BSD-3-Clause
// Einstein summations as redblue/analysis.hpp reads them.
#pragma once

#include <string>
#include <vector>

namespace redblue {

// How products of three operands or more, each read as one loop nest, can be written as chains of
// products with fewer loops, which move less: one sentence each. Throws Error where the text is no
// einsum.
std::vector<std::string> einsum_hints(const std::string& einsum);

}  // namespace redblue
