// Two statements that read each element of one array from two sides, as symm's two sums over
// A[i][k] do: one beside B[i], one beside B[k].
//
// Alike statements s and t share the values of A and of B (disjoint_sum); each follows chains, one
// place of B after the other on one line of B. A segment that computes n instances with a values of
// A, b of B and on x chains has n <= sqrt(2 a) (b + x) / 2, as sets of both may use a value of A
// twice. Less where both uses lie D or more places of B apart:
//     n <= h(rho) sqrt(a) (b + x) / 2,   rho = (D - 1) / sqrt(a),
//     h(rho) = max(1, 4 u / (2 + u^2)),  u = rho + sqrt(2);  1 from rho = 2 on.
// Proof, on one line. Join a chain and a place where the segment computes an instance of that chain
// at that place. As a segment computes contiguous parts of chains, the places of a component of
// this graph are an interval, of w places; let it have c chains and n instances; n <= w c, so
//     n / ((w + c) / 2) <= 2 n w / (n + w^2), which grows with n.
//  - w <= D: two instances of the component with one value of A would be at places less than D
//    apart. So n <= a, and the right side is at most sqrt(a).
//  - w > D: n <= a + g with g values read twice, each at its own pair of places: g <= m (m + 1) / 2
//    for m = w - D, so g <= (w - D + 1)^2 / 2, and g <= a. In units of sqrt(a), with w = rho + t:
//    for t >= sqrt(2) at most 4 w / (2 + w^2), which falls with w; for smaller t and n = 1 + t^2 /
//    2 the derivative in t has the sign of F = n^2 - w^2 q, q = 1 - rho t - t^2 / 2. At t = 0 the
//    value is at most 1, at t = sqrt(2) it is 4 u / (2 + u^2). A largest value between has F = 0
//    and F > 0 before. So rho < 1: else F(0) <= 0, and F' grows. For rho < 1, 4 u / (2 + u^2)
//    > 1.2, while n = w sqrt(q) makes the value between at most sqrt(n), less than 1.2 for t < 0.9;
//    and for t >= 0.9 F > 0, as w^2 q < 0.6.
// Components share neither places nor chains, so components and lines add up.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include "bounds/bound.hpp"
#include "program/count.hpp"

namespace redblue::bounds {

struct SymmetricProduct {
  // How many instances of the first statement share a value with one of the second less than
  // `distance` places away, in the parameter of this name.
  program::Count near;
  static constexpr const char* distance = "redblue_distance";
};

// `shared`: roles of `first` -> of `second`, with their values in common; the HBL problems are
// theirs. nullopt where the statements are not as above; where it gives up, that is noted for
// `sizes`.
std::optional<SymmetricProduct> symmetric_product(const Roles& first, const HblProblem& first_hbl,
                                                  const Roles& second, const HblProblem& second_hbl,
                                                  const std::map<std::size_t, std::size_t>& shared,
                                                  const Sizes& sizes);

// A bound on the instances of both with a + b + x <= X. At least (X / 3)^(3/2), and that where
// (D - 1)^2 >= 8 X / 3.
double symmetric_product_chi(double x, double distance);

}  // namespace redblue::bounds
