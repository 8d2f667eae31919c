// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/isoperimetry/rim.hpp"

#include <isl/constraint.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "bounds/footprint/footprint_program.hpp"
#include "bounds/isoperimetry/lattice_growth.hpp"
#include "bounds/isoperimetry/starts.hpp"
#include "program/count.hpp"

namespace redblue::bounds {

using dataflow::FinalValues;
using dataflow::sum;
using dataflow::Vector;

namespace {

constexpr int none = -1;  // in place of a step: 0 of D0

// from -> to, along `axis` by `least` or more, other coordinates the same.
isl::map further(const isl::set& from, const isl::set& to, int axis, long least) {
  isl_space* space = isl_space_map_from_domain_and_range(isl_set_get_space(from.get()),
                                                         isl_set_get_space(to.get()));
  isl_map* map = isl_map_universe(isl_space_copy(space));
  const int loops = static_cast<int>(isl_space_dim(space, isl_dim_in));
  for (int c = 0; c < loops; ++c) {
    if (c != axis) map = isl_map_equate(map, isl_dim_in, c, isl_dim_out, c);
  }
  isl_constraint* ahead = isl_constraint_alloc_inequality(isl_local_space_from_space(space));
  ahead = isl_constraint_set_coefficient_si(ahead, isl_dim_out, axis, 1);
  ahead = isl_constraint_set_coefficient_si(ahead, isl_dim_in, axis, -1);
  ahead = isl_constraint_set_constant_si(ahead, static_cast<int>(-least));
  return isl::manage(isl_map_add_constraint(map, ahead));
}

class Prices {
 public:
  Prices(const std::vector<FinalValues>& finals, const Stencil& stencil, const Sizes& sizes,
         PaidFor paid_for)
      : stencil_(stencil), sizes_(sizes), starts_(clean_starts(stencil)) {
    for (std::size_t i = 0; i < parts(); ++i) {
      isl::set inner = domain(i), pays = domain(i);  // pays: but for outputs
      for (const FinalValues& values : finals) {
        if (values.statement == stencil.parts[i].statement->name)
          pays = pays.subtract(values.instances);
      }
      if (paid_for == PaidFor::readers) {
        for (const isl::map& step : stencil.parts[after(i)].before)
          inner = inner.intersect(step.range());
        without_readers_ += count(pays.subtract(inner));
        inner_.push_back(inner.coalesce());
      } else {
        inner_.push_back(pays);
      }
    }
    choose_paid(paid_for == PaidFor::reads);
    if (paid_for == PaidFor::reads) find_axis();
  }

  Rim rim() const {
    Rim result;
    const Vector zero(stencil_.steps.front().size(), 0);
    result.all = result.cheap = result.one_way = {zero};
    result.paid = without_readers_;
    result.most = without_readers_ > 0 ? 1 : 0;
    for (std::size_t s = 0; s < stencil_.steps.size(); ++s) {
      if (!paid_[s]) continue;
      result.one_way.push_back(stencil_.steps[s]);
      result.paid += lacking_[s];
      result.most += lacking_[s] > 0 ? 1 : 0;
    }
    std::vector<std::pair<Vector, double>> priced;
    double highest = 0;
    for (const auto& [move, ways] : moves()) {
      priced.emplace_back(move, price(ways));
      highest = std::max(highest, priced.back().second);
    }
    for (const auto& [move, price] : priced) {
      const bool cheap = price <= highest / 4;
      result.all.push_back(move);
      if (cheap) result.cheap.push_back(move);
      (cheap ? result.paid : result.paid_more) += price;
      if (price > 0) (cheap ? result.most : result.most_more) += 1;
    }
    return result;
  }

 private:
  using Way = std::pair<int, int>;  // d and d' of a move d - d', as indices of steps or `none`

  std::size_t parts() const { return stencil_.parts.size(); }
  std::size_t after(std::size_t i) const { return (i + 1) % parts(); }
  const isl::set& domain(std::size_t i) const { return stencil_.parts[i].statement->domain; }

  isl::set reads(std::size_t i, std::size_t step) const {
    return stencil_.parts[i].before[step].domain().unite(starts_[i][step].domain());
  }

  isl::set lacks(std::size_t i, std::size_t step) const {
    return domain(i).subtract(reads(i, step)).coalesce();
  }

