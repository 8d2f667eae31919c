// SPDX-License-Identifier: BSD-3-Clause
#include "cli/options.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cstdio>
#include <limits>
#include <regex>
#include <sstream>

#include "redblue/error.hpp"

namespace redblue::cli {

namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(trimmed(part));
  return parts;
}

// "1.2e3" as "1200", and what is not written so as it is.
std::string written_out(const std::string& text) {
  static const std::regex scientific("([+-]?)([0-9]+)(?:\\.([0-9]*))?[eE]\\+?([0-9]{1,2})");
  std::smatch m;
  if (!std::regex_match(text, m, scientific)) return text;
  std::string fraction = m[3];
  while (fraction.ends_with('0')) fraction.pop_back();
  const std::size_t exponent = std::stoul(m[4]);
  if (fraction.size() > exponent) return text;  // no whole number
  return (m[1] == "-" ? "-" : "") + m[2].str() + fraction +
         std::string(exponent - fraction.size(), '0');
}

}  // namespace

std::int64_t whole_number(const std::string& what, const std::string& text) {
  const std::string digits = written_out(trimmed(text));
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    throw Error(what, "'" + text + "' is no whole number of 64 bits", "give a number like 1200");
  }
  return value;
}

std::map<std::string, std::int64_t> sizes(const std::string& text) {
  std::map<std::string, std::int64_t> result;
  for (const std::string& part : split(text)) {
    const auto equals = part.find('=');
    const std::string name = trimmed(part.substr(0, equals));
    if (equals == std::string::npos || name.empty()) {
      throw Error("--set " + text, "'" + part + "' is no NAME=NUMBER",
                  "write --set NI=1000,S=1024");
    }
    if (!result.emplace(name, whole_number("--set " + name, part.substr(equals + 1))).second) {
      throw Error("--set " + text, "'" + name + "' is set twice", "set each size once");
    }
  }
  return result;
}

void note_missing(const std::map<std::string, std::int64_t>& sizes,
                  const std::vector<std::string>& parameters, bool by_memory) {
  if (sizes.empty()) return;
  std::vector<std::string> needed = parameters;
  if (!by_memory) needed.emplace_back("S");
  std::string missing;
  for (const std::string& name : needed) {
    if (!sizes.contains(name)) missing += (missing.empty() ? "" : ", ") + name;
  }
  if (missing.empty()) return;
  fmt::print(stderr, "redblue: note: no values are computed, as --set says nothing of {}\n",
             missing);
}

std::vector<std::string> names(const std::string& text) {
  return split(text);
}

void FinalValueOptions::add_to(CLI::App& command, const std::string& output) {
  command
      .add_option("--scratch", scratch,
                  "Arrays whose final values nothing reads, so that they need not be stored: P,T")
      ->allow_extra_args(false);
  command
      .add_option(output, outputs,
                  "Arrays whose final values are read, also where they are the function's own: O")
      ->allow_extra_args(false);
}

void FinalValueOptions::put_into(BoundRequest& request) const {
  for (const std::string& some : scratch)
    for (const std::string& name : split(some)) request.scratch.push_back(name);
  for (const std::string& some : outputs)
    for (const std::string& name : split(some)) request.outputs.push_back(name);
}

std::vector<std::int64_t> numbers(const std::string& what, const std::string& text) {
  std::vector<std::int64_t> result;
  for (const std::string& part : split(text)) result.push_back(whole_number(what, part));
  return result;
}

int rank_count(std::int64_t count) {
  if (count > std::numeric_limits<int>::max()) {
    throw Error("-p " + std::to_string(count), "too many ranks", "use at most 2147483647");
  }
  return static_cast<int>(count);
}

std::vector<int> rank_counts(const std::string& text) {
  std::vector<int> result;
  for (const std::int64_t p : numbers("-p", text)) result.push_back(rank_count(p));
  if (result.empty()) throw Error("-p " + text, "no rank count", "give -p 8 or -p 7,8,13");
  return result;
}

std::int64_t repeat_count(const std::string& text) {
  const std::int64_t repeat = whole_number("--repeat", text);
  if (repeat < 1) throw Error("--repeat " + text, "nothing to run", "give 1 or more");
  return repeat;
}

}  // namespace redblue::cli
