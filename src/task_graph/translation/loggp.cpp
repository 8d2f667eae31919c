// SPDX-License-Identifier: BSD-3-Clause
#include "task_graph/translation/loggp.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <utility>

#include "redblue/error.hpp"

namespace redblue::task_graph {

namespace {

// A processor in the middle of its program.
struct Processor {
  double ready = 0;
  std::size_t next = 0;
};

struct InFlight {
  double there;  // when the message is
  double words;
  std::size_t sender_at;  // the action that follows the send
};

// Runs the program action by action, always the one that ends first: every task is added after
// those that are over before it is.
class Translation {
 public:
  Translation(const LogGPProgram& program, const LogGP& parameters)
      : program_(program),
        parameters_(parameters),
        processors_(program.size()),
        result_{0, Schedule(static_cast<int>(program.size())), {}} {}

  LogGPSchedule run() {
    for (std::size_t p = 0; p < program_.size(); ++p) enqueue(static_cast<int>(p));
    while (!ends_.empty()) {
      const auto [end, p] = ends_.top();
      ends_.pop();
      processors_[static_cast<std::size_t>(p)].ready = end;
      step(p);
    }
    for (std::size_t p = 0; p < program_.size(); ++p) {
      if (processors_[p].next < program_[p].size()) {
        throw Error("a LogGP program", "a processor waits for a message that nobody sends");
      }
      result_.seconds = std::max(result_.seconds, processors_[p].ready);
    }
    return std::move(result_);
  }

 private:
  // Once it is known when the processor's next action ends.
  void enqueue(int p) {
    const Processor& at = processors_[static_cast<std::size_t>(p)];
    const auto& actions = program_[static_cast<std::size_t>(p)];
    if (at.next == actions.size()) return;
    const LogGPAction& a = actions[at.next];
    if (a.kind != LogGPAction::Kind::compute &&
        (a.peer < 0 || a.peer >= result_.schedule.processors() || a.peer == p)) {
      throw Error("a LogGP program", "a message that joins no two processors");
    }
    const double o = parameters_.o;
    const double per_word = parameters_.per_word;
    if (a.kind == LogGPAction::Kind::compute) {
      ends_.emplace(at.ready + a.amount, p);
    } else if (a.kind == LogGPAction::Kind::send) {
      ends_.emplace(at.ready + o + per_word * a.amount, p);
    } else {
      const std::deque<InFlight>& coming = in_flight_[{a.peer, p}];
      if (coming.empty()) return;  // its send enqueues it
      const InFlight& message = coming.front();
      ends_.emplace(std::max(message.there + o, at.ready + o + per_word * message.words), p);
    }
  }

  // The processor's next action is over.
  void step(int p) {
    Processor& at = processors_[static_cast<std::size_t>(p)];
    const LogGPAction a = program_[static_cast<std::size_t>(p)][at.next++];
    if (a.kind == LogGPAction::Kind::compute) {
      result_.schedule.compute(p, a.amount);
    } else if (a.kind == LogGPAction::Kind::send) {
      result_.schedule.send(p, a.amount);
      in_flight_[{p, a.peer}].push_back({at.ready + parameters_.o, a.amount, at.next});
    } else {
      receive(p, a.peer);
    }
    enqueue(p);
    if (a.kind == LogGPAction::Kind::send) wake(a.peer, p);
  }

  void receive(int p, int from) {
    std::deque<InFlight>& coming = in_flight_[{from, p}];
    const InFlight message = coming.front();
    coming.pop_front();
    const std::array<int, 2> both = {from, p};
    result_.schedule.synchronise(both);
    result_.schedule.receive(p, message.words);
    if (processors_[static_cast<std::size_t>(from)].next != message.sender_at) {
      result_.deferred += {1, message.words, 0, 0};
    }
  }

  // A receiver that waits for just this message.
  void wake(int p, int sender) {
    const Processor& at = processors_[static_cast<std::size_t>(p)];
    const auto& actions = program_[static_cast<std::size_t>(p)];
    if (at.next < actions.size() && actions[at.next].kind == LogGPAction::Kind::receive &&
        actions[at.next].peer == sender && in_flight_[{sender, p}].size() == 1) {
      enqueue(p);
    }
  }

  const LogGPProgram& program_;
  LogGP parameters_;
  std::vector<Processor> processors_;
  LogGPSchedule result_;
  std::map<std::pair<int, int>, std::deque<InFlight>> in_flight_;
  using End = std::pair<double, int>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

}  // namespace

LogGPSchedule loggp_schedule(const LogGPProgram& program, const LogGP& parameters) {
  return Translation(program, parameters).run();
}

}  // namespace redblue::task_graph
