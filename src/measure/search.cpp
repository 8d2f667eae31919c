// SPDX-License-Identifier: BSD-3-Clause
#include "measure/search.hpp"

#include <isl/cpp.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "schedule/choice/choice_text.hpp"
#include "schedule/choice/neighbours.hpp"

namespace redblue::measure_detail {

using schedule::codegen::Choice;
using schedule::codegen::Chosen;
using schedule::codegen::late_order;
using schedule::codegen::Neighbour;
using schedule::codegen::own_order;

namespace {

// A gain by less may be noise. What takes so much longer than the best is not climbed from.
constexpr double gain = 0.97, hopeless = 2;

int turns(double seconds_in_all, double seconds_of_one, int least, int most) {
  const double fitting = seconds_in_all / std::max(seconds_of_one, 1e-9);
  return static_cast<int>(std::clamp<double>(fitting, least, most));
}

class Climb {
 public:
  Climb(const SearchRequest& request, const Trials& trials) : request_(request), trials_(trials) {
    found_.best = request.start;
  }

  Found found() {
    const double before = trials_.seconds();
    const auto alone = trials_.time(request_.start, request_.start, 1, 0);
    if (!alone) return found_;  // what is wrong shows where it is measured
    turn_seconds_ = trials_.seconds() - before;
    found_.best_seconds = std::min(alone->first, alone->second);
    note(request_.start);
    points_.push_back({request_.start.choice, 1, ""});
    consider(request_.model, "model");
    consider(request_.source, "source");
    try_promising_loops();
    while (!over()) {
      const auto next =
          std::min_element(points_.begin(), points_.end(), [](const Point& a, const Point& b) {
            return std::pair(a.done, a.ratio) < std::pair(b.done, b.ratio);
          });
      if (next->done || next->ratio > hopeless * best_ratio_) break;
      const Point point = *next;  // a copy: there will be more
      const auto at = static_cast<std::size_t>(next - points_.begin());
      if (!climbed(point)) points_[at].done = true;
    }
    compare_with_model();
    return found_;
  }

 private:
  struct Point {
    Choice choice;
    double ratio = 0;   // of its time to the start's
    std::string move;   // that led there
    bool done = false;  // its neighbours are tried
  };

  bool over() const { return trials_.seconds() >= request_.seconds; }

  // Whether both are new.
  bool note(const Candidate& candidate) {
    const bool choice = choices_.insert(text(candidate.choice)).second;
    return codes_.insert(candidate.code).second && choice;
  }

  // Whether a neighbour of the point is the best now. The number of points may change.
  bool climbed(const Point& point) {
    if (point.choice.nest == late_order) {
      for (const std::int64_t side : {point.choice.side / 2, 2 * point.choice.side}) {
        if (over()) return false;
        Choice next = point.choice;
        next.side = side;
        if (choices_.count(text(next)) != 0) continue;
        const auto made = request_.orders.made(next);
        if (made && consider(candidate(*made), "side")) return true;
        choices_.insert(text(next));
      }
    } else if (point.choice.nest != own_order) {
      auto near =
          neighbours(point.choice, request_.orders.bands(point.choice.nest), request_.processor);
      std::stable_partition(near.begin(), near.end(),
                            [&](const Neighbour& n) { return n.move == point.move; });
      for (const Neighbour& n : near) {
        if (over()) return false;
        if (choices_.count(text(n.choice)) != 0) continue;
        const auto made = request_.orders.made(n.choice);
        if (made && consider(candidate(*made), n.move)) return true;
        choices_.insert(text(n.choice));
      }
    }
    for (; next_loops_ < loops_.size(); ++next_loops_) {
      if (over()) return false;
      if (consider(candidate(loops_[next_loops_]), "loops")) return true;
    }
    return false;
  }

  // Other loops, with what the model chooses for them, in its order.
  void try_promising_loops() {
    constexpr double promising = 2;
    for (int nest = 0; nest < request_.orders.nests() && !over(); ++nest) {
      auto made = request_.orders.modelled(nest);
      if (made) loops_.push_back(std::move(*made));
    }
    std::stable_sort(loops_.begin(), loops_.end(),
                     [](const auto& a, const auto& b) { return a.cycles < b.cycles; });
    for (; next_loops_ < loops_.size() && !over(); ++next_loops_) {
      if (loops_[next_loops_].cycles > promising * loops_.front().cycles) break;
      consider(candidate(loops_[next_loops_]), "loops");
    }
  }

  // Without code where isl has none: one of many, not worth the search.
  static Candidate candidate(const Chosen& made) {
    try {
      return {made.choice, emitted(made.program, made.schedule, made.exclusive)};
    } catch (const isl::exception&) {
      return {made.choice, ""};
    }
  }

  std::optional<Pair> beside_best(const Candidate& candidate, int count) const {
    constexpr double far_slower = 3;
    const double most =
        std::min(1 + count * far_slower * turn_seconds_, 1 + request_.seconds - trials_.seconds());
    return trials_.time(found_.best, candidate, count, std::max(most, 1.0));
  }

  // Whether the candidate is the best now.
  bool consider(const Candidate& candidate, const std::string& move) {
    if (!note(candidate) || candidate.code.empty()) return false;
    ++found_.tried;
    trials_.progress(found_.tried, found_.best_seconds);
    const auto first = beside_best(candidate, turns(0.3, found_.best_seconds, 2, 9));
    if (!first) return false;
    const double ratio = first->second / first->first;
    found_.best_seconds = std::min(found_.best_seconds, first->first);
    points_.push_back({candidate.choice, ratio * best_ratio_, move});
    if (ratio > gain) return false;
    const auto again = beside_best(candidate, turns(1, found_.best_seconds, 3, 20));
    if (!again || again->second > gain * again->first) return false;
    if (!trials_.same_results(candidate)) {
      found_.other_bits.push_back(text(candidate.choice));
      points_.pop_back();
      return false;
    }
    found_.best = candidate;
    found_.best_seconds = again->second;
    points_.back().ratio = best_ratio_ *= again->second / again->first;
    return true;
  }

  // Once more by turns: what is not faster than the model's choice is not handed out.
  void compare_with_model() {
    found_.model_seconds = found_.best_seconds;
    if (found_.best.code == request_.model.code) return;
    const auto both =
        trials_.time(request_.model, found_.best, turns(1, found_.best_seconds, 3, 20), 0);
    if (!both) return;
    found_.model_seconds = both->first;
    found_.best_seconds = both->second;
    if (both->second < both->first) return;
    found_.best = request_.model;
    found_.best_seconds = both->first;
  }

  const SearchRequest& request_;
  const Trials& trials_;
  Found found_;
  double turn_seconds_ = 0, best_ratio_ = 1;
  std::vector<Point> points_;
  std::set<std::string> choices_, codes_;
  std::vector<Chosen> loops_;  // the model's, the fastest first
  std::size_t next_loops_ = 0;
};

}  // namespace

Found search(const SearchRequest& request, const Trials& trials) {
  return Climb(request, trials).found();
}

}  // namespace redblue::measure_detail
