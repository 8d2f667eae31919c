// SPDX-License-Identifier: BSD-3-Clause
// Who does what in each half-step of a triangular solve with few right-hand sides.
#pragma once

#include <cstdint>
#include <vector>

#include "redblue/factor_model.hpp"

namespace redblue {

// Seconds in which a rank reads one of its `elements` of T, alone on its processor: as many as stay
// there since the last use from the last cache, the others from memory, or, where the machine does
// not say how fast that is, as from the network.
double seconds_per_element(const Machine& machine, double elements);

// A rank's business in one half-step of [solomonik2016, Algorithm 2].
struct WavefrontVisit {
  std::int64_t half_step = 0;
  std::int64_t panel = 0;  // l, in the order of solving
  Range rows;              // of op(T), to be multiplied with X(l) or, with `solves`, solved for
  bool solves = false;
  bool travels = false;   // S(rows) is on its way: it is to be sent on unless solved for
  bool receives = false;  // from the rank of panel l - 1

  // Multiplications with subtractions, and divisions, per column of X; `width`: the panel's.
  std::int64_t operations(std::int64_t width) const {
    return solves ? width * (width + 1) / 2 : rows.size() * width;
  }
};

// Panels and row blocks count in the order of solving: where op(T) is upper triangular, from the
// last.
class WavefrontSteps {
 public:
  explicit WavefrontSteps(const TrsvDecomposition& decomposition);

  std::int64_t panels() const { return panels_; }
  int classes() const { return classes_; }
  bool backward() const { return backward_; }
  std::int64_t half_steps() const { return panels_ == 0 ? 0 : 2 * panels_ - 1; }
  // Number of the panel in the matrix.
  std::int64_t block(std::int64_t panel) const { return backward_ ? panels_ - 1 - panel : panel; }
  int class_of(std::int64_t panel) const { return static_cast<int>(block(panel) % classes_); }
  Range rows(std::int64_t panel) const;  // of op(T)

  // Of the ranks of a class, in the order of half-steps. O(their number).
  std::vector<WavefrontVisit> visits(int of_class) const;

 private:
  std::int64_t n_, block_, panels_;
  int classes_;
  bool backward_;
};

}  // namespace redblue
