// SPDX-License-Identifier: BSD-3-Clause
#include "task_graph/timeline.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <queue>
#include <utility>

#include "redblue/error.hpp"
#include "task_graph/critical_path.hpp"
#include "task_graph/durations.hpp"
#include "task_graph/simulated.hpp"

namespace redblue::task_graph {

namespace {

// Runs an execution in the order of time.
class Simulation {
 public:
  Simulation(const Execution& execution, const Machine& machine)
      : execution_(execution),
        machine_(machine),
        take_(machine),
        matching_(matched(execution)),
        states_(execution.ranks.size()),
        messages_(matching_.messages.size()),
        ports_(2 * execution.ranks.size()) {
    history_.messages.resize(messages_.size());
    history_.actions.resize(execution.ranks.size());
    for (std::size_t r = 0; r < states_.size(); ++r) {
      history_.actions[r].resize(execution.ranks[r].actions.size());
    }
    const int together = machine.ranks_together > 0 ? machine.ranks_together : 1;
    const double processors = machine.ranks_together > 0 ? machine.processors : 1;
    const std::size_t hosts = (states_.size() + static_cast<std::size_t>(together) - 1) /
                              static_cast<std::size_t>(together);
    hosts_.assign(hosts, {SharedProcessors(processors), 0});
    ranks_together_ = together;
  }

  Timeline run() {
    for (std::size_t r = 0; r < states_.size(); ++r) advance(static_cast<int>(r), 0);
    while (!events_.empty()) {
      const Event e = events_.top();
      events_.pop();
      happen(e);
    }
    for (std::size_t r = 0; r < states_.size(); ++r) {
      if (states_[r].next < execution_.ranks[r].actions.size()) {
        throw Error("rank " + std::to_string(r), "it waits for ever: ranks wait for each other");
      }
    }
    return finished();
  }

 private:
  State& state(int rank) { return states_[static_cast<std::size_t>(rank)]; }
  const std::vector<Action>& actions(int rank) const {
    return execution_.ranks[static_cast<std::size_t>(rank)].actions;
  }
  void push(double time, Event::Kind kind, std::size_t which, std::int64_t version = 0) {
    events_.push({time, pushed_++, kind, which, version});
  }

  void happen(const Event& e) {
    if (e.kind == Event::Kind::computed) {
      Host& host = hosts_[e.which];
      if (e.version != host.version) return;
      const int rank = host.processors.finish(e.time);
      announce(e.which);
      end_work(rank, e.time);
      state(rank).computing = false;
      for (const std::size_t m : std::exchange(state(rank).asking, {})) {
        agree(m, rank, e.time, true);
      }
      advance(rank, e.time);
      return;
    }
    if (e.kind == Event::Kind::resumed) {
      const int rank = static_cast<int>(e.which);
      take_in(rank, e.time, state(rank).last_message);
      return;
    }
    if (e.kind == Event::Kind::together) {
      for (const int rank : groups_[e.which]) complete(rank, e.time, none);
      for (const int rank : groups_[e.which]) advance(rank, e.time);
      return;
    }
    InFlight& m = messages_[e.which];
    if (e.kind == Event::Kind::asked || e.kind == Event::Kind::answered) {
      (e.kind == Event::Kind::asked ? m.asked : m.answered) = true;
      const Message& ends = matching_.messages[e.which];
      agree(e.which, e.kind == Event::Kind::asked ? ends.to : ends.from, e.time, false);
      return;
    }
    const bool there = e.kind == Event::Kind::there;
    (there ? m.there : m.left) = true;
    const Message& ends = matching_.messages[e.which];
    notify(there ? ends.to : ends.from, e.which, e.time);
  }

  // When the host's next work is done, as far as is known now.
  void announce(std::size_t h) {
    Host& host = hosts_[h];
    ++host.version;
    if (host.processors.idle()) return;
    push(host.processors.next_end(), Event::Kind::computed, h, host.version);
  }

  // One end of a message is done.
  void notify(int rank, std::size_t message, double now) {
    std::vector<int>& waiting = messages_[message].waiting_ranks;
    const auto found = std::find(waiting.begin(), waiting.end(), rank);
    if (found == waiting.end()) return;
    waiting.erase(found);
    if (--state(rank).missing > 0) return;
    const Host& host = hosts_[static_cast<std::size_t>(rank / ranks_together_)];
    if (machine_.turn_seconds > 0 && host.processors.all_taken()) {
      push(now + machine_.turn_seconds, Event::Kind::resumed, static_cast<std::size_t>(rank));
      state(rank).last_message = message;
      return;
    }
    take_in(rank, now, message);
  }

