// SPDX-License-Identifier: BSD-3-Clause
// The public plans of symmetric updates: native layout or the caller's.
#include <algorithm>
#include <complex>
#include <limits>
#include <string>
#include <utility>

#include "decomposition/symmetric/triangle.hpp"
#include "linalg/blas/buffer.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "linalg/plan/native.hpp"
#include "linalg/symmetric/column_order.hpp"
#include "linalg/symmetric/triangle_parts.hpp"
#include "linalg/symmetric/triangle_update.hpp"
#include "redblue/error.hpp"
#include "redblue/symmetric.hpp"
#include "redblue/symmetric_model.hpp"

namespace redblue::linalg {

TriangleSetup setup_of(const SyrkLayouts& layouts, int ranks) {
  TriangleSetup setup;
  setup.factors.push_back(arrangement_of(layouts.a, layouts.op, ranks));
  if (layouts.b) setup.factors.push_back(arrangement_of(*layouts.b, layouts.op, ranks));
  setup.by_owner = columns_by_owner(setup.factors);
  setup.conjugate_factors = layouts.op == Op::conjugate_transpose;
  // The upper triangle of C is the lower one of its transpose.
  const bool upper = layouts.triangle == Triangle::upper;
  setup.c = arrangement_of(layouts.c, upper ? Op::transpose : Op::none, ranks);
  setup.conjugate_c = upper && layouts.hermitian;
  setup.hermitian = layouts.hermitian;
  return setup;
}

namespace {

// k cut among all ranks, all of C on each.
TriangleDecomposition all_of_c(const SyrkPlanRequest& request) {
  TriangleDecomposition d;
  d.shape = request.shape;
  d.ranks = d.replicas = request.ranks;
  d.row_blocks_of = {{0}};
  d.pairs = {{{0, 0}}};
  return d;
}

// What the busiest rank receives of columns of the factors, numbered by their owners, and of the
// others' sums for the part of C that it has. k >= ranks: all have sums.
double words_with_sums(const TriangleSetup& setup, const TriangleDecomposition& d) {
  const layout::Arrangement panels = row_panels(d, d.ranks, 0);
  std::int64_t most = 0;
  for (std::size_t r = 0; r < panels.of_rank.size(); ++r) {
    const std::int64_t c = setup.c.words_on(Rank(static_cast<int>(r)), layout::Part::lower);
    most =
        std::max(most, words_to_receive(panels.of_rank[r], *setup.by_owner, r) + c * (d.ranks - 1));
  }
  return static_cast<double>(most);
}

// Whether sums of all of C on every rank move less than the setup as it is, with about as even
// work. They take a whole C on every rank: no more than a few times what it has of the matrices.
bool sums_pay(const TriangleSetup& setup, const TriangleDecomposition& d) {
  constexpr double few = 4, slack = 1.25;
  const auto n = static_cast<double>(d.shape.n);
  const auto columns = static_cast<double>(d.shape.k) / d.ranks;
  const auto most_columns = static_cast<double>((d.shape.k + d.ranks - 1) / d.ranks);
  const double held = n * (columns * static_cast<double>(setup.factors.size()) + n / d.ranks);
  if (d.ranks == 1 || most_columns > slack * columns || n * n > few * held) return false;
  const double usual = setup.in_place ? static_cast<double>(words_in_place(setup.c, setup.factors))
                                      : words_with_way(setup.decomposition, setup.factors.size(),
                                                       setup.c.of_rank.size());
  return words_with_sums(setup, d) < usual;
}

}  // namespace

void choose_blocks_or_place(TriangleSetup& setup, const SyrkPlanRequest& request) {
  setup.decomposition = choose_syrk(request);
  setup.in_place = pays_in_place(setup.decomposition, setup.c, setup.factors);
  if (setup.in_place) setup.decomposition = shape_only(request.shape);
}

bool decompose(TriangleSetup& setup, const SyrkPlanRequest& request) {
  choose_blocks_or_place(setup, request);
  if (!setup.by_owner) return false;
  TriangleDecomposition sums = all_of_c(request);
  if (!sums_pay(setup, sums)) return false;
  setup.decomposition = std::move(sums);
  setup.in_place = false;
  return true;
}

std::string name_of(const TriangleSetup& setup) {
  if (!setup.in_place) {
    return setup.decomposition.name() + (setup.takes_by_owner() ? ", columns by owner" : "");
  }
  const std::int64_t rounds = setup.decomposition.rounds;
  return rounds == 1 ? "C in place" : "C in place in " + std::to_string(rounds) + " rounds";
}

}  // namespace redblue::linalg

