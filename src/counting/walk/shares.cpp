// SPDX-License-Identifier: BSD-3-Clause
#include "counting/walk/shares.hpp"

#include <algorithm>

#include "counting/algebra/guard.hpp"
#include "counting/algebra/terms.hpp"

namespace redblue::counting {

namespace {

// A shared loop with at most so many iterations is looked at one by one.
constexpr int most_sections = 64;

// Iterations that differ, each by itself: what only one of them does one thread does.
Range of_sections(const Expr& n, const Symbol& i, const Range& inner, bool* apart) {
  Range all;
  Expr most = 0;
  int different = 0;
  for (int k = 0; k < n; ++k) {
    const Range one{expanded(inner.lower.subs(i == k)), expanded(inner.upper.subs(i == k))};
    if (one.upper.is_zero()) continue;
    ++different;
    most = different == 1 ? one.lower : symbolic::maximum(most, one.lower);
    all = all + one;
  }
  if (apart != nullptr && different == 1) *apart = true;
  return {most, all.upper};
}

// sum over i < n of what lies in the range.
std::optional<Range> sum_of(const Range& range, const Symbol& i, const Expr& n,
                            const Facts& known) {
  const auto lower = sum(range.lower, i, 0, n, known);
  if (!lower || range.exact()) return lower;
  const auto upper = sum(range.upper, i, 0, n, known);
  if (!upper) return std::nullopt;
  return Range{lower->lower, upper->upper};
}

}  // namespace

bool has_counter(const Range& range, const Levels& levels) {
  return std::any_of(levels.begin(), levels.end(), [&range](const Level& level) {
    return level.counter && (range.lower.has(*level.counter) || range.upper.has(*level.counter));
  });
}

// sum over the counters of all levels of f.
std::optional<Range> Shares::total(const Levels& levels, const Expr& f, bool* apart) const {
  try {
    return fold(levels, f, apart);
  } catch (const std::exception&) {  // a formula has a pole: no count by formula
    return std::nullopt;
  }
}

std::optional<Range> Shares::fold(const Levels& levels, const Expr& f, bool* apart) const {
  Range range{f, f};
  bool begins_threads = false;
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
    if (is_too_long(range.lower * level->factor)) return std::nullopt;
    if (level->runner == Runner::any_thread) {
      const auto part = part_of_tasks(Levels(levels.begin(), level.base() - 1), range);
      if (!part) return std::nullopt;
      range = *part;
      break;
    }
    if (level->runner == Runner::thread_each) {
      begins_threads = true;
    } else if (begins_threads && level->n) {
      const auto part = part_of_thread(*level, range);
      if (!part) return std::nullopt;
      range = *part;
      begins_threads = false;
    } else if (level->is_mean) {
      if (begins_threads) return std::nullopt;
      if (has_counter(range, levels)) return std::nullopt;
      range = {range.lower * level->factor, range.upper * level->factor};
    } else if (!level->n) {
      range = {range.lower * level->factor, range.upper * level->factor};
    } else if (level->schedule) {
      const auto part = shared(*level, range, apart);
      if (!part) return std::nullopt;
      range = *part;
    } else {
      const Facts known = level->facts.with(*level->n);
      const auto all = sum_of(range, *level->counter, *level->n, known);
      if (!all) return std::nullopt;
      range = *all;
    }
  }
  const bool exact = range.exact();
  if (is_too_long(range.lower) || is_too_long(range.upper)) return std::nullopt;
  range.lower = simplified(expanded(range.lower), facts_);
  range.upper = exact ? range.lower : simplified(expanded(range.upper), facts_);
  return range;
}

