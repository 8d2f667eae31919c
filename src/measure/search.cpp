// SPDX-License-Identifier: BSD-3-Clause
#include "measure/search.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "schedule/codegen/choice_text.hpp"
#include "schedule/codegen/neighbours.hpp"

namespace redblue::measure_detail {

using schedule::codegen::Choice;
using schedule::codegen::Chosen;
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
    points_.push_back({request_.start.choice, found_.best_seconds, ""});
    consider(request_.model, "model");
    consider(request_.source, "source");
    while (!over()) {
      const auto next =
          std::min_element(points_.begin(), points_.end(), [](const Point& a, const Point& b) {
            return std::pair(a.done, a.seconds) < std::pair(b.done, b.seconds);
          });
      if (next->done || next->seconds > hopeless * found_.best_seconds) break;
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
    double seconds = 0;
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
    if (point.choice.nest != own_order) {
      auto near =
          neighbours(point.choice, request_.orders.bands(point.choice.nest), request_.processor);
      std::stable_partition(near.begin(), near.end(),
                            [&](const Neighbour& n) { return n.move == point.move; });
      for (const Neighbour& n : near) {
        if (over()) return false;
        if (choices_.count(text(n.choice)) != 0) continue;
        if (consider(request_.orders.made(n.choice), n.choice, n.move)) return true;
      }
    }
    for (; next_nest_ < request_.orders.nests(); ++next_nest_) {
      if (over()) return false;
      const auto other = request_.orders.modelled(next_nest_);
      if (!other || choices_.count(text(other->choice)) != 0) continue;
      if (consider(other, other->choice, "loops")) return true;
    }
    return false;
  }

  bool consider(const std::optional<Chosen>& made, const Choice& choice, const std::string& move) {
    if (!made) {
      choices_.insert(text(choice));
      return false;
    }
    return consider({choice, emitted(made->program, made->schedule, made->order)}, move);
  }

  std::optional<Pair> beside_best(const Candidate& candidate, int count) const {
    constexpr double far_slower = 3;
    const double most =
        std::min(1 + count * far_slower * turn_seconds_, 1 + request_.seconds - trials_.seconds());
    return trials_.time(found_.best, candidate, count, std::max(most, 1.0));
  }

  // Whether the candidate is the best now.
  bool consider(const Candidate& candidate, const std::string& move) {
    if (!note(candidate)) return false;
    ++found_.tried;
    trials_.progress(found_.tried, found_.best_seconds);
    const auto first = beside_best(candidate, turns(0.3, found_.best_seconds, 2, 9));
    if (!first) return false;
    const double ratio = first->second / first->first;
    points_.push_back({candidate.choice, ratio * found_.best_seconds, move});
    if (ratio > gain) return false;
    const auto again = beside_best(candidate, turns(1, found_.best_seconds, 3, 20));
    if (!again || again->second > gain * again->first) return false;
    if (!trials_.same_results(candidate)) {
      found_.other_bits.push_back(text(candidate.choice));
      points_.pop_back();
      return false;
    }
    found_.best = candidate;
    found_.best_seconds = points_.back().seconds = again->second;
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
  double turn_seconds_ = 0;
  std::vector<Point> points_;
  std::set<std::string> choices_, codes_;
  int next_nest_ = 0;
};

}  // namespace

Found search(const SearchRequest& request, const Trials& trials) {
  return Climb(request, trials).found();
}

}  // namespace redblue::measure_detail
