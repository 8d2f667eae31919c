// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/stationary.hpp"

#include <algorithm>
#include <array>

#include "decomposition/cost.hpp"

namespace redblue {

namespace {

constexpr int quarters = 4;

// A rank's position: its quarter (row and column half), its strip there, its piece of k in the
// strip.
struct Position {
  int i_half, j_half;
  std::int64_t first, ranks;  // of the strip: ranks of the quarter before it, and in it
  std::int64_t piece;
};

Position position_of(const Decomposition& d, int rank) {
  const int each = d.ranks / quarters;
  const int quarter = rank / each;
  const std::int64_t index = rank % each;
  std::int64_t strip = index * d.strips / each;
  while (fraction_of(each, strip + 1, d.strips) <= index) ++strip;
  const std::int64_t first = fraction_of(each, strip, d.strips);
  return {quarter % 2, quarter / 2, first, fraction_of(each, strip + 1, d.strips) - first,
          index - first};
}

Range half_of(std::int64_t length, int half) {
  return round_of({0, length}, half, 2);
}

std::int64_t common(const Range& a, const Range& b) {
  return std::max<std::int64_t>(0, std::min(a.end, b.end) - std::max(a.begin, b.begin));
}

std::int64_t common(const Block& a, const Block& b) {
  return common(a.rows, b.rows) * common(a.columns, b.columns);
}

// The ranks that share C's block of the strip that begins with `first`.
std::vector<int> strip_of(const Decomposition& d, int first) {
  std::vector<int> ranks;
  for (std::int64_t t = 0; t < position_of(d, first).ranks; ++t)
    ranks.push_back(first + static_cast<int>(t));
  return ranks;
}

}  // namespace

bool keeps_a(const Decomposition& d, int rank) {
  const int quarter = rank / (d.ranks / quarters);
  return quarter == 0 || quarter == quarters - 1;
}

std::vector<Cuboid> stationary_cuboids(const Decomposition& d) {
  const std::int64_t each = d.ranks / quarters;
  std::vector<Cuboid> result(static_cast<std::size_t>(d.ranks));
  for (int r = 0; r < d.ranks; ++r) {
    const Position at = position_of(d, r);
    Cuboid& box = result[static_cast<std::size_t>(r)];
    box = {half_of(d.shape.m, at.i_half), half_of(d.shape.n, at.j_half),
           round_of({0, d.shape.k}, at.piece, at.ranks)};
    Range& side = keeps_a(d, r) ? box.i : box.j;
    side = {side.begin + fraction_of(side.size(), at.first, each),
            side.begin + fraction_of(side.size(), at.first + at.ranks, each)};
  }
  return result;
}

std::vector<Cuboid> cuboids_in_round(const Decomposition& d, const std::vector<Cuboid>& cuboids,
                                     std::int64_t round) {
  std::vector<Cuboid> result = cuboids;
  for (std::size_t r = 0; r < result.size(); ++r) {
    Range& moving = keeps_a(d, static_cast<int>(r)) ? result[r].j : result[r].i;
    moving = round_of(moving, round, d.rounds);
  }
  return result;
}

std::size_t cells_in_round(const Decomposition& d) {
  return static_cast<std::size_t>(quarters) * static_cast<std::size_t>(d.strips);
}

Ownership stationary_ownership(const Decomposition& d, const std::vector<Cuboid>& cuboids) {
  Ownership result;
  for (int r = 0; r < d.ranks; ++r) {
    const Operand kept = keeps_a(d, r) ? Operand::a : Operand::b;
    (kept == Operand::a ? result.a : result.b)
        .push_back(even_cell(footprint(cuboids[static_cast<std::size_t>(r)], kept), {r}));
  }
  for (std::int64_t round = 0; round < d.rounds; ++round) {
    const std::vector<Cuboid> now = cuboids_in_round(d, cuboids, round);
    for (int r = 0; r < d.ranks; r += static_cast<int>(position_of(d, r).ranks)) {
      result.c.push_back(
          even_cell(footprint(now[static_cast<std::size_t>(r)], Operand::c), strip_of(d, r)));
    }
  }
  return result;
}

std::vector<Sending> sendings(const Decomposition& d, const std::vector<Cuboid>& cuboids,
                              const Ownership& ownership, Operand operand, std::int64_t round) {
  std::vector<Sending> result;
  if (operand == Operand::c) {
    const std::size_t count = cells_in_round(d);
    for (std::size_t c = 0; c < count; ++c) {
      const Cell& cell = ownership.c[static_cast<std::size_t>(round) * count + c];
      for (const int from : cell.needers) {
        for (std::size_t t = 0; t < cell.needers.size(); ++t) {
          if (from == cell.needers[t] || cell.share(t) == 0) continue;
          result.push_back({from, cell.needers[t], cell.share(t)});
        }
      }
    }
    return result;
  }
  const bool of_a = operand == Operand::a;
  const std::vector<Cuboid> now = cuboids_in_round(d, cuboids, round);
  for (int to = 0; to < d.ranks; ++to) {
    if (keeps_a(d, to) == of_a) continue;
    const Block needed = footprint(now[static_cast<std::size_t>(to)], operand);
    for (const Cell& cell : ownership.of(operand)) {
      const std::int64_t words = common(cell.block, needed);
      if (words > 0) result.push_back({cell.needers.front(), to, words});
    }
  }
  return result;
}

namespace {

// Rounds have two sizes: so many of so many lines.
struct Rounds {
  std::int64_t lines, count;
};
std::array<Rounds, 2> rounds_of(const Range& moving, std::int64_t rounds) {
  const std::int64_t longer = moving.size() % rounds;
  return {{{moving.size() / rounds, rounds - longer}, {moving.size() / rounds + 1, longer}}};
}

// The words of C's block of a round that a rank owns.
std::int64_t share_of(const Position& at, std::int64_t block) {
  return fraction_of(block, at.piece + 1, at.ranks) - fraction_of(block, at.piece, at.ranks);
}

const Range& moving_side(const Decomposition& d, const Cuboid& box, int rank) {
  return keeps_a(d, rank) ? box.j : box.i;
}
std::int64_t kept_side(const Decomposition& d, const Cuboid& box, int rank) {
  return keeps_a(d, rank) ? box.i.size() : box.j.size();
}

// In how many rounds what rank `from` keeps goes to rank `to`.
std::int64_t rounds_between(const Decomposition& d, const std::vector<Cuboid>& cuboids, int from,
                            int to) {
  const Cuboid& source = cuboids[static_cast<std::size_t>(from)];
  const Cuboid& target = cuboids[static_cast<std::size_t>(to)];
  if (keeps_a(d, from) == keeps_a(d, to) || common(source.k, target.k) == 0) return 0;
  const Range& kept = keeps_a(d, from) ? source.i : source.j;
  const Range& moving = moving_side(d, target, to);
  const Range both = {std::max(kept.begin, moving.begin), std::min(kept.end, moving.end)};
  if (both.size() <= 0) return 0;
  return round_index(moving, both.end - 1, d.rounds) - round_index(moving, both.begin, d.rounds) +
         1;
}

}  // namespace

Cost stationary_words(const Decomposition& d) {
  const std::vector<Cuboid> cuboids = stationary_cuboids(d);
  Cost cost;
  for (int r = 0; r < d.ranks; ++r) {
    const Cuboid& box = cuboids[static_cast<std::size_t>(r)];
    const Range& moving = moving_side(d, box, r);
    const std::int64_t across = kept_side(d, box, r);
    const Position at = position_of(d, r);
    std::int64_t owned = across * box.k.size();
    std::int64_t words = moving.size() * box.k.size();
    std::int64_t buffers = 0;
    for (const auto& [lines, count] : rounds_of(moving, d.rounds)) {
      if (count == 0) continue;
      const std::int64_t block = across * lines;  // of C
      const std::int64_t share = share_of(at, block);
      owned += count * share;
      words += count * share * (at.ranks - 1);
      // a block of C that no other rank adds to is in its place
      const std::int64_t contributions = at.ranks > 1 ? block : 0;
      const std::int64_t received = std::min<std::int64_t>(2, at.ranks - 1) * share;
      buffers = std::max(buffers, contributions + std::max(lines * box.k.size(), received));
    }
    cost.words = std::max(cost.words, Words(words));
    cost.mean_words += static_cast<double>(words) / d.ranks;
    cost.memory = std::max(cost.memory, Words(owned + buffers));
    cost.resident = std::max(cost.resident, Words(owned));
    cost.work = std::max(cost.work, box.volume());
  }
  return cost;
}

Cost stationary_cost(const Decomposition& d, const Machine& machine) {
  Cost cost = stationary_words(d);
  const std::vector<Cuboid> cuboids = stationary_cuboids(d);
  for (int to = 0; to < d.ranks; ++to) {
    const Cuboid& box = cuboids[static_cast<std::size_t>(to)];
    const Position at = position_of(d, to);
    std::int64_t messages = 0;
    for (int from = 0; from < d.ranks; ++from) messages += rounds_between(d, cuboids, from, to);
    for (const auto& [lines, count] : rounds_of(moving_side(d, box, to), d.rounds)) {
      if (share_of(at, kept_side(d, box, to) * lines) > 0) messages += count * (at.ranks - 1);
    }
    cost.messages = std::max(cost.messages, Messages(messages));
  }
  cost.seconds = predicted_seconds(cost, machine);
  return cost;
}

}  // namespace redblue
