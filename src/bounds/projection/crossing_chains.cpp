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
#include "bounds/facts.hpp"
#include "bounds/footprint/footprint_program.hpp"
#include "bounds/isoperimetry/fixed_reads.hpp"
#include "bounds/roles.hpp"
#include "dataflow/step.hpp"

namespace redblue::bounds {

using dataflow::FinalValues;
using dataflow::sum;
using dataflow::text_of;
using dataflow::Vector;
using program::Statement;
using symbolic::Expr;

namespace {

constexpr int loops = 3;

// Places are instances of the first statement; those of the second one go by the same counters.
isl::map at_places(const isl::map& map, const Statement& first) {
  return isl::manage(
      isl_map_set_tuple_id(map.copy(), isl_dim_in, isl_set_get_tuple_id(first.domain.get())));
}

// What one statement hands on, step by step, by itself or through one that reads it, such as a
// copy: place -> its value one step before, or the input that begins the chain. Both statements
// read it.
struct Chain {
  const Statement* own;
  const Statement* through;  // or none
  isl::map passed;           // what that one's instances read of the chain's
  Vector step;
  isl::map values, inputs;

  isl::set read() const { return values.domain().unite(inputs.domain()); }
  void keep(const isl::set& places) {
    values = values.intersect_domain(places);
    inputs = inputs.intersect_domain(places);
  }
};

// A value that all places on a line share.
struct Shared {
  std::string text;
  isl::map values;  // place -> value
  bool input;
};

struct Crossing {
  const Statement *first, *second;
  std::vector<Chain> chains;  // the first one's, the second one's
  std::vector<Shared> shared;
  int along = 0;    // the loop along which places share values
  isl::set places;  // where all is so
};

class Finder {
 public:
  explicit Finder(const Facts& facts) : facts_(facts), reads_(facts.program()) {}

  std::vector<Crossing> find() const {
    std::vector<Crossing> result;
    const auto& all = facts_.program().statements;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = i + 1; j < all.size(); ++j) {
        if (all[i].iterators.size() != loops || all[j].iterators.size() != loops) continue;
        if (const auto crossing = of(all[i], all[j])) result.push_back(*crossing);
      }
    }
    return result;
  }

 private:
  std::optional<Crossing> of(const Statement& first, const Statement& second) const {
    for (const Chain& one : chains(first, second, first)) {
      for (const Chain& other : chains(first, second, second)) {
        for (int along = 0; along < loops; ++along) {
          const bool apart = one.through == nullptr || one.through != other.through;
          if (!apart || !span_all(one.step, other.step, along)) continue;
          Crossing result{&first, &second, {one, other},
                          {},     along,   one.read().intersect(other.read())};
          result.shared = shared(result);
          if (!result.shared.empty() && finish(result)) return result;
        }
      }
    }
    return std::nullopt;
  }

  static bool span_all(const Vector& one, const Vector& other, int along) {
    Vector third(loops, 0);
    third[static_cast<std::size_t>(along)] = 1;
    return dataflow::independent({one}, other) &&
           dataflow::independent(dataflow::echelon({one, other}), third);
  }

  // Of `own`, one of the two.
  std::vector<Chain> chains(const Statement& first, const Statement& second,
                            const Statement& own) const {
    std::vector<Chain> result;
    const auto both_read = [&](const Statement& values, const auto& add) {
      for (const FixedRead& a : reads_.between(first, values)) {
        for (const FixedRead& b : reads_.between(second, values)) {
          if (a.by == b.by && same_space(a.inputs.range(), b.inputs.range()))
            add(a.by, a.values.intersect(at_places(b.values, first)),
                a.inputs.intersect(at_places(b.inputs, first)));
        }
      }
    };
    both_read(own, [&](const Vector& by, const isl::map& values, const isl::map& inputs) {
      result.push_back({&own, nullptr, values, by, values, inputs});
    });
    for (const Statement& other : facts_.program().statements) {
      if (&other == &first || &other == &second) continue;
      for (const FixedRead& of : reads_.between(other, own)) {
        both_read(other, [&](const Vector& by, const isl::map& values, const isl::map& inputs) {
          result.push_back(
              {&own, &other, of.values, sum(by, of.by), values.apply_range(of.values), inputs});
        });
      }
    }
    std::erase_if(result, [](const Chain& chain) {
      return std::none_of(chain.step.begin(), chain.step.end(), [](long by) { return by != 0; });
    });
    return result;
  }

