// SPDX-License-Identifier: BSD-3-Clause
// The public plans of a multiplication: native layout or the caller's.
#include <complex>
#include <utility>

#include "decomposition/stationary.hpp"
#include "linalg/blas/buffer.hpp"
#include "linalg/gemm/choice.hpp"
#include "linalg/gemm/doubling_multiplication.hpp"
#include "linalg/gemm/placement.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "linalg/plan/native.hpp"
#include "redblue/error.hpp"

namespace redblue {

using namespace linalg;
using comm::Communicator;

namespace {

void check_same(Communicator& communicator, const GemmShape& shape, const GemmOptions& options) {
  const bool agreed = communicator.same_everywhere(
      {shape.m, shape.n, shape.k, options.memory.value_or(Words(-1)).value,
       static_cast<std::int64_t>(options.objective), static_cast<std::int64_t>(options.backend),
       options.overlap ? 1 : 0,
       options.exchange ? static_cast<std::int64_t>(*options.exchange) : -1});
  if (!agreed) {
    throw Error("gemm", "ranks ask for different sizes or options",
                "call it with the same ones on all ranks");
  }
}

// Machines that differ may make plans that do.
void check_same(Communicator& communicator, const Decomposition& d) {
  std::vector<std::int64_t> plan = {static_cast<std::int64_t>(d.kind),
                                    static_cast<std::int64_t>(d.exchange),
                                    d.rounds,
                                    d.panels,
                                    d.reductions,
                                    d.strips,
                                    static_cast<std::int64_t>(d.cuts.size())};
  std::int64_t cuts = 0;
  for (const Cut& c : d.cuts) cuts = (31 * cuts + 7 * c.first + c.axis) % 1'000'000'007;
  plan.push_back(cuts);
  plan.insert(plan.end(), d.grid.begin(), d.grid.end());
  if (communicator.same_everywhere(plan)) return;
  throw Error("gemm", "ranks choose different plans", "give all of them the same machine");
}

// Stages of a doubling wait for each other: nothing is read, or fetched ahead, there.
std::optional<Exchange> exchange_of(const GemmOptions& options) {
  const bool sends_in_turn = !options.overlap && options.backend == Backend::two_sided;
  if (sends_in_turn) return options.exchange;
  if (options.exchange == Exchange::doubling) {
    throw Error("gemm by doubling, one-sided or with overlap", "stages that wait for each other",
                "leave one of them out");
  }
  return Exchange::direct;
}

}  // namespace

template <class T>
struct GemmPlan<T>::Impl {
  Communicator communicator;
  GemmShape shape;
  std::string name;
  std::optional<Decomposition> decomposition;  // native
  Ownership ownership;                         // native
  std::vector<OwnedPart> parts[3];
  Words owned[3];
  std::vector<Multiplication<T>> multiplications;  // one after another, of parts of C
  std::optional<DoublingMultiplication<T>> doubling;
  Buffer<T> workspace;
  GemmTraffic traffic;

  Impl(MPI_Comm original, const GemmShape& wanted, const GemmOptions& options)
      : communicator(original), shape(wanted) {
    check_same(communicator, shape, options);
    GemmPlanRequest request = {shape, communicator.size(), options.memory, options.objective,
                               options.machine};
    request.exchange = exchange_of(options);
    decomposition = choose_gemm(request);
    check_same(communicator, *decomposition);
    name = decomposition->name();
    allocating([this, &options] { build_native(options); });
  }

  Impl(MPI_Comm original, const GemmLayouts& layouts, const GemmOptions& options)
      : communicator(original) {
    check_layout(communicator, "A", layouts.a);
    check_layout(communicator, "B", layouts.b);
    check_layout(communicator, "C", layouts.c);
    MultiplicationSetup setup = setup_of(layouts, communicator.size());
    setup.one_sided = options.backend == Backend::one_sided;
    shape = {setup.c.rows, setup.c.columns, setup.a.columns};
    if (setup.a.rows != shape.m || setup.b.rows != shape.k || setup.b.columns != shape.n) {
      throw Error("gemm",
                  size_of(setup.c) + " = " + size_of(setup.a) + " times " + size_of(setup.b),
                  "op(A) must be m x k, op(B) k x n and C m x n");
    }
    check_same(communicator, shape, options);
    if (setup.one_sided && options.memory) {  // read from the matrices themselves
      tell_places(communicator, setup.a);
      tell_places(communicator, setup.b);
    }
    allocating([&] {
      ChosenMultiplication<T> choice =
          choose_multiplication<T>(communicator, shape, setup, options);
      name = std::move(choice.name);
      multiplications.push_back(std::move(choice.multiplication));
      int next = 0;
      for (const Layout* l : {&layouts.a, &layouts.b, &layouts.c}) {
        owned[next++] = array_words(*l, communicator.rank());
      }
      workspace.resize(multiplications.front().workspace());
    });
  }

  static std::string size_of(const layout::Arrangement& x) {
    return std::to_string(x.rows) + " x " + std::to_string(x.columns);
  }

  template <class Build>
  void allocating(Build build) {
    allocate<T>(communicator, "gemm", "a rank has no memory for its buffers",
                "set a memory limit or use more ranks", build);
  }

