// SPDX-License-Identifier: BSD-3-Clause
// Tournament pivoting against playing the whole tournament on one rank with LAPACK's getrf, and
// against what any choice of pivots must satisfy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "linalg/blas/lapack.hpp"
#include "linalg/lu/lu.hpp"
#include "linalg/random_layouts.hpp"
#include "matgen/check.hpp"

namespace redblue::linalg {
namespace {

// A panel's rows, whole on every rank, and which place of the tournament owns each.
template <class T>
struct Panel {
  std::int64_t rows, width;
  std::vector<T> values;  // column-major, without gaps
  std::vector<std::vector<std::int64_t>> of_place;

  T at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row + column * rows)];
  }
};

enum class Kind {
  random,
  ties,         // all elements of one modulus
  equal_rows,   // few different rows
  zero_column,  // one column is zero
  zeros,        // all are
  growing       // the element below the diagonal is the largest by little
};

template <class T>
T element(Kind kind, std::int64_t i, std::int64_t j) {
  const T x = matgen::random_number<T>(matgen::seed_a, i, j);
  const auto sign = static_cast<Real<T>>((3 * i * i + 5 * j + i * j) % 7 < 3 ? -1 : 1);
  switch (kind) {
    case Kind::ties:
      return T(sign);
    case Kind::equal_rows:
      return matgen::random_number<T>(matgen::seed_a, i % 3, j);
    case Kind::zero_column:
      return j == 2 ? T(0) : x;
    case Kind::zeros:
      return T(0);
    case Kind::growing:
      return i == j ? T(1) : i > j ? T(Real<T>(-1.001)) : x / Real<T>(100);
    default:
      return x;
  }
}

// Rows dealt out in blocks of 4 to the places, or all to the last place, or by chance; some places
// may own none.
template <class T>
Panel<T> panel(Kind kind, std::int64_t rows, std::int64_t width, int places, int dealt) {
  Panel<T> p{
      rows, width, {}, std::vector<std::vector<std::int64_t>>(static_cast<std::size_t>(places))};
  for (std::int64_t j = 0; j < width; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) p.values.push_back(element<T>(kind, i, j));
  }
  Dice dice(static_cast<std::uint64_t>(dealt));
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t place = dealt == 0   ? i / 4 % places
                               : dealt == 1 ? places - 1
                                            : dice.between(0, places - 1);
    p.of_place[static_cast<std::size_t>(place)].push_back(i);
  }
  return p;
}

// The rows that getrf moves to the top of these, in its order.
template <class T>
std::vector<std::int64_t> chosen(const Panel<T>& p, const std::vector<std::int64_t>& rows) {
  const auto count = static_cast<std::int64_t>(rows.size());
  std::vector<T> a;
  for (std::int64_t j = 0; j < p.width; ++j) {
    for (const std::int64_t row : rows) a.push_back(p.at(row, j));
  }
  std::vector<int> exchanges;
  lapack::lu(count, p.width, a.data(), count, exchanges);
  std::vector<std::int64_t> order = rows;
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    std::swap(order[i], order[static_cast<std::size_t>(exchanges[i])]);
  }
  order.resize(exchanges.size());
  return order;
}

// The winners: places beyond the largest power of two first hand over to those at the beginning,
// then winners meet pair by pair, of neighbours, of neighbouring pairs, ... . Two candidate lists
// are stacked in the order of their places.
template <class T>
std::vector<std::int64_t> winners(const Panel<T>& p) {
  std::vector<std::vector<std::int64_t>> candidates;
  for (const auto& rows : p.of_place) candidates.push_back(chosen(p, rows));
  const auto play = [&p](std::vector<std::int64_t> above, const std::vector<std::int64_t>& below) {
    above.insert(above.end(), below.begin(), below.end());
    return chosen(p, above);
  };
  std::size_t players = 1;
  while (2 * players <= candidates.size()) players *= 2;
  for (std::size_t late = players; late < candidates.size(); ++late) {
    candidates[late - players] = play(candidates[late - players], candidates[late]);
  }
  candidates.resize(players);
  while (candidates.size() > 1) {
    std::vector<std::vector<std::int64_t>> next;
    for (std::size_t i = 0; i < candidates.size(); i += 2) {
      next.push_back(play(candidates[i], candidates[i + 1]));
    }
    candidates = std::move(next);
  }
  return candidates.front();
}

