// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/plan/caller_layouts.hpp"
#include "comm/number.hpp"

#include <algorithm>
#include <complex>
#include <set>

namespace redblue::linalg {

namespace {

// A hash of a layout without its leading dimension.
class Fingerprint {
 public:
  void add(std::int64_t x) {
    value_ = (value_ ^ static_cast<std::uint64_t>(x)) * 0x100000001b3U;
    value_ ^= value_ >> 29;
  }
  std::int64_t value() const { return static_cast<std::int64_t>(value_ >> 2); }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

std::int64_t fingerprint(const Layout& layout) {
  Fingerprint result;
  result.add(static_cast<std::int64_t>(layout.index()));
  if (const auto* l = std::get_if<BlockCyclic>(&layout)) {
    for (const std::int64_t x : {l->rows, l->columns, l->first_row, l->first_column}) result.add(x);
    for (const Cyclic& c : {l->down, l->across}) {
      result.add(c.block);
      result.add(c.first);
      result.add(c.source);
      result.add(c.processes);
    }
    for (const Rank r : l->ranks) result.add(r.value);
  } else {
    const auto& grid = std::get<BlockGrid>(layout);
    for (const std::int64_t x : grid.row_cuts) result.add(x);
    result.add(-1);
    for (const std::int64_t x : grid.column_cuts) result.add(x);
    for (const Rank r : grid.owners) result.add(r.value);
  }
  return result.value();
}

bool valid(const Cyclic& c) {
  return c.block >= 1 && c.first >= 1 && c.processes >= 1 && c.source >= 0 &&
         c.source < c.processes;
}

// What is wrong with a layout, or empty.
std::string fault(const BlockCyclic& l, int ranks, Rank me) {
  if (l.rows < 0 || l.columns < 0) return "a negative size";
  if (l.first_row < 0 || l.first_column < 0) return "a submatrix that starts before the matrix";
  if (!valid(l.down) || !valid(l.across)) return "a block size or process number out of range";
  if (static_cast<std::int64_t>(l.ranks.size()) !=
      std::int64_t{l.down.processes} * l.across.processes) {
    return "a process grid of another size than its list of ranks";
  }
  std::set<Rank> seen;
  for (const Rank r : l.ranks) {
    if (r.value < 0 || r.value >= ranks) return "a rank outside the communicator";
    if (!seen.insert(r).second) return "a rank at two places of the process grid";
  }
  const auto found = std::find(l.ranks.begin(), l.ranks.end(), me);
  if (found == l.ranks.end()) return {};
  const auto row = static_cast<int>((found - l.ranks.begin()) / l.across.processes);
  const std::int64_t least = std::max<std::int64_t>(1, l.down.count(l.first_row + l.rows, row));
  return l.leading < least ? "a leading dimension of " + std::to_string(l.leading) + " for " +
                                 std::to_string(least) + " local rows"
                           : "";
}

std::string fault(const BlockGrid& l, int ranks, Rank) {
  for (const auto* cuts : {&l.row_cuts, &l.column_cuts}) {
    if (cuts->empty() || cuts->front() != 0) return "cuts that do not start at 0";
    if (!std::is_sorted(cuts->begin(), cuts->end())) return "cuts that descend";
  }
  if (l.owners.size() != (l.row_cuts.size() - 1) * (l.column_cuts.size() - 1)) {
    return "a number of owners that is not that of the blocks";
  }
  for (const Rank r : l.owners) {
    if (r.value < 0 || r.value >= ranks) return "a rank outside the communicator";
  }
  return {};
}

}  // namespace

void check_layout(comm::Communicator& communicator, const std::string& what, const Layout& layout) {
  const std::string wrong = std::visit(
      [&](const auto& l) { return fault(l, communicator.size(), communicator.rank()); }, layout);
  if (!communicator.all(wrong.empty())) {
    throw Error("layout of " + what, wrong.empty() ? "an invalid layout on another rank" : wrong,
                "see redblue/layout.hpp");
  }
  if (!communicator.same_everywhere({fingerprint(layout)})) {
    throw Error("layout of " + what, "different layouts on different ranks",
                "pass the same on all ranks, but for the leading dimension");
  }
}

void tell_places(comm::Communicator& communicator, layout::Arrangement& arrangement) {
  std::vector<double> places;  // exact: far below 2^53
  for (int rank = 0; rank < communicator.size(); ++rank) {
    const bool own = rank == communicator.rank().value;
    for (const layout::Patch& p : arrangement.of_rank[static_cast<std::size_t>(rank)]) {
      places.push_back(own ? static_cast<double>(p.offset) : 0);
      places.push_back(own ? static_cast<double>(p.leading) : 0);
    }
  }
  communicator.sum(places);
  auto next = places.begin();
  for (std::vector<layout::Patch>& patches : arrangement.of_rank) {
    for (layout::Patch& p : patches) {
      p.offset = static_cast<std::int64_t>(*next++);
      p.leading = static_cast<std::int64_t>(*next++);
    }
  }
}

void refuse_missing(comm::Communicator& communicator, const std::string& what,
                    const std::string& missing) {
  if (communicator.all(missing.empty())) return;
  throw Error(what,
              missing.empty() ? "another rank passes no array"
                              : "no array for matrix " + missing.substr(0, 1),
              "pass arrays of owned() words");
}

void refuse_beyond(comm::Communicator& communicator, const std::string& what,
                   std::optional<Words> limit, Words needed) {
  if (!limit) return;
  const std::int64_t most = communicator.maximum(needed.value);
  if (most <= limit->value) return;
  throw Error(what + " in " + std::to_string(limit->value) + " words per rank",
              "these layouts need more", "the least that does is " + std::to_string(most), most);
}

void require_same(comm::Communicator& communicator, const std::string& what,
                  const FactorOptions& options, std::vector<std::int64_t> others) {
  constexpr double picoseconds = 1e12;
  others.insert(others.end(),
                {options.block.value_or(0), static_cast<std::int64_t>(options.objective),
                 options.memory.value_or(Words(-1)).value,
                 static_cast<std::int64_t>(options.machine.latency_seconds * picoseconds),
                 static_cast<std::int64_t>(options.machine.bytes_per_second)});
  if (communicator.same_everywhere(others)) return;
  throw Error(what, "ranks ask for different things", "pass the same on all ranks");
}

std::vector<layout::Patch> local_patches(const Layout& layout,
                                         const comm::Communicator& communicator) {
  return layout::arrangement(layout, communicator.size())
      .of_rank[static_cast<std::size_t>(communicator.rank().value)];
}

layout::Arrangement arrangement_of(const Layout& layout, Op op, int ranks) {
  layout::Arrangement result = layout::arrangement(layout, ranks);
  return op == Op::none ? result : layout::transposed(std::move(result));
}

template <class T>
comm::Transfer<T> transfer_between(const comm::Communicator& communicator, Op op, const Layout& a,
                                   const Layout& b) {
  const layout::Arrangement from = arrangement_of(a, op, communicator.size());
  const layout::Arrangement to = arrangement_of(b, Op::none, communicator.size());
  if (from.rows != to.rows || from.columns != to.columns) {
    throw Error("redistribution",
                std::to_string(from.rows) + " x " + std::to_string(from.columns) + " into " +
                    std::to_string(to.rows) + " x " + std::to_string(to.columns),
                "op(A) and B must have one size");
  }
  comm::TransferOptions options;
  options.conjugate = op == Op::conjugate_transpose;
  options.add = true;
  return {communicator, from, to, options};
}

#define REDBLUE_INSTANTIATE(T)                                                              \
  template comm::Transfer<T> transfer_between(const comm::Communicator&, Op, const Layout&, \
                                              const Layout&);
REDBLUE_INSTANTIATE(int)
REDBLUE_FOR_ALL_NUMBERS(REDBLUE_INSTANTIATE)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::linalg
