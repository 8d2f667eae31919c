// SPDX-License-Identifier: BSD-3-Clause
#include "cli/linalg/model_options.hpp"

#include <fmt/format.h>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

void add_minimise(CLI::App& command, std::string& text) {
  command.add_option("--minimise", text, "What the decomposition is chosen by: words or time")
      ->check(CLI::IsMember({"words", "time"}))
      ->capture_default_str();
}

Objective objective_of(const std::string& text) {
  return text == "time" ? Objective::seconds : Objective::words;
}

void ModelOptionTexts::add_to(CLI::App& command, const std::string& memory_help) {
  command.add_option("--memory", memory, memory_help);
  command.add_option("--machine", machine,
                     "Machine file for predicted times (redblue machine writes one)");
  add_minimise(command, minimise);
}

std::optional<Words> ModelOptionTexts::limit(const Machine& described) const {
  if (memory.empty()) return described.memory;
  const std::int64_t words = whole_number("--memory", memory);
  if (words < 0) throw Error("--memory " + memory, "a negative size", "give a number of words");
  return Words(words);
}

void add_exchange(CLI::App& command, std::string& text, const std::string& who) {
  command
      .add_option(
          "--exchange", text,
          "How " + who +
              ": direct (a message for each two of them) or doubling (few messages, one after the "
              "other); default: direct, or with --minimise time either")
      ->check(CLI::IsMember({"direct", "doubling"}));
}

std::optional<Exchange> exchange_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text == "doubling" ? Exchange::doubling : Exchange::direct;
}

void print_words(Words words, double mean, double bound, const std::string& holds_for) {
  fmt::print(
      "  words per rank  {}  (received, worst rank; {} in the mean; the caller's layout comes on "
      "top)\n",
      grouped(words.value), grouped(mean));
  fmt::print("  lower bound     {}  ({}), ratio {}\n", grouped(bound), holds_for,
             ratio_text(static_cast<double>(words.value), bound));
}

}  // namespace redblue::cli
