// SPDX-License-Identifier: BSD-3-Clause
// Bounds of sums over all pairs: docs/methods/pairs.md.
#include <algorithm>
#include <cmath>
#include <list>
#include <set>

#include "bounds/bound.hpp"
#include "bounds/contraction.hpp"
#include "bounds/facts.hpp"
#include "bounds/footprint/segments.hpp"
#include "bounds/projection/pairs.hpp"
#include "bounds/projection/pairs_chi.hpp"

namespace redblue::bounds {

using program::Statement;
using symbolic::Expr;
using symbolic::Rational;

namespace {

// Statements that read the same arrays at the same positions.
struct Family {
  std::vector<Pairs> members;
  PairsShape shape;
  std::vector<std::string> used_once;  // of contracted statements, what is known of values
};

std::string names_of(const Family& family) {
  std::string names;
  for (const Pairs& pairs : family.members)
    names += (names.empty() ? "" : "+") + pairs.statement->name;
  return names;
}

// The members in as few groups as come about when each goes into the first it fits in.
template <class Fit>
long groups_of(const std::vector<Pairs>& members, const Fit& fit) {
  std::vector<std::vector<const Pairs*>> groups;
  for (const Pairs& pairs : members) {
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return std::all_of(group.begin(), group.end(),
                         [&](const Pairs* other) { return fit(*other, pairs); });
    });
    if (found == groups.end())
      groups.push_back({&pairs});
    else
      found->push_back(&pairs);
  }
  return static_cast<long>(groups.size());
}

Family family_of(std::vector<Pairs> members, std::vector<std::string> used_once) {
  PairsShape shape;
  shape.layers = groups_of(
      members, [](const Pairs& one, const Pairs& other) { return !share_a_pair(one, other); });
  shape.both = static_cast<long>(members.front().both.size());
  shape.placed = static_cast<long>(members.front().placed.size());
  if (!used_once.empty()) shape.pairs_a_value = groups_of(members, use_at_one_pair);
  return {std::move(members), shape, std::move(used_once)};
}

// Instances nearer to the diagonal than the distance times `factor`.
isl::set near(const Pairs& pairs, long factor) {
  const std::string d = pair_distance_parameter;
  const std::string most = std::to_string(factor) + d;
  const isl::set positions(program::context(), "[" + d + "] -> { [p, q] : " + d + " >= 1 and -" +
                                                   most + " < p - q < " + most + " }");
  return pairs.positions().intersect_range(positions).domain();
}

class Derivation {
 public:
  Derivation(const Family& family, const Sizes& sizes)
      : family_(family), sizes_(sizes), factor_(std::max(1L, family.shape.pairs_a_value)) {
    std::vector<isl::set> tagged;
    for (const Pairs& pairs : family.members) {
      add(program::count(pairs.counted), vertices_);
      near_.push_back(program::count(near(pairs, factor_)));
      near_formula_ += sizes.counts->symbol_of(near_.back());
      for (const isl::set& set : pairs.tagged) unite(tagged, set);
    }
    for (const isl::set& set : tagged) add(program::count(set), tagged_);
    has_tags_ = !tagged.empty();
  }

  Bound derive() const {
    const PairsShape& shape = family_.shape;
    const Expr s = symbolic::fast_memory();
    Bound bound;
    bound.method = "pairs";
    bound.statement = names_of(family_);
    bound.recomputation = !has_tags_;
    bound.segment = 2 * s;
    bound.intensity = 4 * Expr(pairs_constant(shape)) * s;
    const Expr counted = vertices_.formula - near_formula_;
    const Expr moved = (counted / bound.intensity).expand();
    bound.expression = segments_formula(moved, 2) - tagged_.formula;
    bound.leading = sizes_.leading((moved - tagged_.formula).expand());
    bound.largest = pairs_constant(shape) * GiNaC::pow(symbolic::symbol("X"), 2);
    if (shape.pairs_a_value > 0)
      bound.conditions.push_back({bound.intensity * s, near_at_best(shape)});
    bound.counted = {{"instances counted", counted},
                     {"values counted as inputs, subtracted", tagged_.formula}};
    if (sizes_.complete) bound.value = value();
    bound.ledger = ledger();
    return bound;
  }

 private:
  void add(const program::Count& count, Amount& to) const { to += sizes_.amount(count); }

  static void unite(std::vector<isl::set>& all, const isl::set& set) {
    const auto known = std::find_if(all.begin(), all.end(),
                                    [&](const isl::set& other) { return same_space(other, set); });
    if (known == all.end())
      all.push_back(set);
    else
      *known = known->unite(set);
  }

  double near_at(double distance) const {
    symbolic::Valuation values = sizes_.values;
    values[pair_distance_parameter] = static_cast<long>(distance);
    double sum = 0;
    for (const program::Count& count : near_) sum += count.number(values);
    return sum;
  }

