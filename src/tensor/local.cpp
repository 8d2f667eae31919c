// SPDX-License-Identifier: BSD-3-Clause
#include "tensor/local.hpp"

#include <algorithm>
#include <complex>
#include <optional>
#include <utility>

namespace redblue::tensor {

using einsum::IndexSet;
using einsum::ProductStep;

namespace {

bool has(IndexSet set, std::size_t t) {
  return (set >> t & 1U) != 0;
}

std::int64_t size_of(IndexSet set, const std::vector<std::int64_t>& extents) {
  std::int64_t all = 1;
  for (std::size_t t = 0; t < extents.size(); ++t) {
    if (has(set, t)) all *= extents[t];
  }
  return all;
}

Strides strides_of(IndexSet set, const std::vector<std::int64_t>& extents) {
  Strides strides(extents.size(), 0);
  std::int64_t next = 1;
  for (std::size_t t = 0; t < extents.size(); ++t) {
    if (!has(set, t)) continue;
    strides[t] = next;
    next *= std::max<std::int64_t>(1, extents[t]);
  }
  return strides;
}

}  // namespace

TensorBox part_of(const EinsumShape& shape, const EinsumTensor& tensor,
                  const std::vector<Range>& box, const std::vector<Range>& part) {
  TensorBox result{Strides(shape.indices.size(), 0), 0};
  std::int64_t next = 1;
  for (std::size_t t = 0; t < box.size(); ++t) {
    result.strides[static_cast<std::size_t>(tensor.indices[t])] = next;
    result.offset += (part[t].begin - box[t].begin) * next;
    next *= std::max<std::int64_t>(1, box[t].size());
  }
  return result;
}

template <class T>
LocalSummation<T>::LocalSummation(const EinsumShape& shape,
                                  const std::vector<std::int64_t>& extents,
                                  const std::vector<TensorBox>& boxes, std::int64_t most_workspace)
    : extents_(extents), block_(extents) {
  std::vector<IndexSet> sets;
  for (std::size_t o = 0; o < shape.operands(); ++o)
    sets.push_back(einsum::set_of(shape.tensors[o]));
  const IndexSet result = einsum::set_of(shape.result());
  const auto order = einsum::cheapest_order(
      sets, result, einsum::local_cost(einsum::Sides(extents.begin(), extents.end())));
  for (const ProductStep& s : order) sets.push_back(s.result);
  choose_blocks(order, sets, most_workspace);
  for (std::size_t t = 0; t < extents.size(); ++t) {
    if (block_[t] == extents_[t]) continue;
    blocked_.push_back(t);
    blocked_is_summed_.push_back(!has(result, t));
  }
  position_.resize(blocked_.size());
  lay_out(shape, order, sets, boxes);
}

// Halves blocks until what lies between steps fits: of the largest of these an index of the largest
// operand, so that this operand is read once.
template <class T>
void LocalSummation<T>::choose_blocks(const std::vector<ProductStep>& order,
                                      const std::vector<IndexSet>& sets, std::int64_t most) {
  if (order.size() < 2) return;
  const std::size_t operands = sets.size() - order.size();
  const auto largest = std::max_element(
      sets.begin(), sets.begin() + static_cast<std::ptrdiff_t>(operands),
      [this](IndexSet a, IndexSet b) { return size_of(a, extents_) < size_of(b, extents_); });
  for (;;) {
    std::int64_t words = 0;
    IndexSet widest = 0;
    for (std::size_t s = operands; s + 1 < sets.size(); ++s) {
      const std::int64_t size = size_of(sets[s], block_);
      if (size > size_of(widest, block_) || widest == 0) widest = sets[s];
      words += size;
    }
    if (words <= most) return;
    std::size_t best = extents_.size();
    for (const IndexSet from : {widest & *largest, widest}) {
      for (std::size_t t = 0; t < extents_.size(); ++t) {
        if (!has(from, t) || block_[t] < 2) continue;
        // the slower an index changes, the longer are the runs that are left
        if (best == extents_.size() || block_[t] >= block_[best] / 4) best = t;
      }
      if (best < extents_.size()) break;
    }
    if (best == extents_.size()) return;
    block_[best] = (block_[best] + 1) / 2;
  }
}

template <class T>
void LocalSummation<T>::lay_out(const EinsumShape& shape, const std::vector<ProductStep>& order,
                                const std::vector<IndexSet>& sets,
                                const std::vector<TensorBox>& boxes) {
  const std::size_t operands = shape.operands();
  std::vector<Place> places;
  IndexSet blocked = 0;
  for (const std::size_t t : blocked_) blocked |= IndexSet{1} << t;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const bool is_last = s + 1 == sets.size() && !order.empty();
    Place place;
    place.in_workspace = s >= operands && !is_last;
    place.operand = is_last ? operands : s;
    if (place.in_workspace) {
      place.strides = strides_of(sets[s], block_);
    } else {
      place.strides = boxes[place.operand].strides;
      place.offset = boxes[place.operand].offset;
    }
    for (const std::size_t t : blocked_)
      place.block_steps.push_back(place.in_workspace ? 0 : place.strides[t] * block_[t]);
    if (place.in_workspace) {
      place.offset = workspace_;
      workspace_ += size_of(sets[s], block_);
    }
    places.push_back(std::move(place));
  }
  std::vector<ProductStep> all = order;
  if (order.empty()) {  // one operand
    all.push_back({0, 0, sets[0], einsum::set_of(shape.result())});
    Place result;
    result.operand = operands;
    result.strides = boxes[operands].strides;
    result.offset = boxes[operands].offset;
    places.push_back(std::move(result));
  }
  for (std::size_t s = 0; s < all.size(); ++s) {
    Step step;
    step.left = places[all[s].left];
    step.right = places[all[s].right];
    step.target = places[operands + s];
    step.once = (all[s].loops & blocked) == 0 && s + 1 < all.size();
    step.is_product = !order.empty();
    for (std::size_t variant = 0; variant < (std::size_t{1} << blocked_.size()); ++variant) {
      std::vector<std::int64_t> now = block_;
      for (std::size_t b = 0; b < blocked_.size(); ++b) {
        const std::size_t t = blocked_[b];
        if ((variant >> b & 1U) != 0) now[t] = (extents_[t] - 1) % block_[t] + 1;
      }
      std::optional<Strides> right;
      if (step.is_product) right = step.right.strides;
      step.variants.emplace_back(now, step.left.strides, std::move(right), step.target.strides);
    }
    steps_.push_back(std::move(step));
  }
}