  double count(const isl::set& set) const {
    return sizes_.amount(program::count(set.coalesce())).value;
  }

  // Paid for are the steps whose places fewest lack: no other step's lack is a part of theirs.
  // Those without lack cost nothing.
  void choose_paid(bool reads) {
    const std::size_t steps = stencil_.steps.size();
    std::vector<std::vector<isl::set>> lacking(steps);
    for (std::size_t s = 0; s < steps; ++s) {
      double sum = 0;
      for (std::size_t i = 0; i < parts(); ++i) {
        lacking[s].push_back(lacks(i, s));
        sum += count(lacking[s].back());
      }
      lacking_.push_back(sum);
    }
    const auto within = [&](std::size_t s, std::size_t t) {
      for (std::size_t i = 0; i < parts(); ++i) {
        if (!lacking[s][i].is_subset(lacking[t][i])) return false;
      }
      return true;
    };
    for (std::size_t t = 0; t < steps; ++t) {
      bool least = reads || lacking_[t] <= 0;
      for (std::size_t s = 0; s < steps && least && lacking_[t] > 0; ++s) {
        if (s == t || lacking_[s] <= 0) continue;
        least = !within(s, t) || (within(t, s) && t < s);
      }
      paid_.push_back(least);
    }
  }

  std::map<Vector, std::vector<Way>> moves() const {
    std::map<Vector, std::vector<Way>> result;
    const int steps = static_cast<int>(stencil_.steps.size());
    const Vector zero(stencil_.steps.front().size(), 0);
    const auto place = [&](int s) {
      return s == none ? zero : stencil_.steps[static_cast<std::size_t>(s)];
    };
    for (int a = none; a < steps; ++a) {
      for (int b = none; b < steps; ++b) {
        const Vector move = sum(place(a), place(b), -1);
        if (move != zero) result[move].emplace_back(a, b);
      }
    }
    return result;
  }

  // The instances of part i for which a move leads, one of these ways, to a place that is there
  // or paid for.
  isl::set covered(std::size_t i, const Way& way) const {
    const auto [a, b] = way;
    const bool paid = b != none && paid_[static_cast<std::size_t>(b)];
    if (a == none) return paid ? domain(i) : reads(i, static_cast<std::size_t>(b));
    isl::map read = stencil_.parts[after(i)].before[static_cast<std::size_t>(a)];
    if (b != none && !paid)
      read = read.intersect_domain(reads(after(i), static_cast<std::size_t>(b)));
    return read.range();
  }

  double price(const std::vector<Way>& ways) const {
    double result = 0;
    for (std::size_t i = 0; i < parts(); ++i) {
      isl::set left = inner_[i];
      for (const Way& way : ways) left = left.subtract(covered(i, way));
      for (const auto& [a, b] : ways) {
        if (b == none && !left.is_empty())
          left = left.subtract(ends_covered(i, static_cast<std::size_t>(a)));
      }
      result += count(left);
    }
    return result;
  }

  // Instances x that read inputs of their own line along e in the place of x - d', d + d' = 2e:
  // x + d is x + 2e - d', paid for, but for the end of the line, where the input stands for it.
  isl::set ends_covered(std::size_t i, std::size_t d) const {
    const isl::set nothing = domain(i).subtract(domain(i));
    if (!along_) return nothing;
    for (std::size_t s = 0; s < stencil_.steps.size(); ++s) {
      const Vector both = sum(stencil_.steps[d], stencil_.steps[s]);
      if (!paid_[s] || both != sum(stencil_.steps[*along_], stencil_.steps[*along_])) continue;
      const isl::set next = stencil_.parts[after(i)].before[*along_].range();
      return inputs_[i][s].domain().intersect(next);
    }
    return nothing;
  }

  // The step e along one loop such that lines along it have no gaps and read inputs of their own.
  void find_axis() {
    for (std::size_t e = 0; e < stencil_.steps.size() && !along_; ++e) {
      const int axis = dataflow::axis_of(stencil_.steps[e]);
      if (axis < 0 || stencil_.steps[e][static_cast<std::size_t>(axis)] < 0) continue;
      if (!without_gaps(e, axis)) continue;
      inputs_.clear();
      for (std::size_t i = 0; i < parts(); ++i) {
        inputs_.emplace_back();
        for (std::size_t s = 0; s < stencil_.steps.size(); ++s)
          inputs_[i].push_back(stencil_.parts[i].starts[s].intersect_domain(lacks(i, s)));
      }
      if (by_line(axis)) along_ = e;
    }
  }

