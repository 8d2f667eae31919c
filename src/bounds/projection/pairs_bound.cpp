// SPDX-License-Identifier: BSD-3-Clause
// Bounds of sums over all pairs: docs/methods/pairs.md.
#include <algorithm>
#include <cmath>
#include <list>

#include "bounds/bound.hpp"
#include "bounds/contraction.hpp"
#include "bounds/footprint/segments.hpp"
#include "bounds/projection/pairs.hpp"
#include "bounds/projection/places.hpp"

namespace redblue::bounds {

using program::Program;
using program::Statement;
using symbolic::Expr;
using symbolic::Rational;

namespace {

// Statements that read the same arrays at the same positions.
struct Family {
  std::vector<Pairs> members;
  PairsShape shape;
  std::vector<std::string> used_once;  // values of a contracted statement that are looked through
};

std::string names_of(const Family& family) {
  std::string names;
  for (const Pairs& pairs : family.members)
    names += (names.empty() ? "" : "+") + pairs.statement->name;
  return names;
}

// Statements that share pairs are in different layers; each goes into the first one it fits in.
long layers_of(const std::vector<Pairs>& members) {
  std::vector<std::vector<const Pairs*>> layers;
  for (const Pairs& pairs : members) {
    const auto fits = std::find_if(layers.begin(), layers.end(), [&](const auto& layer) {
      return std::none_of(layer.begin(), layer.end(),
                          [&](const Pairs* other) { return share_a_pair(*other, pairs); });
    });
    if (fits == layers.end())
      layers.push_back({&pairs});
    else
      fits->push_back(&pairs);
  }
  return static_cast<long>(layers.size());
}

Family family_of(std::vector<Pairs> members) {
  const long layers = layers_of(members);
  const PairsShape shape{layers, static_cast<long>(members.front().both.size()),
                         static_cast<long>(members.front().placed.size())};
  return {std::move(members), shape, {}};
}

isl::set near(const Pairs& pairs) {
  const std::string d = pair_distance_parameter;
  const isl::set positions(program::context(), "[" + d + "] -> { [p, q] : " + d + " >= 1 and -" +
                                                   d + " < p - q < " + d + " }");
  return pairs.positions().intersect_range(positions).domain();
}

class Derivation {
 public:
  Derivation(const Family& family, const Sizes& sizes) : family_(family), sizes_(sizes) {
    std::vector<isl::set> tagged;
    for (const Pairs& pairs : family.members) {
      add(program::count(pairs.counted), vertices_);
      near_.push_back(program::count(near(pairs)));
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
    bound.intensity = 4 * Expr(pairs_constant(shape)) * s + (family_.used_once.empty() ? 0 : 2);
    const Expr counted = vertices_.formula - near_formula_;
    const Expr moved = (counted / bound.intensity).expand();
    bound.expression = segments_formula(moved, 2, sizes_.memories()) - tagged_.formula;
    bound.leading = sizes_.leading((moved - tagged_.formula).expand());
    bound.largest = pairs_constant(shape) * GiNaC::pow(symbolic::symbol("X"), 2) +
                    (family_.used_once.empty() ? Expr(0) : Expr(symbolic::symbol("X")));
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
  // more.
  double value() const {
    const double memory = sizes_.memory();
    const double far = far_enough(family_.shape, 2 * memory);
    double best = 0;
    for (const double share : {0.0, 0.25, 0.5, 0.75, 0.9, 1.0, 1.1, 1.3}) {
      const double distance = std::ceil(share * far);
      const double vertices = vertices_.value - near_at(distance);
      if (vertices <= 0) continue;
      const auto chi = [&](double x) {
        return pairs_chi(family_.shape, x, distance) * (1 + 1e-9) +
               (family_.used_once.empty() ? 0 : x);
      };
      best = std::max(best, segments_bound(chi, vertices, memory, sizes_.units));
    }
    return std::max(0.0, best - tagged_.value);
  }

  std::vector<Condition> ledger() const {
    std::vector<Condition> lines;
    const auto note = [&](const std::string& line) { lines.push_back({line, proved}); };
    note("which vertex computes each value read is known exactly (flow dependences by isl)");
    note(bound_names() + " reads " + std::to_string(family_.shape.both) +
         " array(s) at two positions, a row that stands still along a chain and places that pass "
         "one after the other");
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
  Amount vertices_, tagged_;
  std::vector<program::Count> near_;
  Expr near_formula_ = 0;
  bool has_tags_ = false;
};

// The formula's distance, 3 S / 5 + 1, must be far enough at the best X, 2 S.
bool has_formula(const PairsShape& shape) {
  return shape.layers == 1 || shape.both + shape.placed > 1;
}

// The statements that go with the first of `roles`, which is one of pairs.
std::vector<Pairs> joined(const Pairs& first, const std::list<Roles>& roles) {
  std::vector<Pairs> members = {first};
  const isl::set elements = first.both.front().row.range();
  for (const Roles& other : roles) {
    if (other.statement == first.statement) continue;
    auto pairs = pairs_of(other, &elements);
    if (pairs && order_as(first, *pairs) &&
        std::all_of(members.begin(), members.end(),
                    [&](const Pairs& member) { return agree(member, *pairs); }))
      members.push_back(*pairs);
  }
  return members;
}

}  // namespace

std::vector<Bound> sums_over_pairs(const Program& program, const Sizes& sizes) {
  std::vector<Bound> result;
  const auto add = [&](const Family& family) {
    if (has_formula(family.shape)) result.push_back(Derivation(family, sizes).derive());
  };
  std::list<Roles> roles;
  for (const Statement& statement : program.statements) {
    if (may_be_pairs(statement)) roles.push_back(roles_of(program, statement));
  }
  std::vector<const Statement*> done;
  for (const Roles& one : roles) {
    const auto first = pairs_of(one);
    if (!first) continue;
    add(family_of({*first}));
    if (std::count(done.begin(), done.end(), one.statement) != 0) continue;
    const std::vector<Pairs> members = joined(*first, roles);
    for (const Pairs& member : members) done.push_back(member.statement);
    if (members.size() > 1) add(family_of(members));
  }
  for (const Statement& statement : program.statements) {
    const auto through = contracted(program, statement);
    if (!through || !may_be_pairs(through->statement)) continue;
    // Chains that pass values used once could end at one of them: only those that do not.
    Roles looked_through = roles_of(program, through->statement);
    looked_through.chains = roles_of(program, through->direct).chains;
    const auto pairs = pairs_of(looked_through);
    if (!pairs) continue;
    Family family = family_of({*pairs});
    family.used_once = through->conditions();
    add(family);
  }
  return result;
}

}  // namespace redblue::bounds
