// SPDX-License-Identifier: BSD-3-Clause
// Ratio bisections: p ranks are split in two, and one side of the box in proportion, down to one
// rank. All ranks work, whatever their number.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "decomposition/cut_search.hpp"
#include "redblue/einsum_model.hpp"

namespace redblue::einsum {

// The best bisection a branch-and-bound search finds within a fixed number of steps (so the answer
// is the same everywhere), of those in which no rank forms more than `most_work` products; nothing
// where it meets none. `kept`: indices that are not cut.
std::optional<EinsumDecomposition> searched_bisection(const EinsumShape& shape, int ranks,
                                                      double most_work, Measure measure,
                                                      const std::vector<std::size_t>& kept = {});

// Those that cut an index into slabs of about as many ranks each, these along further indices in
// the same way, and, where that is better, into slabs of different numbers of ranks: a search of
// fewer steps, which looks further away from halves. None where it meets none.
std::vector<EinsumDecomposition> layered_bisections(const EinsumShape& shape, int ranks,
                                                    double most_work);

// Whether there is one for up to 256 ranks; false for multiplications of matrices, which
// choose_gemm says how even to make.
bool is_bisected(const EinsumShape& shape, int ranks, double most_work);

// Those for up to 256 ranks, and choose_gemm's where the summation is a multiplication of matrices.
std::vector<EinsumDecomposition> bisections(const EinsumPlanRequest& request, double most_work);

}  // namespace redblue::einsum
