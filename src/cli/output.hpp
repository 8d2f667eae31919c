// SPDX-License-Identifier: BSD-3-Clause
// How the command prints: JSON, numbers, colour and progress.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "page/numbers.hpp"
#include "redblue/progress.hpp"

namespace redblue::cli {

using Json = nlohmann::ordered_json;

// The convention of every game, bound and schedule, which all commands say.
inline constexpr const char* what_is_computed =
    "every statement instance, also where nobody needs its value";

// Throws Error where the file cannot be written.
void write_file(const std::string& path, const std::string& text);

// The one JSON writer: two-space indent, a newline at the end, standard output.
void print_json(const Json& json);

using page::grouped;
using page::ratio_text;

// Words moved over the words that must be: 1 where both are 0, null where only the bound is.
Json ratio_json(double words, double bound);

// `text` in bold on a terminal, as it is elsewhere.
std::string bold(const std::string& text);

// A line on standard error while something takes long; nothing unless that is a terminal. It says
// what runs and, once a second has passed, how far it is and how long it will take.
class Progress {
 public:
  explicit Progress(const std::string& what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Draws anew, a few times a second however often it is called.
  void show(const WorkDone& work);
  // For the library: calls show(). It must not outlive this object.
  ProgressCallback callback();

 private:
  using Clock = std::chrono::steady_clock;
  bool shown_;
  std::string what_;
  Clock::time_point start_ = Clock::now(), next_ = start_ + std::chrono::seconds(1);
};

// The line: "searching, 42 %, about 12 s left, best so far 1,234 words".
std::string progress_text(const std::string& what, const WorkDone& work, double seconds);

}  // namespace redblue::cli
