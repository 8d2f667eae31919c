// SPDX-License-Identifier: BSD-3-Clause
// What ranks receive because they divide the products of a box: docs/methods/einsum.md,
// Lemmas einsum.7 and einsum.8.
#pragma once

#include <optional>

#include "redblue/einsum_model.hpp"

namespace redblue::einsum {

// The index that all tensors have.
std::optional<std::size_t> batch_index(const EinsumShape& shape);

// Words for each rank, none of which forms more than `busiest` products. Different values of the
// batch share nothing.
double partition_bound(const EinsumShape& shape, int ranks, double busiest);

// Lemma einsum.7: lines that a set of the fraction x of a box shares with its complement, over y;
// the largest of the three is a bound.
double by_variance(double x);
double by_entropy(double x);
double by_entropy_of_others(double x);

// The weight y of Lemma einsum.7: elements of the tensors, shared out among the indices that they
// have not so that the index with the fewest has y. Without the batch.
double least_weight(const EinsumShape& shape, std::optional<std::size_t> batch);

}  // namespace redblue::einsum
