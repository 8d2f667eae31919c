// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/gemm/choice.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <type_traits>

#include "linalg/gemm/placement.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "redblue/error.hpp"

namespace redblue::linalg {

namespace {

std::int64_t most_steps(const std::vector<Domain>& domains) {
  std::int64_t most = 1;
  for (const Domain& d : domains) most = std::max(most, d.empty() ? 1 : d.k.size());
  return most;
}

std::int64_t matrix_words(const MultiplicationSetup& setup, Rank rank) {
  std::int64_t words = 0;
  for (const auto* x : {&setup.a, &setup.b, &setup.c}) words += x->words_on(rank);
  return words;
}

// A limit on the words of a rank: of its buffers, and of its parts of the matrices where
// these count.
struct Limit {
  Words words;
  bool with_matrices = true;
  // More rounds would need more memory for their lists of messages than they save in buffers.
  std::int64_t most_rounds = std::numeric_limits<std::int64_t>::max();
};

// Words on the busiest rank.
template <class T>
std::int64_t memory_of(comm::Communicator& communicator, const MultiplicationSetup& setup,
                       const Multiplication<T>& multiplication, bool with_matrices) {
  return communicator.maximum(multiplication.workspace() +
                              (with_matrices ? matrix_words(setup, communicator.rank()) : 0));
}

// Doubles the steps until the memory is enough or more steps hardly save any; `least` is lowered to
// the words that the attempts need.
template <class T>
std::optional<Multiplication<T>> fitted(comm::Communicator& communicator,
                                        MultiplicationSetup& setup, Limit limit, bool overlap,
                                        std::int64_t& least) {
  setup.zero_copy = true;
  std::optional<Multiplication<T>> attempt;
  std::int64_t steps = 1;
  const auto needed = [&] {
    cut_evenly(setup.domains, steps);
    std::int64_t words = 0;
    for (const std::size_t ahead : {1U, 0U}) {
      if (ahead > 0 && !(overlap && steps > 1)) continue;
      setup.ahead = ahead;
      attempt.emplace(communicator, setup);
      words = memory_of(communicator, setup, *attempt, limit.with_matrices);
      if (words <= limit.words.value) break;
    }
    return words;
  };
  const std::int64_t most = std::min(most_steps(setup.domains), limit.most_rounds);
  if (!fits_in_rounds(steps, most, limit.words, least, needed)) attempt.reset();
  return attempt;
}

}  // namespace

MultiplicationSetup setup_of(const GemmLayouts& layouts, int ranks) {
  MultiplicationSetup setup;
  setup.a = arrangement_of(layouts.a, layouts.op_a, ranks);
  setup.b = arrangement_of(layouts.b, layouts.op_b, ranks);
  setup.c = arrangement_of(layouts.c, Op::none, ranks);
  setup.conjugate_a = layouts.op_a == Op::conjugate_transpose;
  setup.conjugate_b = layouts.op_b == Op::conjugate_transpose;
  return setup;
}

template <class T>
ChosenMultiplication<T> choose_multiplication(comm::Communicator& communicator,
                                              const GemmShape& shape, MultiplicationSetup setup,
                                              const GemmOptions& given) {
  GemmOptions options = given;
  if (given.workspace) {  // what the decompositions may take with the matrices
    options.memory =
        *given.workspace + Words(communicator.maximum(matrix_words(setup, communicator.rank())));
  }
  const Rates rates = {sizeof(T) / 8.0, std::is_floating_point_v<T> ? 1.0 : 4.0,
                       communicator.oversubscribed()};
  std::vector<Placement> ways = placements(shape, setup.a, setup.b, setup.c, options, rates);
  if (!options.memory) {
    Placement& way = ways.front();
    cut_into_steps(way, setup.a, setup.b, options.machine);
    // where messages take a noticeable time but not the processor's, all steps' are posted at once
    constexpr double noticeable = 0.1;
    if (!rates.shared_processors && way.network_seconds > noticeable * way.seconds) {
      setup.ahead = way.domains.front().steps.size();
    }
    setup.domains = std::move(way.domains);
    return {ways.front().name, Multiplication<T>(communicator, setup)};
  }
  constexpr std::int64_t rounds_beside_matrices = 32;
  const Limit limit = given.workspace ? Limit{*given.workspace, false, rounds_beside_matrices}
                                      : Limit{*options.memory};
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (Placement& way : ways) {
    setup.domains = std::move(way.domains);
    std::int64_t needed = least;
    if (auto found = fitted<T>(communicator, setup, limit, options.overlap, needed)) {
      return {way.name, std::move(*found)};
    }
    if (way.always) least = std::min(least, needed);
  }
  throw Error("gemm in " + std::to_string(limit.words.value) + " words per rank" +
                  (limit.with_matrices ? "" : " beside the matrices"),
              "no multiplication of these matrices fits",
              "the least that does is " + std::to_string(least), least);
}

template ChosenMultiplication<float> choose_multiplication(comm::Communicator&, const GemmShape&,
                                                           MultiplicationSetup, const GemmOptions&);
template ChosenMultiplication<double> choose_multiplication(comm::Communicator&, const GemmShape&,
                                                            MultiplicationSetup,
                                                            const GemmOptions&);
template ChosenMultiplication<std::complex<float>> choose_multiplication(comm::Communicator&,
                                                                         const GemmShape&,
                                                                         MultiplicationSetup,
                                                                         const GemmOptions&);
template ChosenMultiplication<std::complex<double>> choose_multiplication(comm::Communicator&,
                                                                          const GemmShape&,
                                                                          MultiplicationSetup,
                                                                          const GemmOptions&);

}  // namespace redblue::linalg
