// SPDX-License-Identifier: BSD-3-Clause
// Moves between random arrangements against what each element must become, one by one, and words
// and messages against counting the elements that change ranks.
#include "comm/transfer.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "comm/random_arrangements.hpp"
#include "linalg/plan/caller_layouts.hpp"

namespace redblue::comm {
namespace {

struct Way {
  const char* name;
  bool zero_copy, one_sided, add;
};
constexpr Way ways[] = {{"Buffers", false, false, false},
                        {"BuffersAdding", false, false, true},
                        {"Matrices", true, false, false},
                        {"MatricesAdding", true, false, true},
                        {"Windows", false, true, false},
                        {"WindowsAdding", false, true, true},
                        {"OneSidedFromMatrices", true, true, false},
                        {"OneSidedFromMatricesAdding", true, true, true}};

void PrintTo(const Way& way, std::ostream* to) {
  *to << way.name;
}

// Rectangles of any rows and columns, of each rank its own; one rank's is everything where
// `covers`. Elements may lie on several ranks.
layout::Arrangement overlapping(Dice& dice, std::int64_t rows, std::int64_t columns, int ranks,
                                bool covers) {
  const auto some = [&dice](std::int64_t extent, bool all) {
    std::vector<std::int64_t> indices;
    const bool every = all || dice.one_in(4);
    for (std::int64_t i = 0; i < extent; ++i) {
      if (every || !dice.one_in(3)) indices.push_back(i);
    }
    return layout::dense_set(indices);
  };
  layout::Arrangement a{rows, columns, {}};
  const auto whole = static_cast<int>(dice.between(0, ranks - 1));
  for (int r = 0; r < ranks; ++r) {
    const bool all = covers && r == whole;
    layout::Patch p = layout::dense_patch(some(rows, all), some(columns, all), dice.between(0, 3));
    p.leading += dice.between(0, 2);
    a.of_rank.emplace_back();
    if (p.size() > 0) a.of_rank.back().push_back(p);
  }
  return a;
}

// Some patches store conjugates.
void conjugate_some(Dice& dice, layout::Arrangement& a) {
  for (std::vector<layout::Patch>& patches : a.of_rank) {
    for (layout::Patch& p : patches) p.conjugated = dice.one_in(3);
  }
}

// One transfer: where the matrix is and goes, and how.
template <class T>
struct Move {
  layout::Arrangement from, to;
  TransferOptions options;
  T alpha{1}, beta{0};
  // What ranks hold of an element, which differs where they hold contributions to it.
  std::int64_t seed = 0;
  bool contributions = false;

