// How the command prints: JSON, numbers, colour and progress.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace redblue::cli {

using Json = nlohmann::ordered_json;

// Throws Error where the file cannot be written.
void write_file(const std::string& path, const std::string& text);

// The one JSON writer: two-space indent, a newline at the end, standard output.
void print_json(const Json& json);

std::string grouped(std::int64_t number);  // 1,234,567
std::string grouped(double number);        // rounded

// `text` in bold on a terminal, as it is elsewhere.
std::string bold(const std::string& text);

// A line on standard error while something takes long; nothing unless that is a terminal.
class Progress {
 public:
  explicit Progress(const std::string& what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  bool shown_;
};

}  // namespace redblue::cli
