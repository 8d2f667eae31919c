// SPDX-License-Identifier: BSD-3-Clause
// Batches that ranks share although no whole number of their shares makes a batch.
#pragma once

namespace redblue::einsum {

// Lemma einsum.11: what the busiest rank receives at least, over y, where each forms `least` to
// `most` batches, `even` on average. 0 where ranks may form more than a batch or even shares are
// small.
double rounded_shares_bound(double least, double most, double even);

}  // namespace redblue::einsum
