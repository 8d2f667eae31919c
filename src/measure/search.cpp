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

struct Point {
  Choice choice;
  double ratio = 0;   // of its time to the start's
  std::string move;   // that led there
  bool done = false;  // its neighbours are tried
};

// Candidates by turns with the best of them.
class Contest {
 public:
  Contest(const Candidate& start, double seconds, const Trials& trials)
      : start_(start), seconds_(seconds), trials_(trials) {
    found_.best = start;
  }

  // Whether the start can be timed: what is wrong with it shows where it is measured.
  bool begin() {
    const double before = trials_.seconds();
    const auto alone = trials_.time(start_, start_, 1, 0);
    if (!alone) return false;
    turn_seconds_ = trials_.seconds() - before;
    found_.best_seconds = std::min(alone->first, alone->second);
    note(start_);
    points_.push_back({start_.choice, 1, ""});
    return true;
  }

  bool over() const { return trials_.seconds() >= seconds_; }

  bool known(const Choice& choice) const { return choices_.count(text(choice)) != 0; }
  void pass_over(const Choice& choice) { choices_.insert(text(choice)); }

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

  // The most promising point whose neighbours are not tried.
  std::optional<std::size_t> next() const {
    const auto next =
        std::min_element(points_.begin(), points_.end(), [](const Point& a, const Point& b) {
          return std::pair(a.done, a.ratio) < std::pair(b.done, b.ratio);
        });
    if (next->done || next->ratio > hopeless * best_ratio_) return std::nullopt;
    return static_cast<std::size_t>(next - points_.begin());
  }

  const Found& found() const { return found_; }
  const Point& point(std::size_t at) const { return points_[at]; }
  void exhausted(std::size_t at) { points_[at].done = true; }

  // Once more by turns: what is not faster than the model's choice is not handed out.
  Found beside_model(const Candidate& model) {
    found_.model_seconds = found_.best_seconds;
    if (found_.best.code == model.code) return found_;
    const auto both = trials_.time(model, found_.best, turns(1, found_.best_seconds, 3, 20), 0);
    if (!both) return found_;
    found_.model_seconds = both->first;
    found_.best_seconds = both->second;
    if (both->second < both->first) return found_;
    found_.best = model;
    found_.best_seconds = both->first;
    return found_;
  }

 private:
  // Whether both are new.
  bool note(const Candidate& candidate) {
    const bool choice = choices_.insert(text(candidate.choice)).second;
    return codes_.insert(candidate.code).second && choice;
  }

  std::optional<Pair> beside_best(const Candidate& candidate, int count) const {
    constexpr double far_slower = 3;
    const double most =
        std::min(1 + count * far_slower * turn_seconds_, 1 + seconds_ - trials_.seconds());
    return trials_.time(found_.best, candidate, count, std::max(most, 1.0));
  }

  const Candidate& start_;
  double seconds_;
  const Trials& trials_;
  Found found_;
  double turn_seconds_ = 0, best_ratio_ = 1;
  std::vector<Point> points_;
  std::set<std::string> choices_, codes_;
};

class Climb {
 public:
  Climb(const SearchRequest& request, const Trials& trials)
      : request_(request), contest_(request.start, request.seconds, trials) {}

  Found found() {
    if (!contest_.begin()) return contest_.found();
    contest_.consider(request_.model, "model");
    contest_.consider(request_.source, "source");
    try_promising_loops();
    while (!contest_.over()) {
      const auto at = contest_.next();
      if (!at) break;
      const Point point = contest_.point(*at);  // a copy: there will be more
      if (!climbed(point)) contest_.exhausted(*at);
    }
    return contest_.beside_model(request_.model);
  }

 private:
  // Whether a neighbour of the point is the best now. The number of points may change.
  bool climbed(const Point& point) {
    if (point.choice.nest == late_order) {
      for (const std::int64_t side : {point.choice.side / 2, 2 * point.choice.side}) {
        Choice next = point.choice;
        next.side = side;
        if (contest_.over()) return false;
        if (tried(next, "side")) return true;
      }
    } else if (point.choice.nest != own_order) {
      auto near =
          neighbours(point.choice, request_.orders.bands(point.choice.nest), request_.processor);
      std::stable_partition(near.begin(), near.end(),
                            [&](const Neighbour& n) { return n.move == point.move; });
      for (const Neighbour& n : near) {
        if (contest_.over()) return false;
        if (tried(n.choice, n.move)) return true;
      }
    }
    for (; next_loops_ < loops_.size(); ++next_loops_) {
      if (contest_.over()) return false;
      if (contest_.consider(candidate(loops_[next_loops_]), "loops")) return true;
    }
    return false;
  }

  // Whether the choice, where it is new and legal, is the best now.
  bool tried(const Choice& choice, const std::string& move) {
    if (contest_.known(choice)) return false;
    const auto made = request_.orders.made(choice);
    if (made && contest_.consider(candidate(*made), move)) return true;
    contest_.pass_over(choice);
    return false;
  }

  // Other loops, with what the model chooses for them, in its order.
  void try_promising_loops() {
    constexpr double promising = 2;
    for (int nest = 0; nest < request_.orders.nests() && !contest_.over(); ++nest) {
      auto made = request_.orders.modelled(nest);
      if (made) loops_.push_back(std::move(*made));
    }
    std::stable_sort(loops_.begin(), loops_.end(),
                     [](const auto& a, const auto& b) { return a.cycles < b.cycles; });
    for (; next_loops_ < loops_.size() && !contest_.over(); ++next_loops_) {
      if (loops_[next_loops_].cycles > promising * loops_.front().cycles) break;
      contest_.consider(candidate(loops_[next_loops_]), "loops");
    }
  }

  const SearchRequest& request_;
  Contest contest_;
  std::vector<Chosen> loops_;  // the model's, the fastest first
  std::size_t next_loops_ = 0;
};

}  // namespace

Candidate candidate(const Chosen& order) {
  try {
    return {order.choice, emitted(order.program, order.schedule, order.exclusive)};
  } catch (const isl::exception&) {
    return {order.choice, ""};
  }
}

Found search(const SearchRequest& request, const Trials& trials) {
  return Climb(request, trials).found();
}

Found fastest_of(const std::vector<Candidate>& candidates, double seconds, const Trials& trials) {
  const Candidate& model = candidates.front();
  Contest contest(model, seconds, trials);
  if (!contest.begin()) return contest.found();
  for (const Candidate& other : candidates) {
    if (contest.over()) break;
    contest.consider(other, "loops");
  }
  return contest.beside_model(model);
}

}  // namespace redblue::measure_detail
