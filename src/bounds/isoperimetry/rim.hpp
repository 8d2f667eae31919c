// SPDX-License-Identifier: BSD-3-Clause
// Bounds of stencils on small domains: what the instances at the rim of a domain lack, by the
// moves that a set is made to grow by (docs/methods/isoperimetry.md, Lemma 9).
#pragma once

#include <vector>

#include "bounds/bound.hpp"
#include "bounds/isoperimetry/stencils.hpp"
#include "dataflow/dependences.hpp"
#include "dataflow/step.hpp"

namespace redblue::bounds {

// What instances at the rim pay a word for, so that a set H of instances grows from its inner
// points E by moves out of D0 - D0 (Lemma 9): a missing reader (E has none of these), or each read
// they lack, of those that fewest lack (E has no outputs).
enum class PaidFor { readers, reads };

// A move has a price: so many instances of E it leads to places that no vertex stands for and
// nothing else pays for.
struct Rim {
  std::vector<dataflow::Vector> all, cheap;  // moves; 0 is among both
  std::vector<dataflow::Vector> one_way;     // 0 and the steps to places that are there or paid for
  double paid = 0;                           // words, for `cheap`
  double paid_more = 0;                      // words besides, for `all`
  double most = 0, most_more = 0;            // by one instance at most
};

// At complete sizes, of a stencil whose charge is 1; by reads with one memory only.
Rim rim(const std::vector<dataflow::FinalValues>& finals, const Stencil& stencil,
        const Sizes& sizes, PaidFor paid_for);

// Words that are moved at least, the best over both ways to pay and mixtures of `all` and `cheap`;
// 0 where steps lead through other statements, which the lemma leaves out.
double value_within_rim(const std::vector<dataflow::FinalValues>& finals, const Stencil& stencil,
                        const Sizes& sizes);

}  // namespace redblue::bounds