  void build_native(const GemmOptions& options) {
    const std::vector<Cuboid> cuboids = decomposition->cuboids();
    ownership = redblue::ownership(*decomposition, cuboids);
    int next = 0;
    for (const Operand o : {Operand::a, Operand::b, Operand::c}) {
      parts[next] = owned_parts(ownership.of(o), communicator.rank());
      for (const OwnedPart& p : parts[next]) owned[next] += Words(p.end - p.begin);
      ++next;
    }
    std::int64_t most = 0;
    if (decomposition->exchange == Exchange::doubling) {
      doubling.emplace(*decomposition, cuboids, ownership, communicator.rank());
      most = doubling->workspace();
    } else {
      most = build_direct(options, cuboids, options.overlap ? 1 : 0);
      // twice the buffers, where there is room for them
      if (options.overlap && options.memory && !fits(most, *options.memory))
        most = build_direct(options, cuboids, 0);
    }
    workspace.resize(most);
  }

  // The same answer on all ranks.
  bool fits(std::int64_t most, Words memory) {
    for (const Words words : owned) most += words.value;
    return communicator.maximum(most) <= memory.value;
  }

  // Returns the words of the workspace.
  std::int64_t build_direct(const GemmOptions& options, const std::vector<Cuboid>& cuboids,
                            std::size_t ahead) {
    const int ranks = communicator.size();
    MultiplicationSetup setup;
    setup.a = native_arrangement(ownership.a, ranks, shape.m, shape.k);
    setup.b = native_arrangement(ownership.b, ranks, shape.k, shape.n);
    setup.c = native_arrangement(ownership.c, ranks, shape.m, shape.n);
    setup.ahead = ahead;
    setup.one_sided = options.backend == Backend::one_sided;
    setup.zero_copy = true;
    setup.reductions = decomposition->reductions;
    const layout::Arrangement all_of_c = setup.c;
    multiplications.clear();
    std::int64_t most = 0;
    const auto add = [&](const std::vector<Cuboid>& domains, std::int64_t steps) {
      setup.domains = domains_of(domains);
      cut_evenly(setup.domains, steps);
      multiplications.emplace_back(communicator, setup);
      most = std::max(most, multiplications.back().workspace());
    };
    if (decomposition->kind == Decomposition::Kind::stationary) {
      const auto count = static_cast<std::int64_t>(cells_in_round(*decomposition));
      for (std::int64_t r = 0; r < decomposition->rounds; ++r) {
        setup.c = native_arrangement(ownership.c, ranks, shape.m, shape.n,
                                     Range{r * count, (r + 1) * count});
        add(cuboids_in_round(*decomposition, cuboids, r), 1);
      }
      return most;
    }
    for (std::int64_t p = 0; p < decomposition->panels; ++p) {
      std::vector<Cuboid> panel = cuboids;
      if (decomposition->panels > 1) {
        const Range columns = round_of({0, shape.n}, p, decomposition->panels);
        for (Cuboid& c : panel) c.j = columns;
        setup.c = layout::restricted(all_of_c, columns);
      }
      add(panel, decomposition->rounds);
    }
    return most;
  }
};

template <class T>
GemmPlan<T>::GemmPlan(MPI_Comm communicator, const GemmShape& shape, const GemmOptions& options)
    : impl_(std::make_unique<Impl>(communicator, shape, options)) {}
template <class T>
GemmPlan<T>::GemmPlan(MPI_Comm communicator, const GemmLayouts& layouts, const GemmOptions& options)
    : impl_(std::make_unique<Impl>(communicator, layouts, options)) {}
template <class T>
GemmPlan<T>::~GemmPlan() = default;
template <class T>
GemmPlan<T>::GemmPlan(GemmPlan&&) noexcept = default;
template <class T>
GemmPlan<T>& GemmPlan<T>::operator=(GemmPlan&&) noexcept = default;

template <class T>
const GemmShape& GemmPlan<T>::shape() const {
  return impl_->shape;
}
template <class T>
const std::string& GemmPlan<T>::name() const {
  return impl_->name;
}
template <class T>
Words GemmPlan<T>::memory() const {
  Words total(impl_->workspace.size());
  for (const Words words : impl_->owned) total += words;
  return total;
}
template <class T>
Words GemmPlan<T>::owned(Operand operand) const {
  return impl_->owned[static_cast<int>(operand)];
}
template <class T>
const Decomposition& GemmPlan<T>::decomposition() const {
  return impl_->decomposition.value();
}
template <class T>
const std::vector<OwnedPart>& GemmPlan<T>::parts(Operand operand) const {
  return impl_->parts[static_cast<int>(operand)];
}
template <class T>
std::vector<OwnedPart> GemmPlan<T>::parts(Operand operand, Rank rank) const {
  return owned_parts(impl_->ownership.of(operand), rank);
}
template <class T>
void GemmPlan<T>::execute(T alpha, const T* a, const T* b, T beta, T* c) {
  const T* const arrays[] = {a, b, c};
  check_arrays(impl_->communicator, "gemm", arrays, impl_->owned);
  impl_->traffic = {};
  if (impl_->doubling) {
    impl_->doubling->execute(impl_->communicator, alpha, a, b, beta, c, impl_->workspace.data(),
                             impl_->traffic);
  }
  for (Multiplication<T>& m : impl_->multiplications) {
    m.execute(impl_->communicator, alpha, a, b, beta, c, impl_->workspace.data(), impl_->traffic);
  }
}
template <class T>
const GemmTraffic& GemmPlan<T>::traffic() const {
  return impl_->traffic;
}

template class GemmPlan<float>;
template class GemmPlan<double>;
template class GemmPlan<std::complex<float>>;
template class GemmPlan<std::complex<double>>;

}  // namespace redblue
