// SPDX-License-Identifier: BSD-3-Clause
// Bounds of two statements whose chains cross: at every place x of a nest of three loops both read
// what the first one computed at x - d1 and what the second one computed at x - d2, and values that
// the places on a line of a third direction share. A plane rotation of two rows is one: two chains
// of rows, cosine and sine.
//
// Each line of a chain that a segment touches brings a value from outside, and leaves one where the
// chain's own statement is computed on it; each line of the third direction brings the shared
// values. Proof: docs/methods/crossing_chains.md.
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "bounds/bound.hpp"
#include "bounds/busiest/even_shares.hpp"
#include "bounds/facts.hpp"
#include "bounds/footprint/footprint_program.hpp"
#include "bounds/projection/crossing_statements.hpp"
#include "bounds/roles.hpp"
#include "dataflow/step.hpp"

namespace redblue::bounds {

using dataflow::FinalValues;
using dataflow::text_of;
using program::Statement;
using symbolic::Expr;
using symbolic::Rational;

namespace {

// The instances of the chain's statement at the places.
isl::set counted_on(const CrossingChain& chain, const Crossing& crossing) {
  return isl::manage(
      isl_set_set_tuple_id(crossing.places.copy(), isl_set_get_tuple_id(chain.own->domain.get())));
}

// Instances of the chain's statement whose values are outputs, or whose copies are.
isl::set outputs_on(const CrossingChain& chain, const std::vector<FinalValues>& finals) {
  isl::set result = chain.own->domain.subtract(chain.own->domain);
  for (const FinalValues& values : finals) {
    if (values.statement == chain.own->name) result = result.unite(values.instances);
    if (chain.through != nullptr && values.statement == chain.through->name)
      result = result.unite(chain.passed.intersect_domain(values.instances).range());
  }
  return result;
}

// Computed values that stand as inputs.
std::vector<isl::set> tagged_inputs(const std::vector<Crossing>& all) {
  std::vector<isl::set> result;
  for (const Crossing& crossing : all) {
    for (const SharedValue& value : crossing.shared) {
      if (!value.input) unite(result, value.values.range());
    }
    for (const CrossingChain& chain : crossing.chains)
      unite(result, chain.values.range().subtract(counted_on(chain, crossing)));
  }
  return result;
}

// Values that stand as outputs, and are none.
std::vector<isl::set> tagged_outputs(const std::vector<Crossing>& all,
                                     const std::vector<FinalValues>& finals) {
  std::vector<isl::set> result;
  for (const Crossing& crossing : all) {
    for (const CrossingChain& chain : crossing.chains)
      unite(result, counted_on(chain, crossing)
                        .subtract(chain.values.range())
                        .subtract(outputs_on(chain, finals)));
  }
  return result;
}

// Inputs of the program that places read.
std::vector<isl::set> inputs_of(const std::vector<Crossing>& all) {
  std::vector<isl::set> result;
  for (const Crossing& crossing : all) {
    for (const SharedValue& value : crossing.shared) {
      if (value.input) unite(result, value.values.range());
    }
    for (const CrossingChain& chain : crossing.chains) unite(result, chain.inputs.range());
  }
  return result;
}

std::set<std::string> statements_of(const Crossing& crossing) {
  std::set<std::string> result;
  for (const CrossingChain& chain : crossing.chains) {
    result.insert(chain.own->name);
    if (chain.through != nullptr) result.insert(chain.through->name);
  }
  return result;
}

// The statements and arrays whose values places share.
std::set<std::string> shared_by(const Crossing& crossing) {
  std::set<std::string> result;
  for (const SharedValue& value : crossing.shared)
    result.insert(isl_map_get_tuple_name(value.values.get(), isl_dim_out));
  return result;
}

// The arrays with which chains begin.
std::set<std::string> begun_with(const Crossing& crossing) {
  std::set<std::string> result;
  for (const CrossingChain& chain : crossing.chains) {
    if (!chain.inputs.is_empty())
      result.insert(isl_map_get_tuple_name(chain.inputs.get(), isl_dim_out));
  }
  return result;
}

bool meet(const std::set<std::string>& one, const std::set<std::string>& other) {
  return std::any_of(one.begin(), one.end(),
                     [&other](const std::string& name) { return other.count(name) != 0; });
}

// Whether a segment needs what the one and what the other needs: nothing stands for both but shared
// values, and these for all of both or for none.
bool add_up(const Crossing& one, const Crossing& other) {
  const std::set<std::string> a = shared_by(one), b = shared_by(other);
  const bool each_its_own = a.size() == one.shared.size() && b.size() == other.shared.size();
  const bool same = each_its_own && a == b;
  return !meet(statements_of(one), statements_of(other)) &&
         !meet(begun_with(one), begun_with(other)) && (same || !meet(a, b)) &&
         !meet(begun_with(one), b) && !meet(begun_with(other), a) && !meet(statements_of(one), b) &&
         !meet(statements_of(other), a);
}

// How many values each place shares, at least.
long values_of(const std::vector<Crossing>& all) {
  std::size_t values = all.front().shared.size();
  for (const Crossing& crossing : all) values = std::min(values, crossing.shared.size());
  return static_cast<long>(values);
}

Amount counted_of(const std::vector<Crossing>& all, const Sizes& sizes) {
  Amount counted;
  for (const Crossing& crossing : all) {
    for (std::size_t i = 0; i < crossing.chains.size(); ++i)
      counted += sizes.amount(program::count(crossing.places));
  }
  return counted;
}

std::string names_of(const std::vector<Crossing>& all) {
  std::string names;
  for (const Crossing& crossing : all) {
    for (const Statement* statement : {crossing.first, crossing.second})
      names += (names.empty() ? "" : "+") + statement->name;
  }
  return names;
}

// Of processors that share the instances evenly, from what comes in alone: chi(x) = 2 (x / 3)^(3/2)
// / sqrt(p).
Busiest share_of(const std::vector<Crossing>& all, const Sizes& sizes) {
  const long values = values_of(all);
  Amount at_home = sizes.total(tagged_inputs(all));
  at_home += sizes.total(inputs_of(all));
  const auto chi = [values](double x) {
    return 2 * std::pow(x / 3, 1.5) / std::sqrt(static_cast<double>(values)) * (1 + 1e-9);
  };
  return even_shares({names_of(all), counted_of(all, sizes), at_home,
                      2 / (3 * GiNaC::sqrt(Expr(3 * values))), Rational(3) / 2, chi},
                     sizes);
}

// chi(x) = (x / 3) sqrt(x / (3 p)) of |In| + |Out| <= x, all statements counted; X - S = 4 S is
// best.
Bound bound_of(const std::vector<Crossing>& all, const std::vector<FinalValues>& finals,
               const Sizes& sizes) {
  const Expr s = symbolic::fast_memory();
  const long values = values_of(all);
  const Amount counted = counted_of(all, sizes);
  Amount less = sizes.total(tagged_inputs(all));
  less += sizes.total(tagged_outputs(all, finals));
  Bound bound;
  bound.statement = names_of(all);
  bound.method = "crossing chains";
  bound.recomputation = false;
  bound.segment = 5 * s;
  const Expr both = s + symbolic::symbol("X");
  bound.largest = both / 3 * GiNaC::sqrt(both / (3 * values));
  bound.intensity = GiNaC::sqrt(s) / GiNaC::sqrt(Expr(2 * values));
  bound.expression =
      (counted.formula / bound.intensity - 4 * s * sizes.memories() - less.formula).expand();
  bound.leading = sizes.leading(bound.expression);
  bound.counted = {{"instances counted", counted.formula},
                   {"values counted as inputs or outputs, subtracted", less.formula}};
  if (sizes.complete) {
    const auto chi = [values](double x) {
      return x / 3 * std::sqrt(x / (3.0 * static_cast<double>(values))) * (1 + 1e-9);
    };
    bound.value = std::max(
        0.0, transfers_bound(chi, counted.value, sizes.memory(), sizes.units) - less.value);
  }
  return bound;
}

void explain(const std::vector<Crossing>& all, Bound& bound) {
  const auto note = [&bound](const std::string& text) { bound.ledger.push_back({text, proved}); };
  note("which vertex computes each value read is known exactly (flow dependences by isl)");
  for (const Crossing& crossing : all) {
    const std::string &one = crossing.first->name, &other = crossing.second->name;
    std::string names;
    for (const SharedValue& value : crossing.shared)
      names += (names.empty() ? "" : ", ") + value.text;
    note(one + " and " + other + " both read the value of " + one + " that stands " +
         text_of(crossing.chains.front().step) + " before them, and that of " + other + ", " +
         text_of(crossing.chains.back().step) + " before");
    note("values read as " + names + " are the same along " +
         crossing.first->iterators[static_cast<std::size_t>(crossing.along)] +
         ", inputs or counted as inputs, and different ones elsewhere");
  }
  note(
      "each line along one of these steps that is touched brings one value from outside, and "
      "leaves one where its own statement is computed on it");
  if (all.size() > 1) note("no value stands for two pairs of statements, but for those they share");
  note("what a segment brings and leaves, S + X values at most, limits its set (Loomis-Whitney)");
  note(
      "instances that lack such a read or its reader count as inputs or outputs; their number is "
      "subtracted");
}

}  // namespace

std::vector<Bound> crossing_chains(const Facts& facts, const Sizes& sizes) {
  std::vector<Bound> result;
  const auto add = [&](const std::vector<Crossing>& some) {
    result.push_back(bound_of(some, facts.final_values(), sizes));
    explain(some, result.back());
    if (sizes.units > 1) note_share(sizes, share_of(some, sizes));
  };
  const auto& all = facts.once("crossing chains", [&] { return crossings(facts); });
  std::vector<Crossing> together;
  for (const Crossing& crossing : all) {
    add({crossing});
    if (std::all_of(together.begin(), together.end(),
                    [&](const Crossing& known) { return add_up(known, crossing); }))
      together.push_back(crossing);
  }
  if (together.size() > 1) add(together);
  return result;
}

}  // namespace redblue::bounds
