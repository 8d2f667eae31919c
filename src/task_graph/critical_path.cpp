// SPDX-License-Identifier: BSD-3-Clause
#include "task_graph/critical_path.hpp"

#include <algorithm>
#include <bit>

namespace redblue::task_graph {

namespace {

// Walks back in time.
class Walk {
 public:
  Walk(const Execution& execution, const Matching& matching, const History& history)
      : execution_(execution), matching_(matching), history_(history) {}

  std::vector<Piece> from(int rank) {
    rank_ = rank;
    next_ = execution_.ranks[static_cast<std::size_t>(rank)].actions.size();
    while (next_ > 0) back();
    std::reverse(pieces_.begin(), pieces_.end());
    return std::move(pieces_);
  }

 private:
  // Over action next_ - 1 of rank_.
  void back() {
    const std::size_t a = --next_;
    const auto r = static_cast<std::size_t>(rank_);
    const Action& action = execution_.ranks[r].actions[a];
    const PastAction& past = history_.actions[r][a];
    switch (action.kind) {
      case Action::Kind::compute:
        pieces_.push_back({Piece::Kind::compute,
                           rank_,
                           -1,
                           past.begin,
                           past.end,
                           {0, 0, action.flops, action.memory_words}});
        break;
      case Action::Kind::collective: {
        const double entered =
            history_.actions[static_cast<std::size_t>(past.entered_last)][past.entered_as].begin;
        const double rounds = std::bit_width(static_cast<unsigned>(action.members - 1));
        pieces_.push_back({Piece::Kind::collective,
                           rank_,
                           past.entered_last,
                           entered,
                           past.end,
                           {rounds, 0, 0, 0}});
        go_to(past.entered_last, past.entered_as);
        break;
      }
      case Action::Kind::wait:
        copying(-1, past.there, past.end);
        if (past.cause != none) wait(past);
        break;
      case Action::Kind::send:
        copying(action.peer, past.begin, past.end);
        break;
      case Action::Kind::receive:
        break;
    }
  }

  // Over what the rank's processor does for messages.
  void copying(int peer, double begin, double end) {
    if (end > begin) pieces_.push_back({Piece::Kind::message, rank_, peer, begin, end, {}});
  }

  void go_to(int rank, std::size_t next) {
    rank_ = rank;
    next_ = next;
  }

  // Over the turn that the rank waited for once the message was there, and the message.
  void wait(const PastAction& past) {
    const bool receives = matching_.messages[past.cause].to == rank_;
    const PastMessage& m = history_.messages[past.cause];
    const double done = receives ? m.there : m.left;
    if (past.there > done) {
      pieces_.push_back({Piece::Kind::wait, rank_, -1, done, past.there, {}});
    }
    message(past.cause, receives);
  }

  // Over a message and those that kept its ports busy, to the action that it waited for.
  void message(std::size_t number, bool at_receiver) {
    if (at_receiver) {
      while (history_.messages[number].before_at_receiver != none) {
        const std::size_t before = history_.messages[number].before_at_receiver;
        add(number, history_.messages[before].there, history_.messages[number].there, false);
        number = before;
      }
    }
    const PastMessage& last = history_.messages[number];
    const double end = at_receiver ? last.there : last.left;
    add(number, last.before == none ? last.asked : last.start, end, true);
    while (history_.messages[number].before != none) {
      const std::size_t before = history_.messages[number].before;
      const PastMessage& past = history_.messages[before];
      add(before, past.before == none ? past.asked : past.start, history_.messages[number].start,
          false);
      number = before;
    }
    go_to(history_.messages[number].cause_rank, history_.messages[number].cause_action);
  }

  void add(std::size_t number, double begin, double end, bool arrives) {
    const Message& m = matching_.messages[number];
    pieces_.push_back({Piece::Kind::message,
                       m.from,
                       m.to,
                       begin,
                       end,
                       {arrives ? 1.0 : 0.0, m.words, 0, m.words}});
  }

  const Execution& execution_;
  const Matching& matching_;
  const History& history_;
  std::vector<Piece> pieces_;
  int rank_ = 0;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<Piece> critical_path(const Execution& execution, const Matching& matching,
                                 const History& history) {
  int last = 0;
  double end = -1;
  for (std::size_t r = 0; r < history.actions.size(); ++r) {
    const double mine = history.actions[r].empty() ? 0 : history.actions[r].back().end;
    if (mine > end) last = static_cast<int>(r);
    end = std::max(end, mine);
  }
  return Walk(execution, matching, history).from(last);
}

}  // namespace redblue::task_graph
