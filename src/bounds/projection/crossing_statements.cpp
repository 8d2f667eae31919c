// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/projection/crossing_statements.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <optional>

#include "bounds/fixed_reads.hpp"
#include "bounds/roles.hpp"

namespace redblue::bounds {

using dataflow::sum;
using dataflow::Vector;
using program::Statement;

namespace {

constexpr int loops = 3;

// Places are instances of the first statement; those of the second one go by the same counters.
isl::map at_places(const isl::map& map, const Statement& first) {
  return isl::manage(
      isl_map_set_tuple_id(map.copy(), isl_dim_in, isl_set_get_tuple_id(first.domain.get())));
}

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
    for (const CrossingChain& one : chains(first, second, first)) {
      for (const CrossingChain& other : chains(first, second, second)) {
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
  std::vector<CrossingChain> chains(const Statement& first, const Statement& second,
                                    const Statement& own) const {
    std::vector<CrossingChain> result;
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
    std::erase_if(result, [](const CrossingChain& chain) {
      return std::none_of(chain.step.begin(), chain.step.end(), [](long by) { return by != 0; });
    });
    return result;
  }

  // Values of other statements, and inputs, that both read and that places along the loop share:
  // none of one is one of another, or on a chain.
  std::vector<SharedValue> shared(const Crossing& crossing) const {
    std::vector<int> others;
    for (int d = 0; d < loops; ++d) {
      if (d != crossing.along) others.push_back(d);
    }
    const auto on_chain = [&crossing](const isl::set& values) {
      return std::any_of(
          crossing.chains.begin(), crossing.chains.end(), [&](const CrossingChain& chain) {
            return same_space(values, chain.own->domain) ||
                   (chain.through != nullptr && same_space(values, chain.through->domain));
          });
    };
    std::vector<SharedValue> result;
    for (const ValueRole& a : facts_.roles(*crossing.first).values) {
      if (a.loops != others || on_chain(a.range)) continue;
      for (const ValueRole& b : facts_.roles(*crossing.second).values) {
        if (!same_space(a.range, b.range)) continue;
        const isl::map both = a.values.intersect(at_places(b.values, *crossing.first));
        const bool meets =
            std::any_of(result.begin(), result.end(), [&both](const SharedValue& known) {
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
    for (const SharedValue& value : crossing.shared)
      crossing.places = crossing.places.intersect(value.values.domain());
    crossing.places = crossing.places.coalesce();
    const program::Count all = program::count(crossing.first->domain);
    if (!is_few(crossing.first->domain.subtract(crossing.places), all)) return false;
    std::vector<isl::set> used;
    for (SharedValue& value : crossing.shared) {
      if (value.input) used.push_back(value.values.range());
      value.values = value.values.intersect_domain(crossing.places);
    }
    for (CrossingChain& chain : crossing.chains) {
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

}  // namespace

std::vector<Crossing> crossings(const Facts& facts) {
  return Finder(facts).find();
}

}  // namespace redblue::bounds
