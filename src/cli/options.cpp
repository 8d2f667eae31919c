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

}  // namespace redblue::cli
