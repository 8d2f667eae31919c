// SPDX-License-Identifier: BSD-3-Clause
#include "task_graph/recording_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string_view>

#include "redblue/error.hpp"

namespace redblue::task_graph {

namespace {

constexpr const char* first_line = "redblue recording 1";
constexpr double nanoseconds = 1e9;

void append(std::string& text, std::int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  text += ' ';
  text.append(digits, end);
}

void append_time(std::string& text, double seconds) {
  append(text, std::llround(seconds * nanoseconds));
}

// The words of one line, one after the other.
class Fields {
 public:
  Fields(std::string_view line, std::string place) : rest_(line), place_(std::move(place)) {}

  bool done() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
    return rest_.empty();
  }
  std::string_view word() {
    if (done()) fail("something is missing at the end");
    const std::string_view w = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(w.size());
    return w;
  }
  void expect(std::string_view text) {
    if (word() != text) fail("'" + std::string(text) + "' is missing");
  }
  std::int64_t number(std::int64_t least, std::int64_t most) {
    const std::string_view w = word();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), value);
    if (error != std::errc() || end != w.data() + w.size() || value < least || value > most) {
      fail("'" + std::string(w) + "' is no whole number from " + std::to_string(least) + " to " +
           std::to_string(most));
    }
    return value;
  }
  double real() {
    const std::string_view w = word();
    double value = 0;
    const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), value);
    if (error != std::errc() || end != w.data() + w.size() || !std::isfinite(value) || value < 0) {
      fail("'" + std::string(w) + "' is no number of at least 0");
    }
    return value;
  }
  std::string rest() {
    done();
    return std::string(rest_);
  }
  [[noreturn]] void fail(const std::string& found) const {
    throw Error(place_, "no recording: " + found,
                "write one with: mpirun -n 4 redblue run lu -n 2048 --record FILE");
  }

 private:
  std::string_view rest_;
  std::string place_;
};

constexpr std::int64_t most_time = std::int64_t{1} << 62;
constexpr std::int64_t most_int = 2147483647;
constexpr std::int64_t most_words = 1000000000000000000;

Action message_of(Fields& f, Action action, int ranks) {
  action.peer = static_cast<int>(f.number(0, ranks - 1));
  action.tag = static_cast<int>(f.number(0, most_int));
  action.communicator = static_cast<int>(f.number(0, most_int));
  action.words = f.number(0, most_words);
  action.word_bytes = static_cast<int>(f.number(1, 1024));
  return action;
}

void read_action(Fields& f, int ranks, RankActions& rank) {
  const std::string_view kind = f.word();
  Action action;
  action.begin = static_cast<double>(f.number(-most_time, most_time)) / nanoseconds;
  action.end = static_cast<double>(f.number(-most_time, most_time)) / nanoseconds;
  if (action.end < action.begin) f.fail("it ends before it begins");
  if (kind.size() != 1) f.fail("'" + std::string(kind) + "' is no action");
  action.kind = static_cast<Action::Kind>(kind.front());
  switch (action.kind) {
    case Action::Kind::compute:
      action.busy_seconds = static_cast<double>(f.number(0, most_time)) / nanoseconds;
      action.flops = f.real();
      action.memory_words = f.real();
      break;
    case Action::Kind::send:
    case Action::Kind::receive:
      action = message_of(f, action, ranks);
      break;
    case Action::Kind::wait:
      action.first = rank.awaited.size();
      while (!f.done()) {
        const auto a = static_cast<std::size_t>(f.number(0, most_time));
        if (a >= rank.actions.size() || (rank.actions[a].kind != Action::Kind::send &&
                                         rank.actions[a].kind != Action::Kind::receive)) {
          f.fail("it waits for an action that is no message before it");
        }
        rank.awaited.push_back(a);
        ++action.count;
      }
      break;
    case Action::Kind::collective:
      action.peer = static_cast<int>(f.number(0, ranks - 1));
      action.communicator = static_cast<int>(f.number(0, most_int));
      action.members = static_cast<int>(f.number(1, ranks));
      break;
    default:
      f.fail("'" + std::string(kind) + "' is no action");
  }
  if (!f.done()) f.fail("there is more than belongs to the action");
  rank.actions.push_back(action);
}

}  // namespace

std::string recording_head(const Execution& execution, int ranks) {
  char numbers[128];
  std::snprintf(numbers, sizeof numbers, "seconds %.9g\nflops_per_second %.9g\nranks %d\n",
                execution.seconds, execution.flops_per_second, ranks);
  std::string command = execution.command;
  std::replace(command.begin(), command.end(), '\n', ' ');
  return std::string(first_line) + "\ncommand " + command + "\n" + numbers;
}

std::string recording_of_rank(int rank, const RankActions& actions) {
  std::string text =
      "rank " + std::to_string(rank) + " " + std::to_string(actions.actions.size()) + "\n";
  for (const Action& a : actions.actions) {
    text += static_cast<char>(a.kind);
    append_time(text, a.begin);
    append_time(text, a.end);
    switch (a.kind) {
      case Action::Kind::compute:
        append_time(text, a.busy_seconds);
        append(text, std::llround(a.flops));
        append(text, std::llround(a.memory_words));
        break;
      case Action::Kind::send:
      case Action::Kind::receive:
        for (const std::int64_t x :
             {std::int64_t{a.peer}, std::int64_t{a.tag}, std::int64_t{a.communicator}, a.words,
              std::int64_t{a.word_bytes}}) {
          append(text, x);
        }
        break;
      case Action::Kind::wait:
        for (std::size_t i = a.first; i < a.first + a.count; ++i) {
          append(text, static_cast<std::int64_t>(actions.awaited[i]));
        }
        break;
      case Action::Kind::collective:
        append(text, a.peer);
        append(text, a.communicator);
        append(text, a.members);
        break;
    }
    text += '\n';
  }
  return text;
}

Execution read_recording(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw Error(path, "cannot be read", "give a file that redblue run --record wrote");
  return read_recording(in, path);
}

Execution read_recording(std::istream& in, const std::string& path) {
  std::int64_t number = 0;
  std::string line;
  const auto next = [&] {
    ++number;
    const bool there = static_cast<bool>(std::getline(in, line));
    Fields f(there ? line : std::string_view(), path + ":" + std::to_string(number));
    if (!there) f.fail("the file ends early");
    return f;
  };
  Execution execution;
  Fields head = next();
  if (line != first_line) head.fail("the first line is not '" + std::string(first_line) + "'");
  Fields command = next();
  command.expect("command");
  execution.command = command.rest();
  Fields seconds = next();
  seconds.expect("seconds");
  execution.seconds = seconds.real();
  Fields rate = next();
  rate.expect("flops_per_second");
  execution.flops_per_second = rate.real();
  Fields count = next();
  count.expect("ranks");
  constexpr std::int64_t most_ranks = 10000000;
  const auto ranks = static_cast<int>(count.number(1, most_ranks));
  for (int r = 0; r < ranks; ++r) {
    Fields of_rank = next();
    of_rank.expect("rank");
    of_rank.number(r, r);
    const std::int64_t actions = of_rank.number(0, most_words);
    RankActions& rank = execution.ranks.emplace_back();
    for (std::int64_t a = 0; a < actions; ++a) {
      Fields f = next();
      read_action(f, ranks, rank);
    }
  }
  if (std::getline(in, line) && !line.empty()) {
    Fields(line, path + ":" + std::to_string(number + 1)).fail("lines follow the last rank");
  }
  return execution;
}

}  // namespace redblue::task_graph
