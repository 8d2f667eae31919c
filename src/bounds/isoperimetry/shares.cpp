// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/isoperimetry/shares.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "bounds/busiest/crossings.hpp"
#include "program/count.hpp"

namespace redblue::bounds {

using dataflow::Vector;

namespace {

constexpr std::size_t most_steps = 9;  // that are tried as directions

class Shares {
 public:
  Shares(const Stencil& stencil, const Sizes& sizes) : stencil_(stencil), sizes_(sizes) {
    for (std::size_t j = 0; j < stencil.parts.size(); ++j) {
      const isl::set& domain = stencil.parts[j].statement->domain;
      isl::set read = domain.subtract(domain);
      for (const isl::map& before : after(j).before) read = read.unite(before.range());
      read_.push_back(read.intersect(domain).coalesce());
      shared_.counted += sizes.amount(program::count(read_.back()));
      shared_.all += sizes.amount(program::count(domain));
      shared_.names += (shared_.names.empty() ? "" : "+") + stencil.parts[j].statement->name;
    }
    add_steps();
    add_differences();
  }

  const SharedInstances& shared() const { return shared_; }

 private:
  // The part whose instances read those of part j.
  const StencilPart& after(std::size_t j) const {
    return stencil_.parts[(j + 1) % stencil_.parts.size()];
  }

  // `follow`: of a part, its instances that have one before them in the direction.
  void add(const Vector& by, long weight, const std::function<isl::set(std::size_t)>& follow) {
    Direction direction{by, weight, {}};
    for (std::size_t j = 0; j < read_.size(); ++j)
      direction.runs += sizes_.amount(program::count(read_[j].subtract(follow(j)).coalesce()));
    shared_.directions.push_back(direction);
  }

  // x - d is read by x. Short steps first.
  void add_steps() {
    std::vector<std::size_t> order(stencil_.steps.size());
    std::iota(order.begin(), order.end(), 0);
    const auto length = [this](std::size_t s) {
      long sum = 0;
      for (const long place : stencil_.steps[s]) sum += std::labs(place);
      return sum;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return length(a) < length(b); });
    if (order.size() > most_steps) order.resize(most_steps);
    for (const std::size_t s : order) {
      add(stencil_.steps[s], stencil_.charge,
          [&](std::size_t j) { return stencil_.parts[j].before[s].domain(); });
    }
  }

  // x and x + d - d' are both read by x + d: along each loop the longest such distance.
  void add_differences() {
    const std::vector<Vector>& steps = stencil_.steps;
    for (std::size_t loop = 0; loop < steps.front().size(); ++loop) {
      long longest = 0;
      std::pair<std::size_t, std::size_t> pair;
      for (std::size_t a = 0; a < steps.size(); ++a) {
        for (std::size_t b = 0; b < steps.size(); ++b) {
          const Vector by = dataflow::sum(steps[a], steps[b], -1);
          if (dataflow::axis_of(by) != static_cast<int>(loop) || by[loop] <= longest) continue;
          longest = by[loop];
          pair = {a, b};
        }
      }
      if (longest == 0) continue;
      const auto& [a, b] = pair;
      add(dataflow::sum(steps[a], steps[b], -1), 2L * stencil_.charge,
          [&, a = a, b = b](std::size_t j) {
            const StencilPart& readers = after(j);
            return readers.before[a].reverse().apply_range(readers.before[b]).range();
          });
    }
  }

  const Stencil& stencil_;
  const Sizes& sizes_;
  std::vector<isl::set> read_;  // by part: its instances that others read
  SharedInstances shared_{"", {}, {}, false, {}};
};

}  // namespace

std::optional<Busiest> crossings_of_stencil(const Stencil& stencil, const Sizes& sizes) {
  try {
    return crossings(Shares(stencil, sizes).shared(), sizes);
  } catch (const program::Uncountable&) {
    return std::nullopt;
  } catch (const isl::exception&) {
    return std::nullopt;
  }
}

}  // namespace redblue::bounds
