// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/gemm/placement.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "decomposition/cost.hpp"
#include "redblue/error.hpp"

namespace redblue::linalg {

using layout::Arrangement;
using layout::IndexSet;
using layout::Patch;

namespace {

constexpr std::size_t few_ranks = 64;

struct Matrices {
  const Arrangement& a;
  const Arrangement& b;
  const Arrangement& c;

  const Arrangement& of(Operand operand) const {
    return operand == Operand::a ? a : operand == Operand::b ? b : c;
  }
};

const Operand operands[] = {Operand::a, Operand::b, Operand::c};

// Words of a domain's footprints that the rank owns.
std::int64_t held_of(const Domain& domain, const Matrices& matrices, std::size_t rank) {
  if (domain.empty()) return 0;
  std::int64_t words = 0;
  for (const Operand o : operands) {
    words += count_shared(matrices.of(o).of_rank[rank], footprint(domain, o, domain.k));
  }
  return words;
}

void relabel(std::vector<Domain>& domains, const Matrices& matrices) {
  if (domains.size() > few_ranks) return;
  std::vector<std::vector<std::int64_t>> gain(domains.size());
  for (std::size_t d = 0; d < domains.size(); ++d) {
    for (std::size_t r = 0; r < domains.size(); ++r) {
      gain[d].push_back(held_of(domains[d], matrices, r));
    }
  }
  const std::vector<int> rank = best_assignment(gain);
  std::vector<Domain> result(domains.size());
  for (std::size_t d = 0; d < domains.size(); ++d) {
    result[static_cast<std::size_t>(rank[d])] = std::move(domains[d]);
  }
  domains = std::move(result);
}

// Ranks other than `rank` that own some of `wanted`; beyond few_ranks, all.
std::int64_t holders(const Arrangement& matrix, const Patch& wanted, std::size_t rank) {
  const std::size_t ranks = matrix.of_rank.size();
  if (ranks > few_ranks) return static_cast<std::int64_t>(ranks) - 1;
  std::int64_t count = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r != rank && count_shared(matrix.of_rank[r], wanted) > 0) ++count;
  }
  return count;
}

// Words that the busiest rank receives: `fetched` of A and B, and contributions to its part of C.
std::int64_t busiest(const std::vector<Domain>& domains, const Arrangement& c,
                     std::vector<std::int64_t> fetched, std::int64_t contributed) {
  for (std::size_t r = 0; r < domains.size(); ++r) {
    if (domains.size() > few_ranks) {
      fetched[r] += contributed / static_cast<std::int64_t>(domains.size());
      continue;
    }
    for (std::size_t from = 0; from < domains.size(); ++from) {
      if (from == r || domains[from].empty()) continue;
      const Patch block = footprint(domains[from], Operand::c, domains[from].k);
      fetched[r] += count_shared(c.of_rank[r], block);
    }
  }
  return *std::max_element(fetched.begin(), fetched.end());
}

// Received words of A and B on the busiest rank and of C on the average one; packing or unpacking a
// word costs as much as receiving it.
void predict(Placement& placement, const Matrices& matrices, const GemmOptions& options,
             const Rates& rates) {
  const std::vector<Domain>& domains = placement.domains;
  std::int64_t worst = 0;
  std::int64_t contributed = 0;
  std::vector<std::int64_t> fetched(domains.size());
  double most_work = 0;
  double all_work = 0;
  Cost cost;
  for (std::size_t r = 0; r < domains.size(); ++r) {
    const Domain& d = domains[r];
    if (d.empty()) continue;
    std::int64_t words = 0;
    std::int64_t messages = 0;
    for (const Operand o : operands) {
      const Patch need = footprint(d, o, d.k);
      const std::vector<Patch>& own = matrices.of(o).of_rank[r];
      const std::int64_t missing = need.size() - count_shared(own, need);
      if (missing > 0) messages += holders(matrices.of(o), need, r);
      if (o == Operand::c) {
        contributed += missing;
      } else {
        words += missing;
        fetched[r] += missing;
      }
      if (!stored_block(own, need)) words += need.size();
    }
    worst = std::max(worst, words);
    cost.messages = std::max(cost.messages, Messages(messages));
    const std::int64_t work = d.i.size() * d.j.size() * d.k.size();
    most_work = std::max(most_work, static_cast<double>(work));
    all_work += static_cast<double>(work);
  }
  const double received = static_cast<double>(worst) +
                          static_cast<double>(contributed) / static_cast<double>(domains.size());
  cost.words = Words(static_cast<std::int64_t>(received * rates.element_words));
  const double work =
      rates.shared_processors ? all_work / static_cast<double>(domains.size()) : most_work;
  cost.work = std::floor(work * rates.flops);
  placement.words = busiest(domains, matrices.c, fetched, contributed);
  placement.messages = cost.messages;
  placement.seconds = predicted_seconds(cost, options.machine);
  cost.work = 0;
  placement.network_seconds = predicted_seconds(cost, options.machine);
}

