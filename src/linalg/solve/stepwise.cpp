// SPDX-License-Identifier: BSD-3-Clause
// Planning: who sends what to whom in which step.
#include "linalg/solve/stepwise.hpp"

#include <algorithm>
#include <complex>
#include <numeric>

namespace redblue::linalg::solve {

using comm::Message;
using comm::Run;
using layout::IndexSet;
using layout::Interval;
using layout::Part;
using layout::Patch;

namespace {

enum Tag { triangle_tag = 8, sums_tag, solution_tag };

std::int64_t steps_of(const StepwiseSetup& s) {
  return (s.triangle.rows + s.how.step - 1) / s.how.step;
}

// Rows step * b .. of block row b.
Range rows_of_block(const StepwiseSetup& s, std::int64_t b) {
  return {b * s.how.step, std::min(s.triangle.rows, (b + 1) * s.how.step)};
}

Range rows_of_step(const StepwiseSetup& s, std::int64_t step) {
  return rows_of_block(s, s.how.backward ? steps_of(s) - 1 - step : step);
}

// All columns (`in`) or rows of op(T) of which the patches hold some, at positions from 0.
IndexSet united(const std::vector<Patch>& patches, bool columns) {
  std::vector<Interval> all;
  for (const Patch& p : patches) {
    const auto& more = (columns ? p.columns : p.rows).intervals();
    all.insert(all.end(), more.begin(), more.end());
  }
  std::sort(all.begin(), all.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::vector<Interval> joined;
  std::int64_t position = 0;
  for (const Interval& i : all) {
    const std::int64_t begin = joined.empty() ? i.begin : std::max(i.begin, joined.back().end);
    if (begin >= i.end) continue;
    joined.push_back({begin, i.end, position});
    position += i.end - begin;
  }
  return IndexSet(std::move(joined));
}

bool any(const IndexSet& set, const Range& range) {
  return std::any_of(set.intervals().begin(), set.intervals().end(), [&range](const Interval& i) {
    return std::max(i.begin, range.begin) < std::min(i.end, range.end);
  });
}

// The rows before (after, of upper triangles) those of the step, and the others behind it.
Range earlier(const StepwiseSetup& s, std::int64_t step) {
  const Range k = rows_of_step(s, step);
  return s.how.backward ? Range{k.end, s.triangle.rows} : Range{0, k.begin};
}
Range later(const StepwiseSetup& s, std::int64_t step) {
  const Range k = rows_of_step(s, step);
  return s.how.backward ? Range{0, k.begin} : Range{k.end, s.triangle.rows};
}

// Calls f(row, column, length, place) for the stretches of T(k, k)'s columns that the patches hold.
template <class F>
void for_each_stretch(const std::vector<Patch>& patches, const Range& k, Part part, F f) {
  for (const Patch& p : patches) {
    const IndexSet columns = within(p.columns, k);
    const IndexSet rows = within(p.rows, k);
    for (const Interval& c : columns.intervals()) {
      for (std::int64_t column = c.begin; column < c.end; ++column) {
        for (const Interval& r : rows.intervals()) {
          const Range below =
              layout::beside_diagonal(r.begin, r.end - r.begin, column, part == Part::lower);
          if (below.size() == 0) continue;
          f(below.begin, column, below.size(),
            p.offset + r.position + below.begin - r.begin +
                p.leading * (c.position + column - c.begin));
        }
      }
    }
  }
}

// Of each block row. Ranks without any of T do not solve.
std::vector<int> solvers(const StepwiseSetup& s) {
  const auto ranks = static_cast<int>(s.triangle.of_rank.size());
  std::vector<int> holders;
  for (int r = 0; r < ranks; ++r) {
    if (!s.triangle.of_rank[static_cast<std::size_t>(r)].empty()) holders.push_back(r);
  }
  // row by row of the process grid, whatever the ranks' numbers
  const auto first = [&s](int r) {
    const Patch& p = s.triangle.of_rank[static_cast<std::size_t>(r)].front();
    return std::pair(p.rows.intervals().front().begin, p.columns.intervals().front().begin);
  };
  std::sort(holders.begin(), holders.end(), [&first](int a, int b) { return first(a) < first(b); });
  std::vector<int> result;
  for (std::int64_t b = 0; b < steps_of(s); ++b) {
    const Range k = rows_of_block(s, b);
    int solver = holders[static_cast<std::size_t>(b) % holders.size()];
    for (const int r : holders) {
      const Patch square = layout::dense_patch(IndexSet(k), IndexSet(k));
      if (count_shared(s.triangle.of_rank[static_cast<std::size_t>(r)], square) == square.size()) {
        solver = r;
      }
    }
    result.push_back(solver);
  }
  return result;
}

std::vector<std::int64_t> before_cuts(const IndexSet& set, const std::vector<std::int64_t>& cuts) {
  std::vector<std::int64_t> before;
  auto next = set.intervals().begin();
  std::int64_t passed = 0;
  for (const std::int64_t cut : cuts) {
    while (next != set.intervals().end() && next->end <= cut) {
      passed += next->end - next->begin;
      ++next;
    }
    const bool inside = next != set.intervals().end() && next->begin < cut;
    before.push_back(passed + (inside ? cut - next->begin : 0));
  }
  return before;
}

// A part of every column of an array.
std::vector<Run> in_columns(const std::vector<Run>& of_column, std::int64_t leading,
                            std::int64_t columns) {
  std::vector<Run> runs;
  for (std::int64_t c = 0; c < columns; ++c) {
    for (const Run& r : of_column) comm::append(runs, {r.offset + c * leading, r.length});
  }
  return runs;
}

}  // namespace

namespace {

layout::Arrangement arranged(const StepwiseSetup& s, const std::vector<int>& who) {
  layout::Arrangement result{s.triangle.rows, s.how.m, {}};
  result.of_rank.resize(s.triangle.of_rank.size());
  std::vector<std::vector<Interval>> rows(s.triangle.of_rank.size());
  std::vector<std::int64_t> heights(s.triangle.of_rank.size());
  for (std::size_t b = 0; b < who.size(); ++b) {
    const Range k = rows_of_block(s, static_cast<std::int64_t>(b));
    const auto rank = static_cast<std::size_t>(who[b]);
    rows[rank].push_back({k.begin, k.end, heights[rank]});
    heights[rank] += k.size();
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (heights[r] == 0) continue;
    result.of_rank[r].push_back(
        {IndexSet(std::move(rows[r])), IndexSet(Range{0, s.how.m}), 0, heights[r], false, false});
  }
  return result;
}

Shares shares_of(const StepwiseSetup& s) {
  Shares shares;
  shares.solvers = solvers(s);
  shares.rhs = arranged(s, shares.solvers);
  for (const std::vector<Patch>& patches : s.triangle.of_rank) {
    shares.in.push_back(united(patches, s.op == 'N'));
    shares.out.push_back(united(patches, s.op != 'N'));
  }
  return shares;
}

bool empty(const StepwiseSetup& s) {
  return s.triangle.rows == 0 || s.how.m == 0;
}

}  // namespace

layout::Arrangement rhs_arrangement(const StepwiseSetup& s) {
  return arranged(s, empty(s) ? std::vector<int>{} : solvers(s));
}

template <class T>
Range Stepwise<T>::of_steps(const std::vector<std::int64_t>& before, Steps steps) const {
  const auto cut = [&before](std::int64_t c) { return before[static_cast<std::size_t>(c)]; };
  if (how_.backward) return {cut(count() - steps.second), cut(count() - steps.first)};
  return {cut(steps.first), cut(steps.second)};
}

template <class T>
Stepwise<T>::Stepwise(const StepwiseSetup& s, Rank me)
    : op_(s.op),
      triangle_(s.part == Part::upper ? 'U' : 'L'),
      unit_(s.unit),
      how_(s.how),
      order_(s.how) {
  if (empty(s)) return;
  const Shares shares = shares_of(s);
  const auto own = static_cast<std::size_t>(me.value);
  steps_.resize(static_cast<std::size_t>(steps_of(s)));
  half_steps_.resize(2 * steps_.size());
  for (std::int64_t c = 0; c <= count(); ++c)
    cuts_.push_back(std::min(c * how_.step, s.triangle.rows));
  in_ = shares.in[own];
  out_ = shares.out[own];
  in_before_ = before_cuts(in_, cuts_);
  out_before_ = before_cuts(out_, cuts_);
  for (const Patch& p : s.triangle.of_rank[own]) {
    const IndexSet& in = op_ == 'N' ? p.columns : p.rows;
    const IndexSet& out = op_ == 'N' ? p.rows : p.columns;
    const auto first = [](const IndexSet& x) { return x.intervals().front(); };
    const auto place = [&first](const IndexSet& all, const IndexSet& x) {
      return before_cuts(all, {first(x).begin}).front();
    };
    blocks_.push_back({p.offset + first(p.rows).position + p.leading * first(p.columns).position,
                       p.leading, place(in_, in), place(out_, out), before_cuts(in, cuts_),
                       before_cuts(out, cuts_)});
  }
  for (const Patch& p : shares.rhs.of_rank[own]) storage_ += p.size();
  for (std::int64_t k = 0; k < count(); ++k) plan_step(s, shares, k, me);
  const bool has_triangles = std::any_of(steps_.begin(), steps_.end(), [](const Step& x) {
    return x.solver && !x.solver->whole_triangle;
  });
  triangle_words_ = has_triangles ? how_.step * how_.step : 0;
  sums_offset_ = in_.size() * how_.m;
  triangles_offset_ = sums_offset_ + out_.size() * how_.m;
  contributions_offset_ = triangles_offset_ + 2 * triangle_words_;
  workspace_ = contributions_offset_ + 2 * contribution_words_;
  sends_.reserve(steps_.size() * (2 + s.triangle.of_rank.size()));
  for (auto* requests : {&for_solves_, &for_updates_}) {
    for (auto& list : *requests) list.reserve(2 * s.triangle.of_rank.size());
  }
}

// What this rank sends and receives in a step unless it is the solver.
template <class T>
void Stepwise<T>::plan_step(const StepwiseSetup& s, const Shares& shares, std::int64_t step,
                            Rank me) {
  Step& here = at(step);
  const Range k = rows_of_step(s, step);
  here.width = k.size();
  const Range in = of_steps(in_before_, {step, step + 1});
  const Range out = of_steps(out_before_, {step, step + 1});
  const Rank solver{shares.solvers[static_cast<std::size_t>(k.begin / how_.step)]};
  if (solver == me) return plan_solver(s, shares, step, me);
  std::vector<Run> triangle;
  for_each_stretch(s.triangle.of_rank[static_cast<std::size_t>(me.value)], k, s.part,
                   [&](auto, auto, std::int64_t length, std::int64_t place) {
                     comm::append(triangle, {place, length});
                   });
  if (!triangle.empty()) {
    here.triangle_out.emplace(Message::of<T>(solver, triangle_tag, triangle));
  }
  if (out.size() > 0 && any(in_, earlier(s, step))) {
    here.sums_out.emplace(Message::of<T>(
        solver, sums_tag, in_columns({{out.begin, out.size()}}, out_.size(), how_.m)));
  }
  if (in.size() > 0 && any(out_, later(s, step))) {
    here.solution_in.emplace(Message::of<T>(
        solver, solution_tag, in_columns({{in.begin, in.size()}}, in_.size(), how_.m)));
  }
}

template <class T>
void Stepwise<T>::plan_solver(const StepwiseSetup& s, const Shares& shares, std::int64_t step,
                              Rank me) {
  Solver& here = at(step).solver.emplace();
  const Range k = rows_of_step(s, step);
  here.turn = turns_++;
  const std::vector<Patch>& mine = s.triangle.of_rank[static_cast<std::size_t>(me.value)];
  here.x = *stored_block(shares.rhs.of_rank[static_cast<std::size_t>(me.value)],
                         layout::dense_patch(IndexSet(k), IndexSet(Range{0, how_.m})));
  here.whole_triangle = stored_block(mine, layout::dense_patch(IndexSet(k), IndexSet(k)));
  if (!here.whole_triangle) {
    for_each_stretch(
        mine, k, s.part,
        [&](std::int64_t row, std::int64_t column, std::int64_t length, std::int64_t place) {
          const std::int64_t to = row - k.begin + (column - k.begin) * k.size();
          here.own_triangle.push_back({place, to, length});
        });
  }
  const IndexSet out_here = any(in_, earlier(s, step)) ? within(out_, k) : IndexSet();
  const IndexSet in_here = any(out_, later(s, step)) ? within(in_, k) : IndexSet();
  for (std::int64_t c = 0; c < how_.m; ++c) {
    const std::int64_t x = here.x.offset - k.begin + c * here.x.leading;
    for (const Interval& i : out_here.intervals()) {
      here.own_sums.push_back({i.position + c * out_.size(), x + i.begin, i.end - i.begin});
    }
    for (const Interval& i : in_here.intervals()) {
      here.own_solution.push_back({x + i.begin, i.position + c * in_.size(), i.end - i.begin});
    }
  }
  std::int64_t received = 0;
  for (int r = 0; r < static_cast<int>(shares.in.size()); ++r) {
    if (Rank{r} != me) plan_peer(s, shares, step, Rank{r}, received);
  }
  contribution_words_ = std::max(contribution_words_, received);
}

// What the solver receives from a rank and sends it. `received`: words of sums so far.
template <class T>
void Stepwise<T>::plan_peer(const StepwiseSetup& s, const Shares& shares, std::int64_t step,
                            Rank peer, std::int64_t& received) {
  Solver& here = *at(step).solver;
  const Range k = rows_of_step(s, step);
  const auto number = static_cast<std::size_t>(peer.value);
  const IndexSet& in = shares.in[number];
  const IndexSet& out = shares.out[number];
  std::vector<Run> triangle;
  for_each_stretch(
      s.triangle.of_rank[number], k, s.part,
      [&](std::int64_t row, std::int64_t column, std::int64_t length, auto) {
        comm::append(triangle, {row - k.begin + (column - k.begin) * k.size(), length});
      });
  if (!triangle.empty()) {
    here.triangle_in.push_back(Message::of<T>(peer, triangle_tag, triangle));
  }
  const IndexSet rows = within(out, k);
  if (!rows.empty() && any(in, earlier(s, step))) {
    std::vector<Copy> subtracted;
    std::int64_t place = received;
    for (std::int64_t c = 0; c < how_.m; ++c) {
      for (const Interval& i : rows.intervals()) {
        const std::int64_t length = i.end - i.begin;
        subtracted.push_back(
            {place, here.x.offset + i.begin - k.begin + c * here.x.leading, length});
        place += length;
      }
    }
    here.sums_in.push_back(
        {Message::of<T>(peer, sums_tag, {{received, place - received}}), std::move(subtracted)});
    received = place;
  }
  const IndexSet columns = within(in, k);
  if (columns.empty() || !any(out, later(s, step))) return;
  std::vector<Run> solution;
  for (const Interval& i : columns.intervals()) {
    comm::append(solution, {here.x.offset + i.begin - k.begin, i.end - i.begin});
  }
  here.solution_out.push_back(
      Message::of<T>(peer, solution_tag, in_columns(solution, here.x.leading, how_.m)));
}

template class Stepwise<float>;
template class Stepwise<double>;
template class Stepwise<std::complex<float>>;
template class Stepwise<std::complex<double>>;

}  // namespace redblue::linalg::solve