  // Of several distances the best: nearer instances are counted, and blocks on the diagonal hold
  // more. S, the formula's, is among them.
  double value() const {
    const double memory = sizes_.memory();
    const double far = far_enough(family_.shape, 2 * memory) / static_cast<double>(factor_);
    std::vector<double> distances = {memory};
    for (const double share : {0.0, 0.25, 0.5, 0.75, 0.9, 1.0, 1.1, 1.3})
      distances.push_back(std::ceil(share * far));
    double best = 0;
    for (const double distance : distances) {
      const double vertices = vertices_.value - near_at(distance);
      if (vertices <= 0) continue;
      const auto chi = [&](double x) {
        return pairs_chi(family_.shape, x, distance * static_cast<double>(factor_)) * (1 + 1e-9);
      };
      best = std::max(best, segments_bound(chi, vertices, memory, sizes_.units));
    }
    return std::max(0.0, best - tagged_.value);
  }

  std::vector<Condition> ledger() const {
    std::vector<Condition> lines;
    const auto note = [&](const std::string& line) { lines.push_back({line, proved}); };
    note("which vertex computes each value read is known exactly (flow dependences by isl)");
    const long both = family_.shape.both;
    note(bound_names() + " reads " + (both == 1 ? "an array" : std::to_string(both) + " arrays") +
         " at two positions, a row that stands still along a chain and places that pass one after "
         "the other");
    note(
        "each run of consecutive instances of a chain that a segment computes brings one value "
        "from outside");
    if (family_.members.size() > 1) note("these statements read the same values at one position");
    for (const std::string& line : family_.used_once) note(line);
    note(
        "instances near the diagonal are left out: of others a block of runs shares no position "
        "between its rows and its places, each chain in the program's order");
    if (has_tags_)
      note(
          "computed values that are read, and instances that begin a chain, count as inputs; "
          "their number is subtracted");
    return lines;
  }

  std::string bound_names() const {
    return (family_.members.size() > 1 ? "each of " : "") + names_of(family_);
  }

  const Family& family_;
  const Sizes& sizes_;
  const long factor_;  // what the formula's distance is multiplied by
  Amount vertices_, tagged_;
  std::vector<program::Count> near_;
  Expr near_formula_ = 0;
  bool has_tags_ = false;
};

// A statement, contracted where it reads values used once.
struct Candidate {
  std::optional<Contracted> through;
  Roles roles;
};

std::optional<Pairs> pairs_of(const Candidate& one, const isl::set* first = nullptr) {
  std::optional<Pairs> pairs = pairs_of(one.roles, first);
  if (pairs && one.through) pairs->makers = one.through->makers;
  return pairs;
}

// With `contract` only if some statement is contracted.
std::list<Candidate> candidates(const Facts& facts, bool contract) {
  std::list<Candidate> result;
  bool any = false;
  for (const Statement& statement : facts.program().statements) {
    auto through = contract ? facts.contracted(statement) : std::nullopt;
    if (!may_be_pairs(through ? through->statement : statement)) continue;
    Candidate& added = result.emplace_back();
    added.through = std::move(through);
    any = any || added.through;
    added.roles = added.through ? facts.contracted_roles(statement) : facts.roles(statement);
  }
  return any == contract ? std::move(result) : std::list<Candidate>();
}

void note_conditions(const Candidate& one, std::vector<std::string>& lines) {
  if (!one.through) return;
  for (const std::string& line : one.through->conditions())
    if (std::count(lines.begin(), lines.end(), line) == 0) lines.push_back(line);
}

// `first`, and with `all` the statements that go with it.
Family joined(const Candidate& first, const Pairs& pairs, const std::list<Candidate>& all) {
  std::vector<Pairs> members = {pairs};
  std::vector<std::string> used_once;
  note_conditions(first, used_once);
  const isl::set elements = pairs.both.front().row.range();
  for (const Candidate& other : all) {
    if (&other == &first) continue;
    auto more = pairs_of(other, &elements);
    if (!more || !order_as(pairs, *more) ||
        !std::all_of(members.begin(), members.end(),
                     [&](const Pairs& member) { return agree(member, *more); }))
      continue;
    members.push_back(*more);
    note_conditions(other, used_once);
  }
  return family_of(std::move(members), std::move(used_once));
}

}  // namespace

std::vector<Bound> sums_over_pairs(const Facts& facts, const Sizes& sizes) {
  std::vector<Bound> result;
  for (const bool contract : {false, true}) {
    const std::list<Candidate> all = candidates(facts, contract);
    std::set<std::string> known;
    for (const Candidate& one : all) {
      const auto pairs = pairs_of(one);
      if (!pairs) continue;
      for (const Family& family : {joined(one, *pairs, {}), joined(one, *pairs, all)}) {
        const bool is_new = contract == !family.used_once.empty();  // else said already
        if (is_new && known.insert(names_of(family)).second)
          result.push_back(Derivation(family, sizes).derive());
      }
    }
  }
  return result;
}

}  // namespace redblue::bounds