// For each rank the multiplications that read or write exactly its own part of one operand.
std::optional<std::vector<Domain>> in_place(const GemmShape& shape, const Arrangement& matrix,
                                            Operand operand) {
  std::vector<Domain> domains(matrix.of_rank.size());
  const IndexSet all_i(Range{0, shape.m});
  const IndexSet all_j(Range{0, shape.n});
  const IndexSet all_k(Range{0, shape.k});
  for (std::size_t r = 0; r < domains.size(); ++r) {
    if (matrix.of_rank[r].empty()) continue;
    if (matrix.of_rank[r].size() > 1) return std::nullopt;
    const IndexSet rows = matrix.of_rank[r].front().rows.dense();
    const IndexSet columns = matrix.of_rank[r].front().columns.dense();
    if (operand == Operand::a) domains[r] = {rows, all_j, columns, {}};
    if (operand == Operand::b) domains[r] = {all_i, columns, rows, {}};
    if (operand == Operand::c) domains[r] = {rows, columns, all_k, {}};
  }
  return domains;
}

std::optional<Placement> decomposed(const GemmShape& shape, const Matrices& matrices,
                                    const GemmOptions& options, std::optional<Words> memory) {
  const int ranks = static_cast<int>(matrices.c.of_rank.size());
  try {
    // all ranks have parts of the matrices already, so that none idles to save messages
    const Decomposition d = choose_gemm_by_cost(
        {shape, ranks, memory, options.objective, options.machine, Exchange::direct}, false);
    Placement result{d.name(), domains_of(d.cuboids()), 0, 0, {}, 0, !memory.has_value()};
    relabel(result.domains, matrices);
    return result;
  } catch (const Error&) {
    return std::nullopt;  // not within the memory; others may be
  }
}

}  // namespace

std::vector<Domain> domains_of(const std::vector<Cuboid>& cuboids) {
  std::vector<Domain> domains;
  domains.reserve(cuboids.size());
  for (const Cuboid& c : cuboids) {
    if (c.empty()) {
      domains.emplace_back();
    } else {
      domains.push_back({IndexSet(c.i), IndexSet(c.j), IndexSet(c.k), {}});
    }
  }
  return domains;
}

std::vector<Placement> placements(const GemmShape& shape, const Arrangement& a,
                                  const Arrangement& b, const Arrangement& c,
                                  const GemmOptions& options, const Rates& rates) {
  const Matrices matrices{a, b, c};
  std::vector<Placement> result;
  if (options.memory) {
    if (auto d = decomposed(shape, matrices, options, options.memory)) {
      result.push_back(std::move(*d));
    }
  }
  result.push_back(decomposed(shape, matrices, options, std::nullopt).value());
  const char* const names[] = {"A", "B", "C"};
  const bool fewest_words = options.objective == Objective::words;
  std::vector<Placement> grouped;  // last: some are what is in place under another name
  for (const Operand o : operands) {
    const auto domains = in_place(shape, matrices.of(o), o);
    if (!domains) continue;
    const std::string name = names[static_cast<int>(o)];
    result.push_back({name + " in place", *domains, 0, 0, {}, 0, true});
    if (!fewest_words || domains->size() > few_ranks) continue;
    for (const std::int64_t size : {2, 3, 4, 6, 8}) {
      if (2 * size > static_cast<std::int64_t>(domains->size()) + 1) break;
      for (std::vector<Domain>& groups : in_groups(*domains, o, a, b, c, size)) {
        grouped.push_back(
            {name + " in groups of " + std::to_string(size), std::move(groups), 0, 0, {}, 0, true});
      }
    }
  }
  result.insert(result.end(), std::make_move_iterator(grouped.begin()),
                std::make_move_iterator(grouped.end()));
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (Placement& p : result) {
    predict(p, matrices, options, rates);
    least = std::min(least, p.words);
  }
  // of those that move about as little, the fastest
  const std::int64_t few = fewest_words ? least + least / 50 : -1;
  std::stable_sort(result.begin(), result.end(), [few](const Placement& x, const Placement& y) {
    const auto key = [few](const Placement& p) {
      return std::pair(few < 0 || p.words <= few ? 0 : p.words, p.seconds);
    };
    return key(x) < key(y);
  });
  return result;
}

}  // namespace redblue::linalg
