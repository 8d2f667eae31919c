// SPDX-License-Identifier: BSD-3-Clause
// Two statements that read each element of one array from two sides, as symm's two sums over
// A[i][k] do: one beside B[i], one beside B[k].
//
// Alike statements s and t share the values of A and of B (disjoint_sum); each follows chains, one
// place of B after the other on one line of B. A segment that computes n instances with a values of
// A, b of B and on x runs of consecutive instances of chains (with one memory: one run of each
// chain it touches) has n <= sqrt(2 a) (b + x) / 2, as sets of both may use a value of A twice.
// Less where both uses lie D or more places of B apart, and where those that lie nearer count
// 1 / sqrt(2) each:
//     n <= h(rho) sqrt(a) (b + x) / 2,   rho = (D - 1) / sqrt(a),
//     h(rho) = max(1, 4 u / (2 + u^2)),  u = rho + sqrt(2);  1 from rho = 2 on.
// Proof: docs/methods/symmetric_product.md, Lemmas 1 to 4.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "bounds/bound.hpp"
#include "bounds/roles.hpp"
#include "program/count.hpp"

namespace redblue::bounds {

struct SymmetricProduct {
  // How many instances of the first statement share a value with one of the second less than
  // some distance away: a further parameter of the count, bounds::distance_parameter.
  program::Count near;
};

// `shared`: roles of `first` -> of `second`, with their values in common; the HBL problems are
// theirs. nullopt where the statements are not as above; where it gives up, that is noted for
// `sizes`.
std::optional<SymmetricProduct> symmetric_product(const Roles& first, const HblProblem& first_hbl,
                                                  const Roles& second, const HblProblem& second_hbl,
                                                  const std::map<std::size_t, std::size_t>& shared,
                                                  const Sizes& sizes);

// Whether the two values are one function of the iterators with p and q exchanged.
bool is_mirror(const isl::map& first, const isl::map& second, int p, int q);

// Of a statement with C[i][j] along k, whose only chain is in `axial`, and the values of A[i][k]
// and A[j][k] in every group: the instances with i = j, where all others lie on one side of them.
std::optional<isl::set> diagonal_of_mirrored(const Roles& roles,
                                             const std::vector<std::vector<ValueRole>>& groups,
                                             const std::vector<ChainRole>& axial);

// A bound on what the instances of both count with a + b + x <= X. At least (X / 3)^(3/2), and that
// where (D - 1)^2 >= 8 X / 3.
double symmetric_product_chi(double x, double distance);

}  // namespace redblue::bounds