// The panel's places are the communicator's ranks, turned.
template <class T>
Candidates<T> played(const comm::Communicator& world, const Panel<T>& p, Traffic& traffic) {
  const int ranks = world.size();
  const int turned = ranks / 2;
  std::vector<int> rank_of(static_cast<std::size_t>(ranks));
  for (int place = 0; place < ranks; ++place) {
    rank_of[static_cast<std::size_t>(place)] = (place + turned) % ranks;
  }
  const int place = (world.rank().value - turned + ranks) % ranks;
  const std::vector<std::int64_t>& mine = p.of_place[static_cast<std::size_t>(place)];
  const auto leading = static_cast<std::int64_t>(mine.size()) + 2;
  std::vector<T> own(static_cast<std::size_t>(leading * p.width), T(1e6));
  for (std::int64_t j = 0; j < p.width; ++j) {
    for (std::size_t i = 0; i < mine.size(); ++i) {
      own[i + static_cast<std::size_t>(j * leading)] = p.at(mine[i], j);
    }
  }
  Candidates<T> candidates = best_of(p.width, mine, own.data(), leading, false);
  Tournament<T>(rank_of, place).run(world, p.width, candidates, traffic);
  return candidates;
}

// The largest modulus of L in the rows that are no pivots; -1 where a pivot is zero.
template <class T>
double largest_multiplier(const Panel<T>& p, const Candidates<T>& pivots) {
  const auto count = static_cast<std::int64_t>(pivots.rows.size());
  const std::set<std::int64_t> top(pivots.rows.begin(), pivots.rows.end());
  double most = 0;
  for (std::int64_t i = 0; i < p.rows; ++i) {
    if (top.contains(i)) continue;
    std::vector<T> x;  // x U = row i, column by column
    for (std::int64_t j = 0; j < count; ++j) {
      T sum = p.at(i, j);
      for (std::int64_t k = 0; k < j; ++k) {
        sum -=
            x[static_cast<std::size_t>(k)] * pivots.values[static_cast<std::size_t>(k + j * count)];
      }
      const T pivot = pivots.values[static_cast<std::size_t>(j * (count + 1))];
      if (pivot == T(0)) return -1;
      x.push_back(sum / pivot);
      most = std::max(most, static_cast<double>(std::abs(x.back())));
    }
  }
  return most;
}

// P A = L U of the square, in plain loops.
template <class T>
double factor_error(const Panel<T>& p, const Candidates<T>& pivots) {
  const auto count = static_cast<std::int64_t>(pivots.rows.size());
  double worst = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t j = 0; j < p.width; ++j) {
      T sum(0);
      for (std::int64_t k = 0; k <= std::min(i, j); ++k) {
        const T l = k == i ? T(1) : pivots.values[static_cast<std::size_t>(i + k * count)];
        sum += l * pivots.values[static_cast<std::size_t>(k + j * count)];
      }
      const T off = sum - p.at(pivots.rows[static_cast<std::size_t>(i)], j);
      worst = std::max(worst, static_cast<double>(std::abs(off)));
    }
  }
  return worst;
}

template <class T>
class TournamentTest : public testing::Test {
 protected:
  comm::Communicator world_{MPI_COMM_WORLD};

  Candidates<T> check(Kind kind, const Panel<T>& p, bool rounding_decides = false) {
    Traffic traffic;
    const Candidates<T> pivots = played(world_, p, traffic);
    const std::string name = text("kind ", static_cast<int>(kind), ", ", p.rows, " x ", p.width);
    if (!rounding_decides) {
      EXPECT_EQ(pivots.rows, winners(p)) << name;
    }
    EXPECT_EQ(static_cast<std::int64_t>(pivots.rows.size()), std::min(p.rows, p.width)) << name;
    const std::set<std::int64_t> distinct(pivots.rows.begin(), pivots.rows.end());
    EXPECT_EQ(distinct.size(), pivots.rows.size()) << name;
    EXPECT_EQ(pivots.values.size(), pivots.rows.size() * static_cast<std::size_t>(p.width)) << name;
    const double grown = std::pow(2.0, static_cast<double>(p.width));  // at the very most, in U
    EXPECT_LE(factor_error(p, pivots),
              4 * static_cast<double>(p.width) * grown * std::numeric_limits<Real<T>>::epsilon())
        << name;
    expect_traffic(p.width, traffic);
    return pivots;
  }

