#include "cli/options.hpp"

#include <charconv>
#include <limits>
#include <sstream>

#include "redblue/error.hpp"

namespace redblue::cli {

namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

}  // namespace

std::int64_t whole_number(const std::string& what, const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw Error(what, "'" + text + "' is no whole number of 64 bits", "give a number like 1200");
  }
  return value;
}

std::map<std::string, std::int64_t> sizes(const std::string& text) {
  std::map<std::string, std::int64_t> result;
  for (const std::string& part : split(text)) {
    const auto equals = part.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error("--set " + text, "'" + part + "' is no NAME=NUMBER",
                  "write --set NI=1000,S=1024");
    }
    const std::string name = part.substr(0, equals);
    if (!result.emplace(name, whole_number("--set " + name, part.substr(equals + 1))).second) {
      throw Error("--set " + text, "'" + name + "' is set twice", "set each size once");
    }
  }
  return result;
}

std::vector<std::string> names(const std::string& text) {
  return split(text);
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

std::optional<Words> memory_limit(const std::string& text, const Machine& machine) {
  if (text.empty()) return machine.memory;
  const std::int64_t words = whole_number("--memory", text);
  if (words < 0) throw Error("--memory " + text, "a negative size", "give a number of words");
  return Words(words);
}

void GemmOptionTexts::add_to(CLI::App& command) {
  command.add_option("-m", m, "Rows of A and C")->required();
  command.add_option("-n", n, "Columns of B and C")->required();
  command.add_option("-k", k, "Columns of A, rows of B")->required();
  command.add_option("--memory", memory,
                     "Words a rank may hold, everything counted (default: unlimited)");
  command.add_option("--machine", machine,
                     "Machine file for predicted times (redblue machine writes one)");
  command.add_option("--minimise", minimise, "What the decomposition is chosen by: words or time")
      ->check(CLI::IsMember({"words", "time"}))
      ->capture_default_str();
}

GemmPlanRequest GemmOptionTexts::request(int ranks) const {
  GemmPlanRequest request;
  request.shape = {whole_number("-m", m), whole_number("-n", n), whole_number("-k", k)};
  request.ranks = ranks;
  if (!machine.empty()) request.machine = read_machine(machine);
  request.memory = memory_limit(memory, request.machine);
  request.objective = minimise == "time" ? Objective::seconds : Objective::words;
  return request;
}

}  // namespace redblue::cli
