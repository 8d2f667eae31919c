// SPDX-License-Identifier: BSD-3-Clause
#include "scalapack/page/program.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

namespace redblue::scalapack {

namespace {

// On one line, without the character between fields.
std::string plain(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return text;
}

class Line {
 public:
  explicit Line(const std::string& kind) : text_(kind) {}
  Line& add(const std::string& field) {
    text_ += '\t' + plain(field);
    return *this;
  }
  Line& add(double number) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.17g", number);
    return add(std::string(digits));
  }
  Line& add(std::int64_t number) { return add(std::to_string(number)); }
  Line& add(int number) { return add(std::to_string(number)); }
  Line& add(const comm::PhaseSeconds& phases) {
    for (const double seconds : phases) add(seconds);
    return *this;
  }
  std::string end() const { return text_ + '\n'; }

 private:
  std::string text_;
};

// The fields of a line, in order.
class Fields {
 public:
  explicit Fields(const std::string& line) : in_(line) {}
  std::string text() {
    std::string field;
    std::getline(in_, field, '\t');
    return field;
  }
  double number() { return std::strtod(text().c_str(), nullptr); }
  std::int64_t whole() { return std::strtoll(text().c_str(), nullptr, 10); }
  comm::PhaseSeconds phases() {
    comm::PhaseSeconds result{};
    for (double& seconds : result) seconds = number();
    return result;
  }

 private:
  std::istringstream in_;
};

void add(comm::PhaseSeconds& to, const comm::PhaseSeconds& more) {
  for (std::size_t p = 0; p < to.size(); ++p) to[p] += more[p];
}

void add_served(Fields& fields, ProgramHistory& program) {
  const std::string routine = fields.text();
  ServedCalls& calls = program.all.served[{routine, fields.text()}];
  calls.processes = static_cast<int>(fields.whole());
  calls.times += fields.whole();
  calls.words += fields.number();
  calls.bound += fields.number();
  calls.most_bytes = std::max(calls.most_bytes, fields.number());
  calls.seconds += fields.number();
  add(calls.phases, fields.phases());
}

void add_passed(Fields& fields, ProgramHistory& program) {
  const std::string routine = fields.text();
  PassedCalls& calls = program.all.passed[{routine, fields.text()}];
  calls.times += fields.whole();
  calls.seconds += fields.number();
  calls.why = fields.text();
}

void add_own(Fields& fields, ProgramHistory& program) {
  OwnTotals own;
  own.served = fields.whole();
  own.passed_on = fields.whole();
  own.received = fields.number();
  own.seconds = fields.number();
  own.passed_seconds = fields.number();
  own.phases = fields.phases();
  program.all.spans_left_out += fields.whole();
  program.ranks.push_back(own);
}

void add_span(Fields& fields, ProgramHistory& program) {
  Span span;
  span.routine = fields.text();
  span.begin = fields.number();
  span.end = fields.number();
  span.served = fields.whole() != 0;
  program.all.spans.push_back(span);
}

void keep_first_spans(History& all) {
  std::stable_sort(all.spans.begin(), all.spans.end(),
                   [](const Span& a, const Span& b) { return a.begin < b.begin; });
  if (all.spans.size() <= most_spans) return;
  all.spans_left_out += static_cast<std::int64_t>(all.spans.size() - most_spans);
  all.spans.resize(most_spans);
}

page::WordsMatrix matrix_of(const std::vector<OwnTotals>& ranks) {
  page::WordsMatrix matrix;
  constexpr std::size_t most = 4096;
  if (ranks.size() > most) return matrix;
  matrix.ranks = ranks.size();
  matrix.words.resize(matrix.ranks * matrix.ranks);
  for (std::size_t from = 0; from < ranks.size(); ++from) {
    for (const auto& [to, words] : ranks[from].sent) {
      const auto receiver = static_cast<std::size_t>(to);
      if (receiver < ranks.size()) matrix.words[from * matrix.ranks + receiver] = words;
    }
  }
  return matrix;
}

std::string own_command() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  while (!text.empty() && text.back() == '\0') text.pop_back();
  std::replace(text.begin(), text.end(), '\0', ' ');
  return plain(text);
}

}  // namespace

std::string text_of(const History& history) {
  std::string text;
  const OwnTotals& own = history.own;
  text += Line("own")
              .add(own.served)
              .add(own.passed_on)
              .add(own.received)
              .add(own.seconds)
              .add(own.passed_seconds)
              .add(own.phases)
              .add(history.spans_left_out)
              .end();
  for (const auto& [to, words] : own.sent) text += Line("sent").add(to).add(words).end();
  for (const auto& [name, calls] : history.served) {
    text += Line("served")
                .add(name.first)
                .add(name.second)
                .add(calls.processes)
                .add(calls.times)
                .add(calls.words)
                .add(calls.bound)
                .add(calls.most_bytes)
                .add(calls.seconds)
                .add(calls.phases)
                .end();
  }
  for (const auto& [name, calls] : history.passed) {
    text += Line("passed")
                .add(name.first)
                .add(name.second)
                .add(calls.times)
                .add(calls.seconds)
                .add(calls.why)
                .end();
  }
  for (const Span& span : history.spans) {
    text +=
        Line("span").add(span.routine).add(span.begin).add(span.end).add(span.served ? 1 : 0).end();
  }
  return text;
}

ProgramHistory history_of(const std::string& text) {
  ProgramHistory program;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    Fields fields(line);
    const std::string kind = fields.text();
    if (kind == "own") add_own(fields, program);
    if (kind == "served") add_served(fields, program);
    if (kind == "passed") add_passed(fields, program);
    if (kind == "sent") {
      const auto to = static_cast<int>(fields.whole());
      program.ranks.back().sent[to] += fields.number();
    }
    if (kind == "span") add_span(fields, program);
  }
  keep_first_spans(program.all);
  program.matrix = matrix_of(program.ranks);
  return program;
}

ProgramHistory gathered(const comm::Communicator& world) {
  ProgramHistory program = history_of(world.gather(text_of(history())));
  program.command = own_command();
  return program;
}

}  // namespace redblue::scalapack