  // Behind an instance that no other one reads along e there are no more on its line; and one round
  // of the parts is a step of 1 along the axis, so that all instances along it are on one line.
  bool without_gaps(std::size_t e, int axis) const {
    for (std::size_t i = 0; i < parts(); ++i) {
      const isl::set last = domain(i).subtract(stencil_.parts[after(i)].before[e].range());
      long distance = 0;
      for (std::size_t h = 1; h <= parts(); ++h) {
        const std::size_t j = (i + h) % parts();
        const std::optional<Vector> by = dataflow::translation(stencil_.parts[j].before[e]);
        if (!by) return false;
        for (std::size_t c = 0; c < by->size(); ++c) {
          if (static_cast<int>(c) != axis && (*by)[c] != 0) return false;
        }
        distance += (*by)[static_cast<std::size_t>(axis)];
        if (h == parts() && distance != 1) return false;
        const isl::map later = further(last, domain(j), axis, distance);
        if (!later.intersect_domain(last).intersect_range(domain(j)).is_empty()) return false;
      }
    }
    return true;
  }

  // Whether an input that is read in a paid step's place is read by one part's instances on one
  // line, in that step's place alone.
  bool by_line(int axis) const {
    for (std::size_t i = 0; i < parts(); ++i) {
      const isl::map one_line = further(domain(i), domain(i), axis, 0);
      for (std::size_t s = 0; s < stencil_.steps.size(); ++s) {
        if (!paid_[s] || inputs_[i][s].is_empty()) continue;
        for (std::size_t j = 0; j < parts(); ++j) {
          for (std::size_t t = 0; t < stencil_.steps.size(); ++t) {
            if (!paid_[t] || inputs_[j][t].is_empty()) continue;
            const isl::union_map shared =
                isl::union_map(inputs_[i][s]).apply_range(isl::union_map(inputs_[j][t]).reverse());
            if (i == j && s == t) {
              if (!shared.is_subset(isl::union_map(one_line.unite(one_line.reverse()))))
                return false;
            } else if (!shared.is_empty()) {
              return false;
            }
          }
        }
      }
    }
    return true;
  }

  const Stencil& stencil_;
  const Sizes& sizes_;
  std::vector<std::vector<isl::map>> starts_;
  std::vector<isl::set> inner_;                // by part, what may be in E
  double without_readers_ = 0;                 // and pay
  std::vector<double> lacking_;                // by step
  std::vector<bool> paid_;                     // by step
  std::optional<std::size_t> along_;           // e
  std::vector<std::vector<isl::map>> inputs_;  // by part and step, of those that lack the place
};

}  // namespace

Rim rim(const std::vector<FinalValues>& finals, const Stencil& stencil, const Sizes& sizes,
        PaidFor paid_for) {
  return Prices(finals, stencil, sizes, paid_for).rim();
}

double value_within_rim(const std::vector<FinalValues>& finals, const Stencil& stencil,
                        const Sizes& sizes) {
  if (!stencil.direct) return 0;
  std::vector<isl::set> domains;
  for (const StencilPart& part : stencil.parts) domains.push_back(part.statement->domain);
  const double counted = sizes.total(domains).value;
  double best = 0;
  for (const PaidFor paid_for : {PaidFor::readers, PaidFor::reads}) {
    if (paid_for == PaidFor::reads && sizes.units > 1) continue;
    const Rim prices = rim(finals, stencil, sizes, paid_for);
    for (const auto& [share, growth] :
         growth_by_moves(stencil.steps, prices.one_way, prices.all, prices.cheap)) {
      const double most = std::max(1.0, prices.most + share * prices.most_more);
      const auto chi = [&, &growth = growth](double x) { return growth.largest(x + most); };
      const double paid = prices.paid + share * prices.paid_more;
      // transfers and payments together are more than the bound less 1, and transfers are whole
      best = std::max(
          best, std::floor(transfers_bound(chi, counted, sizes.memory(), sizes.units) - paid));
    }
  }
  return best;
}

}  // namespace redblue::bounds
