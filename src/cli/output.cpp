// SPDX-License-Identifier: BSD-3-Clause
#include "cli/output.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
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

Json ratio_json(double words, double bound) {
  if (bound > 0) return words / bound;
  return words == 0 ? Json(1) : Json(nullptr);
}

std::string bold(const std::string& text) {
  // mpirun gives ranks a terminal of its own, whatever stands behind it.
  const bool launched = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr;
  return isatty(STDOUT_FILENO) != 0 && !launched ? "\033[1m" + text + "\033[0m" : text;
}

Progress::Progress(const std::string& what) : shown_(isatty(STDERR_FILENO) != 0), what_(what) {
  if (shown_) fmt::print(stderr, "{} ...", what);
}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

void Progress::show(const WorkDone& work) {
  const auto now = shown_ ? Clock::now() : start_;
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(250);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  fmt::print(stderr, "\r\033[K{}", progress_text(what_, work, seconds));
}

ProgressCallback Progress::callback() {
  return [this](const WorkDone& work) { show(work); };
}

std::string progress_text(const std::string& what, const WorkDone& work, double seconds) {
  std::string text = what;
  if (work.total > 0) {
    const double share = std::min(work.done / work.total, 1.0);
    text += fmt::format(", {:.0f} %", 100 * share);
    if (share > 0) text += ", about " + grouped(seconds / share - seconds) + " s left";
  }
  if (!work.unit.empty()) text += ", " + grouped(work.done) + " " + work.unit;
  if (work.most_seconds_left) {
    text += ", at most " + grouped(std::max(*work.most_seconds_left, 0.0)) + " s left";
  }
  if (work.best_seconds) text += fmt::format(", best so far {:.6f} s", *work.best_seconds);
  if (work.best_so_far) text += ", best so far " + grouped(*work.best_so_far) + " words";
  return text;
}

}  // namespace redblue::cli