  // Values of other statements, and inputs, that both read and that places along the loop share:
  // none of one is one of another, or on a chain.
  std::vector<Shared> shared(const Crossing& crossing) const {
    std::vector<int> others;
    for (int d = 0; d < loops; ++d) {
      if (d != crossing.along) others.push_back(d);
    }
    const auto on_chain = [&crossing](const isl::set& values) {
      return std::any_of(crossing.chains.begin(), crossing.chains.end(), [&](const Chain& chain) {
        return same_space(values, chain.own->domain) ||
               (chain.through != nullptr && same_space(values, chain.through->domain));
      });
    };
    std::vector<Shared> result;
    for (const ValueRole& a : facts_.roles(*crossing.first).values) {
      if (a.loops != others || on_chain(a.range)) continue;
      for (const ValueRole& b : facts_.roles(*crossing.second).values) {
        if (!same_space(a.range, b.range)) continue;
        const isl::map both = a.values.intersect(at_places(b.values, *crossing.first));
        const bool meets = std::any_of(result.begin(), result.end(), [&both](const Shared& known) {
          return same_space(known.values.range(), both.range()) &&
                 !known.values.range().is_disjoint(both.range());
        });
        if (both.is_empty() || meets) continue;
        result.push_back({a.text, both, a.input});
        break;
      }
    }
    return result;
  }

  // Leaves the places where all is as asked; false where they are few, or an input could stand for
  // two lines.
  bool finish(Crossing& crossing) const {
    crossing.places = crossing.places.intersect(crossing.first->domain);
    for (const Shared& value : crossing.shared)
      crossing.places = crossing.places.intersect(value.values.domain());
    crossing.places = crossing.places.coalesce();
    const program::Count all = program::count(crossing.first->domain);
    if (!is_few(crossing.first->domain.subtract(crossing.places), all)) return false;
    std::vector<isl::set> used;
    for (const Shared& value : crossing.shared) {
      if (value.input) used.push_back(value.values.range());
    }
    for (Chain& chain : crossing.chains) {
      chain.keep(crossing.places);
      const isl::set begins = chain.inputs.range();
      const auto meets = [&begins](const isl::set& set) {
        return same_space(set, begins) && !set.is_disjoint(begins);
      };
      if (begins.is_empty()) continue;
      if (!chain.inputs.is_injective() || std::any_of(used.begin(), used.end(), meets))
        return false;
      used.push_back(begins);
    }
    return true;
  }

  const Facts& facts_;
  const FixedReads reads_;
};

// Instances of the chain's statement whose values are outputs, or whose copies are.
isl::set outputs_on(const Chain& chain, const std::vector<FinalValues>& finals) {
  isl::set result = chain.own->domain.subtract(chain.own->domain);
  for (const FinalValues& values : finals) {
    if (values.statement == chain.own->name) result = result.unite(values.instances);
    if (chain.through != nullptr && values.statement == chain.through->name)
      result = result.unite(chain.passed.intersect_domain(values.instances).range());
  }
  return result;
}

// What stands as inputs, and what as outputs besides: subtracted.
std::vector<isl::set> tagged(const std::vector<Crossing>& all,
                             const std::vector<FinalValues>& finals) {
  std::vector<isl::set> result;
  for (const Crossing& crossing : all) {
    for (const Shared& value : crossing.shared) {
      if (!value.input) unite(result, value.values.intersect_domain(crossing.places).range());
    }
    for (const Chain& chain : crossing.chains) {
      const isl::set counted = isl::manage(isl_set_set_tuple_id(
          crossing.places.copy(), isl_set_get_tuple_id(chain.own->domain.get())));
      const isl::set read = chain.values.range();
      unite(result, read.subtract(counted));
      unite(result, counted.subtract(read).subtract(outputs_on(chain, finals)));
    }
  }
  return result;
}

std::set<std::string> statements_of(const Crossing& crossing) {
  std::set<std::string> result;
  for (const Chain& chain : crossing.chains) {
    result.insert(chain.own->name);
    if (chain.through != nullptr) result.insert(chain.through->name);
  }
  return result;
}

// The statements and arrays whose values places share.
std::set<std::string> shared_by(const Crossing& crossing) {
  std::set<std::string> result;
  for (const Shared& value : crossing.shared)
    result.insert(isl_map_get_tuple_name(value.values.get(), isl_dim_out));
  return result;
}

// The arrays with which chains begin.
std::set<std::string> begun_with(const Crossing& crossing) {
  std::set<std::string> result;
  for (const Chain& chain : crossing.chains) {
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

// chi(x) = (x / 3) sqrt(x / (3 p)) of |In| + |Out| <= x, all statements counted; X - S = 4 S is
// best.
Bound bound_of(const std::vector<Crossing>& all, const std::vector<FinalValues>& finals,
               const Sizes& sizes) {
  const Expr s = symbolic::fast_memory();
  std::size_t values = all.front().shared.size();
  Amount counted;
  Bound bound;
  for (const Crossing& crossing : all) {
    values = std::min(values, crossing.shared.size());
    for (const Statement* statement : {crossing.first, crossing.second}) {
      counted += sizes.amount(program::count(crossing.places));
      bound.statement += (bound.statement.empty() ? "" : "+") + statement->name;
    }
  }
  const Amount less = sizes.total(tagged(all, finals));
  bound.method = "projection";
  bound.recomputation = false;
  bound.segment = 5 * s;
  bound.intensity = GiNaC::sqrt(s) / GiNaC::sqrt(Expr(2 * static_cast<long>(values)));
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
    for (const Shared& value : crossing.shared) names += (names.empty() ? "" : ", ") + value.text;
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
  };
  const auto& all = facts.once("crossing chains", [&] { return Finder(facts).find(); });
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
