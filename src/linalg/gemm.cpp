// Executing a decomposition (shared/design/parallel.md 1): exchange the missing parts of A and B,
// multiply, reduce the contributions to C to their owners.
#include <algorithm>
#include <new>
#include <utility>

#include "comm/communicator.hpp"
#include "linalg/blas.hpp"
#include "linalg/gemm_messages.hpp"
#include "redblue/error.hpp"
#include "redblue/linalg.hpp"

namespace redblue {

using comm::Communicator;
using comm::Message;
using comm::Segment;

namespace {

// to[..] = from[..] over two segment lists of equal total length.
template <class Assign>
void combine(const Segments& from, const Segments& to, const double* source, double* target,
             Assign assign) {
  std::size_t f = 0;
  std::int64_t used = 0;
  for (const Segment& t : to) {
    for (std::int64_t done = 0; done < t.length;) {
      const std::int64_t length = std::min(t.length - done, from[f].length - used);
      const double* s = source + from[f].offset + used;
      double* d = target + t.offset + done;
      for (std::int64_t e = 0; e < length; ++e) assign(d[e], s[e]);
      done += length;
      used += length;
      if (used == from[f].length) {
        ++f;
        used = 0;
      }
    }
  }
}

// Runs BLAS once, so that its own set-up is not part of the first multiplication.
void warm_up_blas() {
  constexpr std::size_t n = 64;
  const std::vector<double> x(n * n, 1.0);
  std::vector<double> y(n * n, 0.0);
  blas::gemm(n, n, n, 1.0, x.data(), n, x.data(), n, 0.0, y.data(), n);
}

}  // namespace

Traffic GemmTraffic::total() const {
  return {exchange.words_received + reduce.words_received, exchange.words_sent + reduce.words_sent,
          exchange.messages_received + reduce.messages_received,
          exchange.messages_sent + reduce.messages_sent};
}

struct GemmPlan::Impl {
  Communicator communicator;
  Decomposition decomposition;
  Ownership ownership;
  Cuboid mine;
  Input a, b;
  Output c;
  std::vector<OwnedPart> parts[3];
  Words owned[3];
  std::vector<MPI_Request> sends, receives, later;
  GemmTraffic traffic;

  Impl(MPI_Comm original, const GemmShape& shape, const GemmOptions& options)
      : communicator(original) {
    const bool agreed = communicator.same_everywhere(shape.m) &&
                        communicator.same_everywhere(shape.n) &&
                        communicator.same_everywhere(shape.k) &&
                        communicator.same_everywhere(options.memory.value_or(Words(-1)).value);
    if (!agreed)
      throw Error("gemm", "ranks ask for different sizes",
                  "call it with the same sizes on all ranks");
    decomposition = choose_gemm(
        {shape, communicator.size(), options.memory, options.objective, options.machine});
    bool allocated = true;
    try {
      build();
    } catch (const std::bad_alloc&) {
      allocated = false;
    }
    if (!communicator.all(allocated)) {
      throw Error("gemm", "a rank has no memory for its buffers",
                  "set a memory limit or use more ranks");
    }
    warm_up_blas();
  }

  void build() {
    const std::vector<Cuboid> cuboids = decomposition.cuboids();
    ownership = redblue::ownership(decomposition, cuboids);
    const Rank me = communicator.rank();
    mine = cuboids[static_cast<std::size_t>(me.value)];
    const auto cells_a = local_cells(ownership.a, me);
    const auto cells_b = local_cells(ownership.b, me);
    const auto cells_c = local_cells(ownership.c, me);
    a = input_plan(cells_a, Operand::a, cuboids, decomposition.rounds, me);
    b = input_plan(cells_b, Operand::b, cuboids, decomposition.rounds, me);
    c = output_plan(cells_c, mine, me, communicator.size());
    int next = 0;
    for (const auto* cells : {&cells_a, &cells_b, &cells_c}) {
      parts[next] = owned_parts(*cells);
      owned[next++] = total_share(*cells);
    }
    sends.reserve(a.sends.size() + b.sends.size() + c.sends.size());
    std::size_t most = c.contributions.size();
    for (std::size_t r = 0; r < a.rounds.size(); ++r) {
      most = std::max(most, a.rounds[r].receives.size() + b.rounds[r].receives.size());
    }
    receives.reserve(most);
    later.reserve(1);
  }

