// SPDX-License-Identifier: BSD-3-Clause
#include "redblue/einsum_plan.hpp"

#include <algorithm>
#include <complex>
#include <functional>
#include <utility>

#include "decomposition/einsum/chain/homes.hpp"
#include "linalg/blas/buffer.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "redblue/error.hpp"
#include "tensor/summation.hpp"
#include "tensor/symmetric_summation.hpp"

namespace redblue {

using comm::Communicator;

namespace {

void check_same(Communicator& communicator, const EinsumShape& shape,
                const EinsumOptions& options) {
  std::string all = shape.text;
  for (const EinsumTensor& t : shape.tensors) {
    for (const std::int64_t e : t.extents) all += " " + std::to_string(e);
  }
  for (const auto& layout : options.layouts) {
    all += " |";
    if (!layout) continue;
    for (const int g : layout->grid) all += " " + std::to_string(g);
    for (const std::int64_t b : layout->block) all += "/" + std::to_string(b);
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
    std::optional<std::size_t> step;  // none: in a caller's layout
    std::size_t number = 0;           // in its shape
    std::vector<EinsumPart> parts;
    Words owned;
  };

  Communicator communicator;
  EinsumShape shape;
  einsum::Layouts layouts;
  EinsumChainReport plan;
  std::vector<Step> steps;
  std::vector<Tensor> tensors;
  std::optional<tensor::SymmetricSummation<T>> symmetric;  // then there are no steps
  linalg::Buffer<T> workspace;
  // Of a result in a caller's layout: where it is added up, how it gets there, and what arrives.
  linalg::Buffer<T> result_of_steps, arrived;
  std::optional<tensor::Fetching<T>> delivery;
  EinsumTraffic traffic;

  Impl(MPI_Comm original, const EinsumShape& wanted, const EinsumOptions& options)
      : communicator(original), layouts(options.layouts) {
    check_same(communicator, wanted, options);
    plan = plan_einsum_chain({wanted, communicator.size(), options.memory, options.objective,
                              options.machine, options.layouts},
                             options.order);
    shape = plan.shape;
    if (plan.symmetric) {
      symmetric.emplace(original, communicator.rank(), plan, options);
      own_symmetric();
      return;
    }
    linalg::allocate<T>(communicator, "einsum", "a rank has no memory for its buffers",
                        "set a memory limit or use more ranks", [this] { build(); });
  }

  Tensor tensor_of(std::size_t step, std::size_t number) const {
    Tensor t{step, number, tensor::owned_parts(steps[step].cells[number], communicator.rank()), {}};
    for (const EinsumPart& p : t.parts) t.owned += Words(p.end - p.begin);
    return t;
  }

  std::vector<std::vector<einsum::Piece>> caller_pieces(std::size_t number) const {
    return einsum::layout_pieces(shape.tensors[number], *einsum::layout_of(layouts, number),
                                 communicator.size());
  }
  std::vector<EinsumPart> caller_parts(std::size_t number, Rank rank) const {
    return tensor::line_parts(shape, shape.tensors[number],
                              caller_pieces(number)[static_cast<std::size_t>(rank.value)]);
  }

  std::vector<std::vector<einsum::Piece>> pieces_of(const einsum::Home& home) const {
    if (home.in_layout) return caller_pieces(home.tensor);
    return einsum::cell_pieces(plan.steps[home.step].shape, home.tensor,
                               steps[home.step].cells[home.tensor], communicator.size());
  }

  // How an operand that does not lie as its step's cells say gets to where the step needs it.
  std::vector<tensor::Fetching<T>> ways(std::size_t s, std::size_t operand) const {
    std::vector<tensor::Fetching<T>> result;
    const EinsumStep& step = plan.steps[s];
    const auto home = einsum::home_of(shape, plan.steps, layouts, s, operand);
    if (!home) return result;
    const auto owned = pieces_of(*home);
    const EinsumDecomposition& d = step.report.decomposition;
    const std::int64_t rounds = einsum::rounds_of(step.shape.tensors[operand], d);
    for (std::int64_t round = 0; round < rounds; ++round) {
      std::vector<std::vector<einsum::Piece>> needed;
      for (const einsum::Piece& p : einsum::needed_pieces(step.shape, d, operand, round))
        needed.push_back({p});
      result.emplace_back(communicator, owned, needed, static_cast<int>(operand));
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
        from_elsewhere.push_back(ways(s, o));
        const bool is_here = !einsum::home_of(shape, plan.steps, layouts, s, o);
        if (is_here) tensors[step.operands[o]] = tensor_of(s, o);
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
    for (std::size_t t = 0; t < shape.tensors.size(); ++t) {
      if (einsum::layout_of(layouts, t) == nullptr) continue;
      if (t == shape.operands()) most = std::max(most, build_delivery());
      tensors[t] = {std::nullopt, t, caller_parts(t, communicator.rank()), {}};
      for (const EinsumPart& p : tensors[t].parts) tensors[t].owned += Words(p.end - p.begin);
      if (t == shape.operands()) arrived.resize(tensors[t].owned.value);
    }
    workspace.resize(most);
  }

  void own_symmetric() {
    for (const bool of_result : {false, true}) {
      Tensor t{0, of_result ? 2U : 0U, symmetric->parts(of_result, communicator.rank()), {}};
      for (const EinsumPart& p : t.parts) t.owned += Words(p.end - p.begin);
      tensors.push_back(std::move(t));
    }
  }

  // Words of its buffer.
  std::int64_t build_delivery() {
    result_of_steps.resize(tensors.back().owned.value);
    const einsum::Home last{false, steps.size() - 1, plan.steps.back().operands.size()};
    delivery.emplace(communicator, pieces_of(last), caller_pieces(shape.operands()), 0);
    return delivery->buffer();
  }

  void deliver(T beta, T* result) {
    T* target = beta == T(0) ? result : arrived.data();
    delivery->start(communicator, result_of_steps.data(), target, workspace.data(),
                    traffic.redistribute);
    delivery->finish();
    if (beta == T(0)) return;
    for (std::int64_t e = 0; e < arrived.size(); ++e)
      result[e] = beta * result[e] + arrived.data()[e];
  }

  void execute(T alpha, const std::vector<const T*>& operands, T beta, T* result) {
    traffic = {};
    if (symmetric) symmetric->execute(alpha, operands.front(), beta, result, traffic);
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const std::vector<std::size_t>& numbers = plan.steps[s].operands;
      for (std::size_t o = 0; o < numbers.size(); ++o) {
        const bool is_given = numbers[o] < shape.operands();
        steps[s].operands[o] =
            is_given ? operands[numbers[o]] : steps[numbers[o] - shape.operands()].result.data();
      }
      const bool is_last = s + 1 == steps.size();
      T* target = !is_last ? steps[s].result.data() : delivery ? result_of_steps.data() : result;
      steps[s].summation->execute(communicator, is_last ? alpha : T(1), steps[s].operands,
                                  is_last && !delivery ? beta : T(0), target, workspace.data(),
                                  traffic);
    }
    if (delivery) deliver(beta, result);
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
  Words total(impl_->workspace.size() + impl_->result_of_steps.size() + impl_->arrived.size());
  for (const auto& step : impl_->steps) total += Words(step.result.size());
  if (impl_->symmetric) return impl_->symmetric->memory() + impl_->tensors.back().owned;
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
  if (impl_->symmetric) return impl_->symmetric->parts(tensor == impl_->shape.operands(), rank);
  if (!t.step) return impl_->caller_parts(tensor, rank);
  return tensor::owned_parts(impl_->steps[*t.step].cells[t.number], rank);
}
template <class T>
typename EinsumPlan<T>::Position EinsumPlan<T>::position(std::size_t tensor) const {
  const auto& t = impl_->tensors.at(tensor);
  return {t.step ? &impl_->plan.steps[*t.step].shape : &impl_->shape, t.number};
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
