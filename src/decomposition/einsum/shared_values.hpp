// SPDX-License-Identifier: BSD-3-Clause
// Values of an index that no rank has whole: how ranks share them where no grid fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "redblue/einsum_model.hpp"

namespace redblue::einsum {

using Boxes = std::vector<std::vector<EinsumBox>>;  // of every rank, in every round

// Some values of an index and the ranks that share them, none of which forms more than the fraction
// `most` of a value's products.
struct SharedValues {
  std::size_t index = 0;
  std::int64_t values = 0;
  int ranks = 0;
  double most = 1;
};

std::vector<Range> whole_box(const EinsumShape& shape);

// Elements of the tensors without an index: what a cut along it shares.
double elements_without(const EinsumShape& shape, std::size_t index);

// What is left of each value when the ranks that have most of it took their part: a box, and the
// index along which it is cut where ranks share it.
struct Remainder {
  std::vector<Range> box;
  std::size_t along = 0;
};

// The remainders of the values, one after another, go to the ranks from `rank` on.
void share_out(const SharedValues& group, const Remainder& left, std::size_t rank, Boxes& of_rank);

// `times` groups of ranks alike, each with values of its own.
Boxes repeated(const Boxes& one, const SharedValues& group, int times);

// Each value is cut into parts of a rank each and a slab, or a corner along two indices, that is
// left; these, one after another, go to the ranks that are left. `sum`: the result, whose elements
// no two boxes of a rank may share.
std::vector<Boxes> in_slabs_and_corners(const EinsumShape& shape, const SharedValues& shared,
                                        const EinsumTensor& sum);

// The same with parts that bisections make, of which one ends in the box or the corner (along three
// indices) that is left. Those whose ranks receive least on average.
std::vector<Boxes> in_parts_and_rests(const EinsumShape& shape, const SharedValues& shared,
                                      const EinsumTensor& sum);

// Fewer than two ranks per value: two ranks halve a value, but for some values that one rank each
// has most of; the slab that is left of these is cut among ranks that have a little less than half
// of another. Those whose ranks receive least on average.
std::vector<Boxes> in_pairs(const EinsumShape& shape, const SharedValues& shared);

}  // namespace redblue::einsum