  void start_round(Input& input, Input::Round& round) {
    for (const Message& m : round.receives) {
      communicator.receive(input.buffer.data(), m, receives, traffic.exchange);
    }
  }

  // The slab of a round as BLAS reads it, own part included.
  static const double* slab(Input& input, const Input::Round& round, const double* owned_words) {
    return round.in_place >= 0 ? owned_words + round.in_place : input.buffer.data();
  }

  static void copy_own(Input& input, const Input::Round& round, const double* owned_words) {
    if (round.in_place >= 0) return;
    combine(round.own.from, round.own.to, owned_words, input.buffer.data(),
            [](double& to, double from) { to = from; });
  }

  void multiply(double alpha, const double* owned_a, const double* owned_b, double beta,
                double* owned_c) {
    const std::int64_t m = mine.i.size();
    const std::int64_t n = mine.j.size();
    for (std::size_t r = 0; r < a.rounds.size(); ++r) {
      start_round(a, a.rounds[r]);
      start_round(b, b.rounds[r]);
      copy_own(a, a.rounds[r], owned_a);
      copy_own(b, b.rounds[r], owned_b);
      Communicator::wait(receives);
      const std::int64_t k = k_range(a.rounds[r].slab.block, Operand::a).size();
      const double first = c.in_place ? beta : 0.0;
      blas::gemm(m, n, k, alpha, slab(a, a.rounds[r], owned_a), m, slab(b, b.rounds[r], owned_b), k,
                 r == 0 ? first : 1.0, c.in_place ? owned_c : c.buffer.data(), m);
    }
  }

  void reduce(double beta, double* owned_c) {
    if (c.in_place) return;
    for (const Message& m : c.sends) communicator.send(c.buffer.data(), m, sends, traffic.reduce);
    const auto staging = [this](std::size_t i) {
      return c.staging.data() + static_cast<std::int64_t>(i % 2) * c.half;
    };
    std::vector<MPI_Request>* pending[] = {&receives, &later};
    const auto start = [&](std::size_t i) {
      communicator.receive(staging(i), c.contributions[i].receive, *pending[i % 2], traffic.reduce);
    };
    if (!c.contributions.empty()) start(0);
    combine(c.own.from, c.own.to, c.buffer.data(), owned_c,
            [beta](double& to, double from) { to = beta == 0 ? from : beta * to + from; });
    for (std::size_t i = 0; i < c.contributions.size(); ++i) {
      if (i + 1 < c.contributions.size()) start(i + 1);
      Communicator::wait(*pending[i % 2]);
      combine(c.contributions[i].staged, c.contributions[i].owned, staging(i), owned_c,
              [](double& to, double from) { to += from; });
    }
  }

  void execute(double alpha, const double* owned_a, const double* owned_b, double beta,
               double* owned_c) {
    traffic = {};
    for (const Message& m : a.sends) communicator.send(owned_a, m, sends, traffic.exchange);
    for (const Message& m : b.sends) communicator.send(owned_b, m, sends, traffic.exchange);
    multiply(alpha, owned_a, owned_b, beta, owned_c);
    reduce(beta, owned_c);
    Communicator::wait(sends);
  }
};

GemmPlan::GemmPlan(MPI_Comm communicator, const GemmShape& shape, const GemmOptions& options)
    : impl_(std::make_unique<Impl>(communicator, shape, options)) {}
GemmPlan::~GemmPlan() = default;
GemmPlan::GemmPlan(GemmPlan&&) noexcept = default;
GemmPlan& GemmPlan::operator=(GemmPlan&&) noexcept = default;

const Decomposition& GemmPlan::decomposition() const {
  return impl_->decomposition;
}
Words GemmPlan::owned(Operand operand) const {
  return impl_->owned[static_cast<int>(operand)];
}
const std::vector<OwnedPart>& GemmPlan::parts(Operand operand) const {
  return impl_->parts[static_cast<int>(operand)];
}
std::vector<OwnedPart> GemmPlan::parts(Operand operand, Rank rank) const {
  return owned_parts(local_cells(impl_->ownership.of(operand), rank));
}
void GemmPlan::execute(double alpha, const double* a, const double* b, double beta, double* c) {
  impl_->execute(alpha, a, b, beta, c);
}
const GemmTraffic& GemmPlan::traffic() const {
  return impl_->traffic;
}

}  // namespace redblue
