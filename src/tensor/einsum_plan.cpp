// SPDX-License-Identifier: BSD-3-Clause
#include "redblue/einsum_plan.hpp"

#include <complex>
#include <functional>
#include <utility>

#include "linalg/blas/buffer.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "redblue/error.hpp"
#include "tensor/summation.hpp"

namespace redblue {

using comm::Communicator;

namespace {

void check_same(Communicator& communicator, const EinsumShape& shape,
                const EinsumOptions& options) {
  std::string all = shape.text;
  for (const EinsumTensor& t : shape.tensors) {
    for (const std::int64_t e : t.extents) all += " " + std::to_string(e);
  }
  const bool agreed = communicator.same_everywhere(
      {static_cast<std::int64_t>(std::hash<std::string>()(all)),
       options.memory.value_or(Words(-1)).value, static_cast<std::int64_t>(options.objective)});
  if (!agreed) {
    throw Error("einsum", "ranks ask for different summations",
                "call it with the same text, sizes and options on all ranks");
  }
}

}  // namespace

template <class T>
struct EinsumPlan<T>::Impl {
  Communicator communicator;
  EinsumShape shape;
  EinsumDecomposition decomposition;
  std::vector<std::vector<einsum::TensorCell>> cells;
  std::vector<std::vector<EinsumPart>> parts;
  std::vector<Words> owned;
  std::optional<tensor::Summation<T>> summation;
  linalg::Buffer<T> workspace;
  EinsumTraffic traffic;

  Impl(MPI_Comm original, EinsumShape wanted, const EinsumOptions& options)
      : communicator(original), shape(std::move(wanted)) {
    check_same(communicator, shape, options);
    decomposition = choose_einsum(
        {shape, communicator.size(), options.memory, options.objective, options.machine});
    linalg::allocate<T>(communicator, "einsum", "a rank has no memory for its buffers",
                        "set a memory limit or use more ranks", [this] { build(); });
  }

  void build() {
    cells = einsum::cells(shape, decomposition);
    for (const auto& of_tensor : cells) {
      parts.push_back(tensor::owned_parts(of_tensor, communicator.rank()));
      owned.emplace_back();
      for (const EinsumPart& p : parts.back()) owned.back() += Words(p.end - p.begin);
    }
    summation.emplace(communicator, shape, decomposition, cells);
    workspace.resize(summation->workspace());
  }
};

template <class T>
EinsumPlan<T>::EinsumPlan(MPI_Comm communicator, const EinsumShape& shape,
                          const EinsumOptions& options)
    : impl_(std::make_unique<Impl>(communicator, shape, options)) {}
template <class T>
EinsumPlan<T>::~EinsumPlan() = default;
template <class T>
EinsumPlan<T>::EinsumPlan(EinsumPlan&&) noexcept = default;
template <class T>
EinsumPlan<T>& EinsumPlan<T>::operator=(EinsumPlan&&) noexcept = default;

template <class T>
const EinsumShape& EinsumPlan<T>::shape() const {
  return impl_->shape;
}
template <class T>
const EinsumDecomposition& EinsumPlan<T>::decomposition() const {
  return impl_->decomposition;
}
template <class T>
Words EinsumPlan<T>::memory() const {
  Words total(impl_->workspace.size());
  for (const Words words : impl_->owned) total += words;
  return total;
}
template <class T>
Words EinsumPlan<T>::owned(std::size_t tensor) const {
  return impl_->owned.at(tensor);
}
template <class T>
const std::vector<EinsumPart>& EinsumPlan<T>::parts(std::size_t tensor) const {
  return impl_->parts.at(tensor);
}
template <class T>
std::vector<EinsumPart> EinsumPlan<T>::parts(std::size_t tensor, Rank rank) const {
  return tensor::owned_parts(impl_->cells.at(tensor), rank);
}
template <class T>
void EinsumPlan<T>::execute(T alpha, const std::vector<const T*>& operands, T beta, T* result) {
  const std::size_t expected = impl_->shape.operands();
  if (!impl_->communicator.all(operands.size() == expected)) {
    throw Error("einsum", std::to_string(operands.size()) + " operands on some rank",
                "pass " + std::to_string(expected));
  }
  std::string missing;
  for (std::size_t o = 0; o <= expected; ++o) {
    const T* array = o < expected ? operands[o] : result;
    if (array == nullptr && impl_->owned[o].value > 0) missing += static_cast<char>('A' + o);
  }
  linalg::refuse_missing(impl_->communicator, "einsum", missing);
  impl_->traffic = {};
  impl_->summation->execute(impl_->communicator, alpha, operands, beta, result,
                            impl_->workspace.data(), impl_->traffic);
}
template <class T>
const EinsumTraffic& EinsumPlan<T>::traffic() const {
  return impl_->traffic;
}

template class EinsumPlan<float>;
template class EinsumPlan<double>;
template class EinsumPlan<std::complex<float>>;
template class EinsumPlan<std::complex<double>>;

}  // namespace redblue
