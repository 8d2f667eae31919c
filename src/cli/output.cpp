#include "cli/output.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "redblue/error.hpp"

namespace redblue::cli {

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  if (!out.flush()) throw Error(path, "cannot be written", "give a path that can");
}

void print_json(const Json& json) {
  fmt::print("{}\n", json.dump(2));
}

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t sign = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > sign + 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string grouped(double number) {
  if (std::abs(number) > 9e15) return fmt::format("{:.4e}", number);
  return grouped(static_cast<std::int64_t>(std::llround(number)));
}

std::string bold(const std::string& text) {
  // mpirun gives ranks a terminal of its own, whatever stands behind it.
  const bool launched = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr;
  return isatty(STDOUT_FILENO) != 0 && !launched ? "\033[1m" + text + "\033[0m" : text;
}

Progress::Progress(const std::string& what) : shown_(isatty(STDERR_FILENO) != 0) {
  if (shown_) fmt::print(stderr, "{} ...", what);
}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

}  // namespace redblue::cli