  // The rank's processor is at work for so long.
  void begin_work(int rank, double now, double seconds) {
    const auto h = static_cast<std::size_t>(rank / ranks_together_);
    state(rank).computing = true;
    hosts_[h].processors.begin(now, rank, seconds);
    announce(h);
  }

  // It has computed, packed a message that leaves now, or unpacked what came.
  void end_work(int rank, double now) {
    State& s = state(rank);
    const Action& a = actions(rank)[s.next];
    const bool waited = a.kind == Action::Kind::wait;
    const std::size_t action = s.next;
    complete(rank, now, waited ? s.last_message : none);
    if (a.kind == Action::Kind::send) post_send(rank, action, now);
    if (!waited) return;
    history_.actions[static_cast<std::size_t>(rank)][action].there = s.there;
  }

  // All that a wait is for is there, `cause` last: it is unpacked.
  void take_in(int rank, double now, std::size_t cause) {
    State& s = state(rank);
    s.last_message = cause;
    s.there = now;
    const RankActions& r = execution_.ranks[static_cast<std::size_t>(rank)];
    const Action& wait = r.actions[s.next];
    double bytes = 0;
    for (std::size_t i = wait.first; i < wait.first + wait.count; ++i) {
      const Action& a = r.actions[r.awaited[i]];
      if (a.kind != Action::Kind::receive) continue;
      bytes += matching_.messages[matching_.of_action[static_cast<std::size_t>(rank)][r.awaited[i]]]
                   .bytes;
    }
    if (const double seconds = take_.copying(bytes); seconds > 0) {
      begin_work(rank, now, seconds);
      return;
    }
    complete(rank, now, cause);
    advance(rank, now);
  }

  // The rank's action under way is over; `cause`: the message it waited for last.
  void complete(int rank, double now, std::size_t cause) {
    State& s = state(rank);
    PastAction& past = history_.actions[static_cast<std::size_t>(rank)][s.next];
    past.begin = s.since;
    past.end = past.there = now;
    past.cause = cause;
    order_.push_back({rank, s.next});
    ++s.next;
  }

  // Goes on until the rank computes or waits.
  void advance(int rank, double now) {
    State& s = state(rank);
    while (s.next < actions(rank).size()) {
      s.since = now;
      const Action& a = actions(rank)[s.next];
      switch (a.kind) {
        case Action::Kind::compute:
          begin_work(rank, now, take_.computing(a, execution_.flops_per_second));
          return;
        case Action::Kind::send: {
          const double packing = take_.copying(static_cast<double>(a.words) * a.word_bytes);
          if (packing > 0) {
            begin_work(rank, now, packing);
            return;
          }
          complete(rank, now, none);
          post_send(rank, s.next - 1, now);
          break;
        }
        case Action::Kind::receive: {
          const std::size_t m = matching_.of_action[static_cast<std::size_t>(rank)][s.next];
          complete(rank, now, none);
          post_receive(m, now);
          break;
        }
        case Action::Kind::wait:
          if (ready(rank, a)) take_in(rank, now, none);
          return;
        case Action::Kind::collective:
          enter(rank, a, now);
          return;
      }
    }
  }

  // A small message leaves when it is sent.
  void post_send(int rank, std::size_t action, double now) {
    const std::size_t number = matching_.of_action[static_cast<std::size_t>(rank)][action];
    InFlight& m = messages_[number];
    waits_for(number, rank, now);
    if (take_.is_large(matching_.messages[number].bytes)) {
      push(now + take_.agreeing(), Event::Kind::asked, number);
    } else {
      m.left = true;
      depart(number, now);
    }
  }
  void post_receive(std::size_t number, double now) {
    InFlight& m = messages_[number];
    m.received = true;
    if (m.asked) agree(number, matching_.messages[number].to, now, true);
  }

  // What the message waits for last, as far as is known: that the rank comes as far as it is now.
  void waits_for(std::size_t number, int rank, double now) {
    PastMessage& past = history_.messages[number];
    past.asked = now;
    past.cause_rank = rank;
    past.cause_action = state(rank).next;
  }

  // A large message goes on where the rank whose turn it is does not compute. `held`: it was the
  // rank that kept it from going on before.
  void agree(std::size_t number, int rank, double now, bool held) {
    InFlight& m = messages_[number];
    if (!m.answered && !m.received) return;
    if (state(rank).computing) {
      state(rank).asking.push_back(number);
      return;
    }
    if (held) waits_for(number, rank, now);
    if (m.answered) {
      depart(number, now);
    } else {
      push(now + take_.agreeing(), Event::Kind::answered, number);
    }
  }

