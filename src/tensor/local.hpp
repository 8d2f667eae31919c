// SPDX-License-Identifier: BSD-3-Clause
// A summation of several operands in one rank's memory: two at a time in the cheapest order, block
// by block, so that products of some of the operands (a Khatri-Rao product) never stand there
// whole.
#pragma once

#include <cstdint>
#include <vector>

#include "decomposition/einsum/order.hpp"
#include "redblue/einsum_model.hpp"
#include "tensor/contraction.hpp"

namespace redblue::tensor {

// Where the part of a tensor that is summed stands in a larger box in memory.
struct TensorBox {
  Strides strides;  // along all indices of the space
  std::int64_t offset = 0;

  bool operator==(const TensorBox&) const = default;
};

// Of a part of a dense box, its first index fastest.
TensorBox part_of(const EinsumShape& shape, const EinsumTensor& tensor,
                  const std::vector<Range>& box, const std::vector<Range>& part);

template <class T>
class LocalSummation {
 public:
  // `boxes`: of every tensor. With at most `most_workspace` words, which local_workspace()
  // (decomposition/einsum) allows.
  LocalSummation(const EinsumShape& shape, const std::vector<std::int64_t>& extents,
                 const std::vector<TensorBox>& boxes, std::int64_t most_workspace);

  std::int64_t workspace() const { return workspace_; }

  // result = or += alpha times the sum of products. Allocates nothing.
  void run(T alpha, const std::vector<const T*>& operands, bool overwrite, T* result,
           T* workspace) const;

 private:
  // What a step reads or writes: where it is, and how far each block is from the one before.
  struct Place {
    bool in_workspace = false;
    std::size_t operand = 0;  // else; the result: the number of operands
    std::int64_t offset = 0;
    Strides strides;
    Strides block_steps;  // along the blocked indices
  };
  struct Step {
    Place left, right, target;
    bool is_product = true;  // of left and right; else left alone
    bool once = false;       // no blocked index: done before all blocks
    // by which blocked indices are in their last, shorter block: bit b
    std::vector<Contraction<T>> variants;
  };

  void choose_blocks(const std::vector<einsum::ProductStep>& order,
                     const std::vector<einsum::IndexSet>& sets, std::int64_t most);
  void lay_out(const EinsumShape& shape, const std::vector<einsum::ProductStep>& order,
               const std::vector<einsum::IndexSet>& sets, const std::vector<TensorBox>& boxes);
  void run_step(const Step& step, T alpha, bool overwrite, const std::vector<const T*>& operands,
                T* result, T* workspace, std::size_t variant) const;

  std::vector<std::int64_t> extents_, block_;
  std::vector<std::size_t> blocked_;  // indices whose block is not their extent
  std::vector<bool> blocked_is_summed_;
  std::vector<Step> steps_;
  std::int64_t workspace_ = 0;
  mutable std::vector<std::int64_t> position_;  // of the block, along the blocked indices
};

}  // namespace redblue::tensor