// The most loaded process's part of the iterations.
std::optional<Range> Shares::shared(const Level& level, const Range& inner, bool* apart) const {
  if (!program_.processes) return std::nullopt;
  const Expr p = *program_.processes;
  const Expr& n = *level.n;
  const Symbol& i = *level.counter;
  // ceil(ceil(x) / p) = ceil(x / p)
  const Expr each = symbolic::ceil(expanded((symbolic::is_ceil(n) ? n.op(0) : n) / p));
  const Expr chunk = level.schedule->chunk.value_or(1).subs(substituted_);
  const bool by_pieces = level.schedule->chunk.has_value();
  if (!inner.lower.has(i) && !inner.upper.has(i)) {
    Range iterations{each, each};
    if (level.schedule->division == Division::guided) {
      iterations.upper = 2 * each;
    } else if (level.schedule->division == Division::dynamic) {
      iterations.upper = chunk * symbolic::ceil(symbolic::ceil(expanded(n / chunk)) / p);
    } else if (by_pieces && !chunk.is_equal(1)) {
      const Expr rounds = symbolic::floor(expanded(n / (chunk * p)));
      const Expr most = chunk * rounds + symbolic::minimum(chunk, n - chunk * p * rounds);
      iterations = {most, most};
    }
    return Range{inner.lower * iterations.lower, inner.upper * iterations.upper};
  }
  if (GiNaC::is_a<GiNaC::numeric>(n) && n <= most_sections) return of_sections(n, i, inner, apart);
  if (level.schedule->division != Division::fixed || by_pieces) return std::nullopt;
  // In one piece each: the first process has the first ceil(n / p), the last the last floor(n / p).
  const Facts known = level.facts.with(n).with(n - each);
  const Facts inside = known.with(i).with(n - 1 - i);
  const auto rises = [&](const Expr& f, int sign) {
    return inside.at_least_zero(sign * (f.subs(i == i + 1) - f));
  };
  if (rises(inner.lower, -1) && rises(inner.upper, -1)) return sum_of(inner, i, each, known);
  if (!rises(inner.lower, 1) || !rises(inner.upper, 1)) return std::nullopt;
  const auto lower = sum(inner.lower, i, n - symbolic::floor(expanded(n / p)), n, known);
  const auto upper = sum(inner.upper, i, n - each, n, known);
  if (!lower || !upper) return std::nullopt;
  return Range{lower->lower, upper->upper};
}

// Iteration k of a loop begins thread k; where it begins all but one, thread k + 1.
std::optional<Range> Shares::part_of_thread(const Level& level, const Range& inner) const {
  const Symbol& i = *level.counter;
  const bool differ = inner.lower.has(i) || inner.upper.has(i);
  if (!program_.processes || (differ && !program_.rank)) return std::nullopt;
  const Expr others = (*program_.processes - *level.n).expand();
  const Expr exists = others.is_zero() ? Expr(1) : indicator(*level.n);
  if (!differ) return Range{inner.lower * exists, inner.upper * exists};
  if (!others.is_zero() && !others.is_equal(1)) return std::nullopt;
  const GiNaC::exmap number{{i, *program_.rank - others}};
  return Range{inner.lower.subs(number) * exists, inner.upper.subs(number) * exists};
}

// Of tasks that all take `inner`, the busiest thread has ceil(N / p) of N. Where they differ, it
// runs the mean at least; a thread takes a task only when it has no other (greedy), so that it has
// at most one task more than the mean of the others.
std::optional<Range> Shares::part_of_tasks(Levels around, const Range& inner) const {
  if (!program_.processes) return std::nullopt;
  const Expr p = *program_.processes;
  for (Level& level : around) level.schedule.reset();
  if (!has_counter(inner, around)) {
    const auto tasks = fold(around, 1, nullptr);
    if (!tasks) return std::nullopt;
    return Range{inner.lower * symbolic::ceil((tasks->lower / p).expand()),
                 inner.upper * symbolic::ceil((tasks->upper / p).expand())};
  }
  const auto lower = fold(around, inner.lower, nullptr), upper = fold(around, inner.upper, nullptr);
  if (!lower || !upper) return std::nullopt;
  Expr longest = inner.upper;
  for (auto level = around.rbegin(); level != around.rend(); ++level) {
    if (!level->counter || !level->n || !longest.has(*level->counter)) continue;
    const Symbol& i = *level->counter;
    const Facts inside = level->facts.with(*level->n - 1).with(i).with(*level->n - 2 - i);
    const Expr step = (longest.subs(i == i + 1) - longest).expand();
    if (inside.at_least_zero(step)) {
      longest = longest.subs(i == *level->n - 1);
    } else if (inside.at_least_zero(-step)) {
      longest = longest.subs(i == 0);
    } else {
      return std::nullopt;
    }
  }
  return Range{lower->lower / p, upper->upper / p + (1 - 1 / p) * longest};
}

}  // namespace redblue::counting
