// SPDX-License-Identifier: BSD-3-Clause
#include "redblue/einsum_plan.hpp"

#include <algorithm>
#include <complex>
#include <functional>
#include <utility>

#include "decomposition/einsum/chain.hpp"
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
       options.memory.value_or(Words(-1)).value, static_cast<std::int64_t>(options.objective),
       static_cast<std::int64_t>(options.order)});
  if (!agreed) {
    throw Error("einsum", "ranks ask for different summations",
                "call it with the same text, sizes and options on all ranks");
  }
}

}  // namespace

template <class T>
struct EinsumPlan<T>::Impl {
  struct Step {
    std::vector<std::vector<einsum::TensorCell>> cells;
    std::optional<tensor::Summation<T>> summation;
    linalg::Buffer<T> result;        // of all but the last
    std::vector<const T*> operands;  // of one execution
  };
  struct Tensor {
    std::size_t step = 0, number = 0;  // in its shape
    std::vector<EinsumPart> parts;
    Words owned;
  };

  Communicator communicator;
  EinsumShape shape;
  EinsumChainReport plan;
  std::vector<Step> steps;
  std::vector<Tensor> tensors;
  linalg::Buffer<T> workspace;
  EinsumTraffic traffic;

  Impl(MPI_Comm original, EinsumShape wanted, const EinsumOptions& options)
      : communicator(original), shape(std::move(wanted)) {
    check_same(communicator, shape, options);
    plan = plan_einsum_chain(
        {shape, communicator.size(), options.memory, options.objective, options.machine},
        options.order);
    linalg::allocate<T>(communicator, "einsum", "a rank has no memory for its buffers",
                        "set a memory limit or use more ranks", [this] { build(); });
  }

  Tensor tensor_of(std::size_t step, std::size_t number) const {
    Tensor t{step, number, tensor::owned_parts(steps[step].cells[number], communicator.rank()), {}};
    for (const EinsumPart& p : t.parts) t.owned += Words(p.end - p.begin);
    return t;
  }

  // How the result of an earlier step gets to where this one needs it.
  std::vector<tensor::Fetching<T>> ways(const EinsumStep& step, std::size_t operand) const {
    std::vector<tensor::Fetching<T>> result;
    if (step.operands[operand] < shape.operands()) return result;
    const EinsumStep& from = plan.steps[step.operands[operand] - shape.operands()];
    const auto owned = einsum::result_pieces(shape, from);
    const std::int64_t rounds =
        einsum::rounds_of(step.shape.tensors[operand], step.report.decomposition);
    for (std::int64_t round = 0; round < rounds; ++round) {
      result.emplace_back(communicator, owned, einsum::needed_pieces(shape, step, operand, round),
                          static_cast<int>(operand));
    }
    return result;
  }

  void build() {
    steps.resize(plan.steps.size());
    tensors.resize(shape.tensors.size());
    std::int64_t most = 0;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const EinsumStep& step = plan.steps[s];
      const std::size_t operands = step.operands.size();
      steps[s].cells = einsum::cells(step.shape, step.report.decomposition);
      std::vector<std::vector<tensor::Fetching<T>>> from_elsewhere;
      for (std::size_t o = 0; o < operands; ++o) {
        from_elsewhere.push_back(ways(step, o));
        if (step.operands[o] < shape.operands()) tensors[step.operands[o]] = tensor_of(s, o);
      }
      steps[s].operands.resize(operands);
      steps[s].summation.emplace(communicator, step.shape, step.report.decomposition,
                                 steps[s].cells, std::move(from_elsewhere));
      most = std::max(most, steps[s].summation->workspace());
      const Tensor result = tensor_of(s, operands);
      if (s + 1 < steps.size()) {
        steps[s].result.resize(result.owned.value);
      } else {
        tensors.back() = result;
      }
    }
    workspace.resize(most);
  }

  void execute(T alpha, const std::vector<const T*>& operands, T beta, T* result) {
    traffic = {};
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const std::vector<std::size_t>& numbers = plan.steps[s].operands;
      for (std::size_t o = 0; o < numbers.size(); ++o) {
        const bool is_given = numbers[o] < shape.operands();
        steps[s].operands[o] =
            is_given ? operands[numbers[o]] : steps[numbers[o] - shape.operands()].result.data();
      }
      const bool is_last = s + 1 == steps.size();
      steps[s].summation->execute(communicator, is_last ? alpha : T(1), steps[s].operands,
                                  is_last ? beta : T(0), is_last ? result : steps[s].result.data(),
                                  workspace.data(), traffic);
    }
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
const EinsumChainReport& EinsumPlan<T>::plan() const {
  return impl_->plan;
}
template <class T>
Words EinsumPlan<T>::memory() const {
  Words total(impl_->workspace.size());
  for (const auto& step : impl_->steps) total += Words(step.result.size());
  for (const auto& t : impl_->tensors) total += t.owned;
  return total;
}
template <class T>
Words EinsumPlan<T>::owned(std::size_t tensor) const {
  return impl_->tensors.at(tensor).owned;
}
template <class T>
const std::vector<EinsumPart>& EinsumPlan<T>::parts(std::size_t tensor) const {
  return impl_->tensors.at(tensor).parts;
}
template <class T>
std::vector<EinsumPart> EinsumPlan<T>::parts(std::size_t tensor, Rank rank) const {
  const auto& t = impl_->tensors.at(tensor);
  return tensor::owned_parts(impl_->steps[t.step].cells[t.number], rank);
}
template <class T>
typename EinsumPlan<T>::Position EinsumPlan<T>::position(std::size_t tensor) const {
  const auto& t = impl_->tensors.at(tensor);
  return {&impl_->plan.steps[t.step].shape, t.number};
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
    if (array == nullptr && owned(o).value > 0) missing += static_cast<char>('A' + o);
  }
  linalg::refuse_missing(impl_->communicator, "einsum", missing);
  impl_->execute(alpha, operands, beta, result);
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
