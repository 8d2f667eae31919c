// SPDX-License-Identifier: BSD-3-Clause
// Einstein summations of dense tensors on MPI, at the words their lower bound allows.
//
// Every call here is collective over the communicator unless marked local, and throws Error on all
// ranks together or on none. T is float, double, std::complex<float> or std::complex<double>; a
// word is one element. MPI must be initialised.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "redblue/einsum_model.hpp"
#include "redblue/traffic.hpp"
#include "redblue/units.hpp"

namespace redblue {

struct EinsumTraffic {
  Traffic exchange;      // parts of operands
  Traffic reduce;        // contributions to the result
  Traffic redistribute;  // the result, into a caller's layout
  Traffic total() const { return exchange + reduce + redistribute; }
};

// A part of a tensor that a rank owns: elements begin .. end-1 of a box, its first index fastest,
// stored at local[offset], local[offset + 1], ...
struct EinsumPart {
  std::vector<Range> ranges;  // of the tensor's indices
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t offset = 0;
};

// Calls f(element, offset) as EinsumPlan::for_each_element does. Local.
template <class F>
void visit_elements(const EinsumShape& shape, const EinsumTensor& tensor,
                    const std::vector<EinsumPart>& parts, F f) {
  for (const EinsumPart& part : parts) {
    std::vector<std::int64_t> at, places;  // of each index
    std::int64_t rest = part.begin;
    std::int64_t place = 0;
    const auto placed = [&](std::size_t t) { return element_offset(shape, tensor, t, at[t]); };
    for (std::size_t t = 0; t < part.ranges.size(); ++t) {
      at.push_back(part.ranges[t].begin + rest % part.ranges[t].size());
      rest /= part.ranges[t].size();
      places.push_back(placed(t));
      place += places[t];
    }
    for (std::int64_t e = part.begin; e < part.end; ++e) {
      f(place, part.offset + e - part.begin);
      for (std::size_t t = 0; t < at.size(); ++t) {
        const bool next_too = ++at[t] == part.ranges[t].end;
        if (next_too) at[t] = part.ranges[t].begin;
        place -= places[t];
        places[t] = placed(t);
        place += places[t];
        if (!next_too) break;
      }
    }
  }
}

struct EinsumOptions {
  EinsumOrder order = EinsumOrder::automatic;
  std::optional<Words> memory;  // per rank: tensors and buffers; none: unlimited
  Objective objective = Objective::words;
  Machine machine;
  // Of every tensor, operands first; none (or a shorter list): where the plan puts it. A tensor in
  // a caller's layout is moved to where it is needed, and a result from where it is added up; what
  // this moves is planned and counted with the rest.
  std::vector<std::optional<EinsumLayout>> layouts = {};
};

// result = alpha * (sum of products of the operands) + beta * result for one shape, decomposed
// once, executed any number of times. Of several summations (einsum_shape) alpha and beta belong to
// the last one. Extents of 0 and any number of ranks are allowed.
//
//   const EinsumShape shape = einsum_shape("ijk,jr,kr->ir", {{"Ni", 400}, ..});
//   EinsumPlan<double> plan(MPI_COMM_WORLD, shape);
//   std::vector<double> a(plan.owned(0).value), ..;
//   plan.for_each_element(0, [&](std::int64_t element, std::int64_t at) { a[at] = ..; });
//   plan.execute(1.0, {a.data(), b.data(), c.data()}, 0.0, result.data());
//
// Tensors are numbered as in shape.tensors: the operands from 0 on, then the result. Each rank owns
// the parts that parts() lists, every element has one owner, and data is passed as one contiguous
// array per tensor of owned(tensor) words. In a caller's layout that is the array described at
// EinsumLayout, and parts() lists its lines:
//
//   EinsumOptions options;
//   options.layouts = {einsum_layout("2x2x1/16x16x8"), std::nullopt, einsum_layout("4x1")};
template <class T>
class EinsumPlan {
 public:
  // plan_einsum_chain's steps. Builds message lists and buffers. Throws Error like it, when
  // ranks disagree on the shape, or when a rank cannot allocate its buffers. O(ranks * cells).
  EinsumPlan(MPI_Comm communicator, const EinsumShape& shape, const EinsumOptions& options = {});
  ~EinsumPlan();
  EinsumPlan(EinsumPlan&&) noexcept;
  EinsumPlan& operator=(EinsumPlan&&) noexcept;

  const EinsumShape& shape() const;                                    // local: plan().shape
  const EinsumChainReport& plan() const;                               // local: steps, costs, bound
  Words memory() const;                                                // local: tensors and buffers
  Words owned(std::size_t tensor) const;                               // local
  const std::vector<EinsumPart>& parts(std::size_t tensor) const;      // local
  std::vector<EinsumPart> parts(std::size_t tensor, Rank rank) const;  // local, O(cells)

  // Calls f(element, offset) for every element of the tensor that this rank owns, in storage order.
  // `element` is its place in an array in C with the tensor's letters as they are written, the last
  // one fastest. Local.
  template <class F>
  void for_each_element(std::size_t tensor, F f) const {
    const Position at = position(tensor);
    visit_elements(*at.shape, at.shape->tensors[at.tensor], parts(tensor), f);
  }

  // Allocates no buffers. `result` is not read when beta is 0. Arrays may be null where owned() is
  // 0.
  void execute(T alpha, const std::vector<const T*>& operands, T beta, T* result);

  // What the last execute() moved on this rank. Local.
  const EinsumTraffic& traffic() const;

 private:
  // A tensor in the step that it belongs to, whose indices may stand in another order.
  struct Position {
    const EinsumShape* shape;
    std::size_t tensor;
  };
  Position position(std::size_t tensor) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redblue