  // The message leaves as soon as its sender's port is free.
  void depart(std::size_t number, double now) {
    const Message& ends = matching_.messages[number];
    Port& out = out_of(ends.from);
    Port& in = in_of(ends.to);
    PastMessage& past = history_.messages[number];
    const double wire = take_.wire(ends.bytes);
    // its sender has packed it as it left, its receiver unpacks it as it comes
    past.start = std::max(now - take_.copying(ends.bytes), out.free);
    if (out.free > now) past.before = out.last;
    const double first = past.start + machine_.latency_seconds;  // its first word is there
    past.left = std::max(now, past.start + wire);
    const double last = std::max(first, in.free) + wire;
    past.there = std::max(now, last - take_.unpacked_on_the_way(ends.bytes));
    if (in.free > first) past.before_at_receiver = in.last;
    out = {past.start + wire, number};
    in = {last, number};
    if (!messages_[number].left) push(past.left, Event::Kind::left, number);
    push(past.there, Event::Kind::there, number);
  }

  // Whether all that a wait is for is done; else the rank is told when.
  bool ready(int rank, const Action& wait) {
    const RankActions& r = execution_.ranks[static_cast<std::size_t>(rank)];
    State& s = state(rank);
    s.missing = 0;
    for (std::size_t i = wait.first; i < wait.first + wait.count; ++i) {
      const std::size_t a = r.awaited[i];
      InFlight& m = messages_[matching_.of_action[static_cast<std::size_t>(rank)][a]];
      if (r.actions[a].kind == Action::Kind::send ? m.left : m.there) continue;
      m.waiting_ranks.push_back(rank);
      ++s.missing;
    }
    return s.missing == 0;
  }

  // Notes that the rank has come to a collective; the last one lets all of them go on together.
  void enter(int rank, const Action& a, double now) {
    std::vector<int>& there = collectives_[{a.communicator, a.peer}];
    there.push_back(rank);
    if (there.size() < static_cast<std::size_t>(a.members)) return;
    for (const int r : there) {
      PastAction& past = history_.actions[static_cast<std::size_t>(r)][state(r).next];
      past.entered_last = rank;
      past.entered_as = state(rank).next;
    }
    const double rounds = std::bit_width(static_cast<unsigned>(a.members - 1));
    push(now + rounds * machine_.latency_seconds, Event::Kind::together, groups_.size());
    groups_.push_back(std::exchange(there, {}));
  }

  Port& out_of(int rank) { return ports_[2 * static_cast<std::size_t>(rank)]; }
  Port& in_of(int rank) { return ports_[2 * static_cast<std::size_t>(rank) + 1]; }

  Timeline finished();

  const Execution& execution_;
  const Machine& machine_;
  Durations take_;
  Matching matching_;
  std::vector<State> states_;
  std::vector<InFlight> messages_;
  std::vector<Host> hosts_;
  int ranks_together_ = 1;
  std::vector<Port> ports_;
  std::map<std::pair<int, int>, std::vector<int>> collectives_;
  std::vector<std::vector<int>> groups_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::size_t pushed_ = 0;
  History history_;
  std::vector<Timeline::Step> order_;
};

Timeline Simulation::finished() {
  Timeline result;
  result.order = std::move(order_);
  result.ranks.resize(states_.size());
  std::vector<Waiting> waits;
  for (std::size_t r = 0; r < states_.size(); ++r) {
    for (std::size_t a = 0; a < history_.actions[r].size(); ++a) {
      const Action& action = execution_.ranks[r].actions[a];
      const PastAction& past = history_.actions[r][a];
      Piece piece{Piece::Kind::compute,
                  static_cast<int>(r),
                  -1,
                  past.begin,
                  past.end,
                  {0, 0, action.flops, action.memory_words}};
      if (action.kind == Action::Kind::wait) {
        if (past.cause == none) continue;
        const Message& m = matching_.messages[past.cause];
        piece.kind = Piece::Kind::wait;
        piece.end = past.there;
        piece.peer = m.from == piece.rank ? m.to : m.from;
        waits.push_back({piece.rank, piece.peer, past.there - past.begin});
      } else if (action.kind == Action::Kind::collective) {
        piece.kind = Piece::Kind::collective;
        piece.peer = past.entered_last;
      } else if (action.kind != Action::Kind::compute) {
        continue;
      }
      result.ranks[r].push_back(piece);
    }
    if (!history_.actions[r].empty()) {
      result.seconds = std::max(result.seconds, history_.actions[r].back().end);
    }
  }
  result.waiting = added_up(waits);
  result.path = critical_path(execution_, matching_, history_);
  for (const Piece& p : result.path) result.costs += p.costs;
  return result;
}

}  // namespace

Timeline timeline(const Execution& execution, const Machine& machine) {
  return Simulation(execution, machine).run();
}

}  // namespace redblue::task_graph