template <class T>
void LocalSummation<T>::run_step(const Step& step, T alpha, bool overwrite,
                                 const std::vector<const T*>& operands, T* result, T* workspace,
                                 std::size_t variant) const {
  const auto moved = [this](const Place& place) {
    std::int64_t offset = place.offset;
    for (std::size_t b = 0; b < place.block_steps.size(); ++b)
      offset += place.block_steps[b] * position_[b];
    return offset;
  };
  const auto source = [&](const Place& place) -> const T* {
    return (place.in_workspace ? workspace : operands[place.operand]) + moved(place);
  };
  T* target = (step.target.in_workspace ? workspace : result) + moved(step.target);
  const T* right = step.is_product ? source(step.right) : nullptr;
  step.variants[variant].run(alpha, source(step.left), right, overwrite, target);
}

template <class T>
void LocalSummation<T>::run(T alpha, const std::vector<const T*>& operands, bool overwrite,
                            T* result, T* workspace) const {
  std::fill(position_.begin(), position_.end(), 0);
  for (const Step& step : steps_) {
    if (step.once) run_step(step, T(1), true, operands, result, workspace, 0);
  }
  for (;;) {
    std::size_t variant = 0;
    bool first = true;  // of the blocks that add to this part of the result
    for (std::size_t b = 0; b < blocked_.size(); ++b) {
      const std::size_t t = blocked_[b];
      if ((position_[b] + 1) * block_[t] > extents_[t]) variant |= std::size_t{1} << b;
      if (blocked_is_summed_[b] && position_[b] > 0) first = false;
    }
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      if (steps_[s].once) continue;
      const bool is_last = s + 1 == steps_.size();
      run_step(steps_[s], is_last ? alpha : T(1), is_last ? overwrite && first : true, operands,
               result, workspace, variant);
    }
    std::size_t b = 0;
    for (; b < blocked_.size(); ++b) {
      if (++position_[b] * block_[blocked_[b]] < extents_[blocked_[b]]) break;
      position_[b] = 0;
    }
    if (b == blocked_.size()) return;
  }
}

template class LocalSummation<float>;
template class LocalSummation<double>;
template class LocalSummation<std::complex<float>>;
template class LocalSummation<std::complex<double>>;

}  // namespace redblue::tensor
