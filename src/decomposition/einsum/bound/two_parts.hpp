// SPDX-License-Identifier: BSD-3-Clause
// What two ranks receive that share products of a large tensor with matrices (MTTKRP):
// docs/methods/einsum.md, Lemma einsum.10.
#pragma once

#include "redblue/einsum_model.hpp"

namespace redblue::einsum {

// Words for each of two ranks, none of which forms more than `busiest` products. 0 where no tensor
// has all indices but one.
double two_parts_bound(const EinsumShape& shape, double busiest);

}  // namespace redblue::einsum