namespace redblue {

using namespace linalg;
using comm::Communicator;

namespace {

void check_same(Communicator& communicator, const SyrkShape& shape, const SyrkOptions& options) {
  if (!communicator.same_everywhere({shape.n, shape.k, options.memory.value_or(Words(-1)).value})) {
    throw Error("syrk", "ranks ask for different sizes",
                "call it with the same sizes on all ranks");
  }
}

void check_sizes(const TriangleSetup& setup) {
  const auto text = [](const layout::Arrangement& x) {
    return std::to_string(x.rows) + " x " + std::to_string(x.columns);
  };
  for (const layout::Arrangement& x : setup.factors) {
    const layout::Arrangement& a = setup.factors.front();
    if (x.rows == setup.c.rows && setup.c.rows == setup.c.columns && x.columns == a.columns) {
      continue;
    }
    throw Error("syrk", "C " + text(setup.c) + " of factors " + text(a) + " and " + text(x),
                "C must be n x n and all factors n x k after op");
  }
}

}  // namespace

template <class T>
struct SyrkPlan<T>::Impl {
  Communicator communicator;
  TriangleSetup setup;
  std::string name;
  std::vector<OwnedPart> parts_a, parts_c;  // B's are A's
  Words owned[3];
  std::optional<TriangleUpdate<T>> update;
  Buffer<T> workspace;
  GemmTraffic traffic;

  explicit Impl(MPI_Comm original) : communicator(original) {}

  SyrkPlanRequest request(const SyrkShape& shape, const SyrkOptions& options) const {
    return {shape, communicator.size(), options.memory, options.objective, options.machine};
  }

  void own_natively(const SyrkShape& shape, bool two_factors) {
    const Ownership all = ownership(setup.decomposition);
    setup.factors.push_back(native_arrangement(all.a, communicator.size(), shape.n, shape.k));
    if (two_factors) setup.factors.push_back(setup.factors.front());
    setup.c = native_arrangement(all.c, communicator.size(), shape.n, shape.n);
    parts_a = owned_parts(all.a, communicator.rank());
    parts_c = owned_parts(all.c, communicator.rank());
  }

  Words owned_words() const { return owned[0] + owned[1] + owned[2]; }

  bool fits(Words limit, std::int64_t& least) {
    TriangleDecomposition& d = setup.decomposition;
    const std::int64_t most = std::max<std::int64_t>(1, d.shape.k);
    return fits_in_rounds(d.rounds, most, limit, least, [this] {
      const TriangleUpdate<T> attempt(communicator, setup);
      return communicator.maximum(owned_words().value + attempt.workspace());
    });
  }

  // The choice without a limit, if it is not triangle blocks and fits; else C in place, if that is
  // the choice among these two and fits; else triangle blocks.
  void fit(const SyrkPlanRequest& request) {
    const Words limit = *request.memory;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    setup.zero_copy = true;
    SyrkPlanRequest free = request;
    free.memory.reset();
    const bool sums = decompose(setup, free);
    if ((sums || setup.in_place) && fits(limit, least)) return;
    if (sums) {
      choose_blocks_or_place(setup, free);
      if (setup.in_place && fits(limit, least)) return;
    }
    setup.in_place = false;
    for (const SyrkPlanRequest& r : {request, free}) {
      try {
        setup.decomposition = choose_syrk(r);
      } catch (const Error&) {
        continue;  // no triangle blocks fit, even without a caller's layout
      }
      if (fits(limit, least)) return;
    }
    refuse_beyond(communicator, "syrk", limit, Words(least));
  }