  T stored(int rank, std::int64_t row, std::int64_t column) const {
    return small_number<T>(contributions ? seed + rank : seed, row, column);
  }
};

template <class T>
T random_factor(Dice& dice) {
  const T factors[] = {T(1), T(0), T(-1), small_number<T>(3, 1, 2) + T(3)};
  return factors[dice.between(0, 3)];
}

template <class T>
Move<T> random_move(Dice& dice, const Way& way, const Communicator& world, std::int64_t seed) {
  Move<T> m;
  const std::int64_t rows = dice.between(1, 40);
  const std::int64_t columns = dice.between(1, 30);
  const int ranks = world.size();
  m.seed = seed;
  m.options.zero_copy = way.zero_copy;
  m.options.one_sided = way.one_sided;
  m.options.add = way.add;
  m.options.tag = static_cast<int>(dice.between(0, 5));
  m.options.conjugate = dice.one_in(3);
  m.contributions = way.add && dice.one_in(2);
  const auto column_major = [&] {
    return layout::arrangement(random_layout(dice, rows, columns, ranks, world.rank()), ranks);
  };
  const auto any = [&] {
    return way.zero_copy ? column_major() : random_arrangement(dice, rows, columns, world);
  };
  m.from = m.contributions ? overlapping(dice, rows, columns, ranks, true) : any();
  m.to = dice.one_in(3) ? overlapping(dice, rows, columns, ranks, false) : any();
  if (!way.zero_copy) {
    conjugate_some(dice, m.from);
    conjugate_some(dice, m.to);
  }
  if (dice.one_in(3)) {
    m.options.part = dice.one_in(2) ? layout::Part::lower : layout::Part::upper;
  }
  if (way.add) {
    m.alpha = random_factor<T>(dice);
    m.beta = random_factor<T>(dice);
  }
  return m;
}

template <class T>
constexpr T untouched = T(12345);

// The elements of each rank.
using Holders = std::vector<std::map<Element, std::int64_t>>;

Holders holders(const layout::Arrangement& a, layout::Part part) {
  Holders all;
  for (const auto& patches : a.of_rank) all.push_back(places(patches, part));
  return all;
}

// What this rank's array must be: each element of the part beta times what it was and alpha times
// the sum of what ranks hold of it.
template <class T>
std::vector<T> expected(const Move<T>& m, std::vector<T> target, Rank me) {
  const Holders from = holders(m.from, m.options.part);
  const auto here = static_cast<std::size_t>(me.value);
  for (const layout::Patch& p : m.to.of_rank[here]) {
    for (const auto& [element, place] : places({p}, m.options.part)) {
      if (m.options.own_in_place && !m.options.add && from[here].contains(element)) continue;
      T sum(0);
      for (std::size_t r = 0; r < from.size(); ++r) {
        if (!from[r].contains(element) || (m.options.own_in_place && r == here)) continue;
        const T y = m.stored(static_cast<int>(r), element.first, element.second);
        const T stored = p.conjugated ? conjugated(y) : y;  // in the target's terms
        sum += m.options.conjugate ? conjugated(stored) : stored;
      }
      T& x = target[static_cast<std::size_t>(place)];
      x = m.alpha * sum + (m.beta == T(0) ? T(0) : m.beta * x);
    }
  }
  return target;
}

// Of one rank, by counting elements: those it wants and other ranks hold, and the other way round.
template <class T>
Traffic counted(const Move<T>& m, Rank me) {
  const Holders from = holders(m.from, m.options.part);
  const Holders to = holders(m.to, m.options.part);
  const auto both = [](const auto& a, const auto& b) {
    std::int64_t count = 0;
    for (const auto& [element, place] : a) count += b.contains(element) ? 1 : 0;
    return count;
  };
  Traffic t;
  const auto here = static_cast<std::size_t>(me.value);
  for (std::size_t r = 0; r < from.size(); ++r) {
    if (r == here) continue;
    const std::int64_t comes = both(from[r], to[here]);
    const std::int64_t goes = both(from[here], to[r]);
    t.words_received += Words(comes);
    t.words_sent += Words(goes);
    t.messages_received += Messages(comes > 0 ? 1 : 0);
    t.messages_sent += Messages(goes > 0 ? 1 : 0);
  }
  return t;
}

template <class T>
Traffic execute(Communicator& world, Transfer<T>& transfer, const Move<T>& m,
                const std::vector<T>& source, std::vector<T>& target) {
  std::vector<T> buffer(static_cast<std::size_t>(transfer.buffer()), T(-777));
  Traffic traffic;
  std::optional<Exposure> exposure;
  if (m.options.zero_copy && m.options.one_sided && world.size() > 1) {
    exposure.emplace(world, source.data(), static_cast<std::int64_t>(source.size() * sizeof(T)));
    transfer.read_from(*exposure);
  }
  transfer.execute(world, m.alpha, source.data(), m.beta, target.data(), buffer.data(), traffic);
  return traffic;
}

void expect_equal(const Traffic& got, const Traffic& wanted, const std::string& name) {
  EXPECT_EQ(got.words_received.value, wanted.words_received.value) << name;
  EXPECT_EQ(got.words_sent.value, wanted.words_sent.value) << name;
  EXPECT_EQ(got.messages_received.value, wanted.messages_received.value) << name;
  EXPECT_EQ(got.messages_sent.value, wanted.messages_sent.value) << name;
}

// Checks a move twice, as plans execute one more than once. Returns the words this rank received.
template <class T>
std::int64_t check(Communicator& world, const Move<T>& m, const std::vector<T>& source,
                   const std::string& name) {
  const auto me = static_cast<std::size_t>(world.rank().value);
  std::vector<T> before = filled(m.to.of_rank[me], untouched<T>, [&](auto row, auto column) {
    return small_number<T>(99, row, column);
  });
  if (m.options.own_in_place && !m.options.add) {
    const auto own = places(m.from.of_rank[me]);
    for (const auto& [element, place] : places(m.to.of_rank[me])) {
      if (!own.contains(element)) continue;
      before[static_cast<std::size_t>(place)] =
          m.stored(world.rank().value, element.first, element.second);
    }
  }
  const std::vector<T> wanted = expected(m, before, world.rank());
  layout::Arrangement from = m.from;
  if (m.options.zero_copy && m.options.one_sided)
    linalg::tell_places(world, from);  // who reads must know them
  Transfer<T> transfer(world, from, m.to, m.options);
  const Traffic wanted_traffic = counted(m, world.rank());
  for (int time = 0; time < 2; ++time) {
    std::vector<T> target = before;
    const Traffic traffic = execute(world, transfer, m, source, target);
    std::size_t wrong = 0;
    while (wrong < target.size() && target[wrong] == wanted[wrong]) ++wrong;
    EXPECT_EQ(wrong, target.size())
        << name << ": word " << wrong << " is "
        << text(target[std::min(wrong, target.size() - 1)], ", expected ",
                wanted[std::min(wrong, target.size() - 1)]);
    expect_equal(traffic, wanted_traffic, name);
  }
  return wanted_traffic.words_received.value;
}

template <class T>
std::vector<T> source_of(const Move<T>& m, Rank me) {
  return filled(m.from.of_rank[static_cast<std::size_t>(me.value)], untouched<T>,
                [&](auto row, auto column) { return m.stored(me.value, row, column); });
}

class Transfers : public testing::TestWithParam<Way> {
 protected:
  Communicator world_{MPI_COMM_WORLD};
  std::int64_t received_ = 0;