  // One message of numbers and rows per meeting, as many for all.
  void expect_traffic(std::int64_t width, const Traffic& traffic) {
    int players = 1;
    int rounds = 0;
    for (; 2 * players <= world_.size(); players *= 2) ++rounds;
    const int most = rounds + (world_.size() > players ? 1 : 0);
    EXPECT_LE(traffic.messages_received, Messages(most));
    EXPECT_EQ(world_.maximum(traffic.messages_received.value), most);
    const auto bytes = static_cast<std::int64_t>(sizeof(T));
    const std::int64_t numbers = (8 * width + bytes - 1) / bytes;
    EXPECT_EQ(traffic.words_received.value,
              traffic.messages_received.value * (numbers + width * width));
  }
};

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(TournamentTest, Types);

TYPED_TEST(TournamentTest, ChoosesWhatPlayingItWithGetrfChooses) {
  for (int dealt = 0; dealt < 5; ++dealt) {
    for (const auto& [rows, width] : {std::pair{60, 8}, {33, 5}, {8, 8}, {90, 1}, {41, 16}}) {
      this->check(Kind::random,
                  panel<TypeParam>(Kind::random, rows, width, this->world_.size(), dealt));
    }
  }
}

TYPED_TEST(TournamentTest, BreaksTiesAsStackingInOrderDoes) {
  for (int dealt = 0; dealt < 4; ++dealt) {
    for (const auto& [kind, width] :
         {std::pair{Kind::ties, 6}, {Kind::equal_rows, 3}, {Kind::growing, 6}}) {
      this->check(kind, panel<TypeParam>(kind, 37, width, this->world_.size(), dealt));
    }
  }
}

// Columns without a pivot keep their place: pivots are as many, and a zero stands on U's diagonal.
TYPED_TEST(TournamentTest, SingularPanelsHaveAsManyPivots) {
  for (int dealt = 0; dealt < 4; ++dealt) {
    for (const Kind kind : {Kind::zero_column, Kind::zeros}) {
      const auto p = panel<TypeParam>(kind, 29, 7, this->world_.size(), dealt);
      const Candidates<TypeParam> pivots = this->check(kind, p);
      const std::size_t zero = kind == Kind::zeros ? 0 : 2;
      EXPECT_EQ(pivots.values[zero * (pivots.rows.size() + 1)], TypeParam(0));
    }
    // three different rows in seven columns: from the fourth pivot on, all is rounding
    const auto p = panel<TypeParam>(Kind::equal_rows, 29, 7, this->world_.size(), dealt);
    const Candidates<TypeParam> pivots = this->check(Kind::equal_rows, p, true);
    std::set<std::int64_t> first;
    for (std::size_t i = 0; i < 3; ++i) first.insert(pivots.rows[i] % 3);
    EXPECT_EQ(first.size(), 3U);
  }
}

TYPED_TEST(TournamentTest, FewerRowsThanColumnsAreAllPivots) {
  for (int dealt = 0; dealt < 4; ++dealt) {
    for (const std::int64_t rows : {1, 3, 6}) {
      this->check(Kind::random,
                  panel<TypeParam>(Kind::random, rows, 7, this->world_.size(), dealt));
    }
  }
}

// Partial pivoting keeps multipliers at 1 (LAPACK's |re| + |im| for complex numbers: at 1.42); a
// tournament of random rows keeps them small (Grigori, Demmel and Xiang, CALU, 2011, find below 4
// on average, 100 at the worst).
TYPED_TEST(TournamentTest, MultipliersStaySmall) {
  for (int dealt = 0; dealt < 3; ++dealt) {
    const auto p = panel<TypeParam>(Kind::random, 200, 12, this->world_.size(), dealt);
    const double most = largest_multiplier(p, this->check(Kind::random, p));
    EXPECT_LE(most, this->world_.size() == 1 ? 1.5 : 20);
    EXPECT_GT(most, 0);
  }
}

}  // namespace
}  // namespace redblue::linalg
