// SPDX-License-Identifier: BSD-3-Clause
// Batches that ranks share although no whole number of their shares makes a batch.
#pragma once

#include "redblue/einsum_model.hpp"

namespace redblue::einsum {

// Lemma einsum.11: what the busiest rank receives at least, over y, where each forms `least` to
// `most` batches, `even` on average. 0 where a rank has small parts of batches only, or many ways
// to have what it forms.
double rounded_shares_bound(double least, double most, double even);

// The same in words, where no rank forms more than `busiest` products of the summation, which is
// one batch where no index stands in all tensors.
double rounded_shares_bound(const EinsumShape& shape, int ranks, double busiest);

}  // namespace redblue::einsum