  template <class T>
  void check_random(int cases) {
    for (int seed = 0; seed < cases; ++seed) {
      Dice dice(static_cast<std::uint64_t>(seed));
      const Move<T> m = random_move<T>(dice, GetParam(), world_, seed);
      received_ += check(world_, m, source_of(m, world_.rank()),
                         text(GetParam().name, ", seed ", seed, ", ", sizeof(T), " bytes"));
    }
  }
  void expect_something_moved() {
    const bool moved = world_.maximum(received_) > 0;
    EXPECT_EQ(moved, world_.size() > 1);
  }
};

TEST_P(Transfers, BetweenAnyTwoArrangements) {
  check_random<double>(12);
  check_random<std::complex<float>>(16);
  check_random<float>(4);
  check_random<std::complex<double>>(4);
  expect_something_moved();
}

// What this rank holds already and wants is not copied, nor added again.
TEST_P(Transfers, LeaveWhatIsInPlace) {
  using T = std::complex<double>;
  for (int seed = 100; seed < 112; ++seed) {
    Dice dice(static_cast<std::uint64_t>(seed));
    Move<T> m = random_move<T>(dice, GetParam(), world_, seed);
    m.options.own_in_place = true;
    m.options.conjugate = false;
    m.beta = m.options.add ? T(1) : T(0);
    for (layout::Arrangement* a : {&m.from, &m.to}) {
      for (auto& patches : a->of_rank) {
        for (layout::Patch& p : patches) p.conjugated = false;
      }
    }
    received_ += check(world_, m, source_of(m, world_.rank()),
                       text(GetParam().name, " in place, seed ", seed));
  }
  expect_something_moved();
}

INSTANTIATE_TEST_SUITE_P(Through, Transfers, testing::ValuesIn(ways),
                         [](const auto& way) { return std::string(way.param.name); });

// Rows that stand elsewhere in each column of the sender, as those of L that pivots have moved.
TEST(TransferOfRowsElsewhere, TakesThemWhereTheyAre) {
  using T = double;
  Communicator world(MPI_COMM_WORLD);
  std::int64_t received = 0;
  for (int seed = 0; seed < 16; ++seed) {
    Dice dice(static_cast<std::uint64_t>(seed) + 300);
    Move<T> m = random_move<T>(dice, ways[seed % 2], world, seed);
    m.contributions = false;
    BlockCyclic l = random_block_cyclic(dice, m.to.rows, m.to.columns, world.size(), world.rank());
    m.from = layout::arrangement(l, world.size());
    const auto& mine = m.from.of_rank[static_cast<std::size_t>(world.rank().value)];
    const std::vector<T> sorted = source_of(m, world.rank());
    std::vector<T> source = sorted;
    // each column turned by its number
    const auto height = l.leading;
    const auto wide =
        static_cast<std::int64_t>(sorted.size() / static_cast<std::size_t>(height)) + 1;
    std::vector<std::vector<std::int64_t>> rows(static_cast<std::size_t>(wide));
    auto source_rows = std::make_shared<comm::SourceRows>();
    source.resize(static_cast<std::size_t>(height * wide), untouched<T>);
    for (std::int64_t c = 0; c < wide; ++c) {
      for (std::int64_t r = 0; r < height; ++r) {
        const std::int64_t place = (r + 3 * c + 1) % height;
        rows[static_cast<std::size_t>(c)].push_back(place);
        const auto at = static_cast<std::size_t>(r + c * height);
        if (at < sorted.size()) source[static_cast<std::size_t>(place + c * height)] = sorted[at];
      }
      source_rows->of_column.push_back(static_cast<std::size_t>(c));
    }
    source_rows->orders = rows;
    m.options.source_rows = source_rows;
    received += check(world, m, mine.empty() ? std::vector<T>{} : source,
                      text("rows elsewhere, seed ", seed));
  }
  EXPECT_EQ(world.maximum(received) > 0, world.size() > 1);
}

}  // namespace
}  // namespace redblue::comm