  // The arrangements are tens of megabytes on a thousand ranks, and not needed afterwards.
  void build() {
    allocate<T>(communicator, "syrk", "a rank has no memory for its buffers",
                "set a memory limit or use more ranks", [this] {
                  update.emplace(communicator, setup);
                  name = name_of(setup);
                  setup.factors.clear();
                  setup.by_owner.reset();
                  setup.c = {};
                  workspace.resize(update->workspace());
                });
  }
};

template <class T>
SyrkPlan<T>::SyrkPlan(MPI_Comm communicator, const SyrkShape& shape, bool hermitian,
                      const SyrkOptions& options)
    : impl_(std::make_unique<Impl>(communicator)) {
  Impl& p = *impl_;
  check_same(p.communicator, shape, options);
  const SyrkPlanRequest request = p.request(shape, options);
  p.setup.decomposition = options.two_factors ? choose_symmetric(SymmetricKernel::syr2k, request)
                                              : choose_syrk(request);
  p.setup.hermitian = hermitian;
  p.setup.zero_copy = true;
  p.own_natively(shape, options.two_factors);
  for (const OwnedPart& x : p.parts_a) p.owned[0] += Words(x.end - x.begin);
  if (options.two_factors) p.owned[1] = p.owned[0];
  for (const OwnedPart& x : p.parts_c) p.owned[2] += Words(x.end - x.begin);
  p.build();
}

template <class T>
SyrkPlan<T>::SyrkPlan(MPI_Comm communicator, const SyrkLayouts& layouts, const SyrkOptions& options)
    : impl_(std::make_unique<Impl>(communicator)) {
  Impl& p = *impl_;
  check_layout(p.communicator, "A", layouts.a);
  if (layouts.b) check_layout(p.communicator, "B", *layouts.b);
  check_layout(p.communicator, "C", layouts.c);
  p.setup = setup_of(layouts, p.communicator.size());
  check_sizes(p.setup);
  const SyrkShape shape = {p.setup.c.rows, p.setup.factors.front().columns};
  check_same(p.communicator, shape, options);
  const Rank me = p.communicator.rank();
  p.owned[0] = array_words(layouts.a, me);
  if (layouts.b) p.owned[1] = array_words(*layouts.b, me);
  p.owned[2] = array_words(layouts.c, me);
  if (options.memory) {
    p.fit(p.request(shape, options));
  } else {
    decompose(p.setup, p.request(shape, options));
  }
  p.build();
}

template <class T>
SyrkPlan<T>::~SyrkPlan() = default;
template <class T>
SyrkPlan<T>::SyrkPlan(SyrkPlan&&) noexcept = default;
template <class T>
SyrkPlan<T>& SyrkPlan<T>::operator=(SyrkPlan&&) noexcept = default;

template <class T>
const TriangleDecomposition& SyrkPlan<T>::decomposition() const {
  return impl_->setup.decomposition;
}
template <class T>
std::string SyrkPlan<T>::name() const {
  return impl_->name;
}
template <class T>
Words SyrkPlan<T>::memory() const {
  return Words(impl_->workspace.size()) + impl_->owned_words();
}
template <class T>
const std::vector<OwnedPart>& SyrkPlan<T>::parts(Operand operand) const {
  return operand == Operand::c ? impl_->parts_c : impl_->parts_a;
}
template <class T>
void SyrkPlan<T>::execute(T alpha, const T* a, const T* b, T beta, T* c) {
  const T* const arrays[] = {a, b, c};
  check_arrays(impl_->communicator, "syrk", arrays, impl_->owned);
  impl_->traffic = {};
  impl_->update->execute(impl_->communicator, alpha, a, b, beta, c, impl_->workspace.data(),
                         impl_->traffic);
}
template <class T>
const GemmTraffic& SyrkPlan<T>::traffic() const {
  return impl_->traffic;
}

template class SyrkPlan<float>;
template class SyrkPlan<double>;
template class SyrkPlan<std::complex<float>>;
template class SyrkPlan<std::complex<double>>;

}  // namespace redblue
