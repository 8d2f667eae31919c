// SPDX-License-Identifier: BSD-3-Clause
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "redblue/error.hpp"
#include "redblue/machine.hpp"

namespace redblue {

namespace {

const std::string remedy = "write one with: redblue machine > machine.toml";

double positive_number(const toml::table& file, const std::string& path, const std::string& section,
                       const std::string& key) {
  const auto value = file[section][key].value<double>();
  const std::string full = section + "." + key;
  if (!value) throw Error(path, "no machine file: '" + full + "' is missing or no number", remedy);
  if (!(*value > 0) || !std::isfinite(*value)) {
    throw Error(path, "'" + full + "' must be above 0", remedy);
  }
  return *value;
}

void reject_unknown(const toml::table& file, const std::string& path) {
  const std::string known =
      " name rank network level rank.flops_per_second rank.memory_words "
      "rank.memory_bytes_per_second rank.copy_bytes_per_second rank.processors rank.ranks_together "
      "rank.turn_seconds rank.cache_bytes_per_second rank.cached_bytes "
      "network.latency_seconds network.bytes_per_second network.words_per_flop "
      "network.large_latency_seconds network.eager_bytes network.exchange_seconds "
      "network.waiting_seconds "
      "level.name level.units level.words level.words_per_flop ";
  const auto check = [&](const std::string& name) {
    if (known.find(" " + name + " ") == std::string::npos) {
      throw Error(path, "unknown entry '" + name + "'", remedy);
    }
  };
  for (const auto& [key, value] : file) {
    const std::string name(key.str());
    check(name);
    if (const toml::table* section = value.as_table()) {
      for (const auto& [inner, ignored] : *section) check(name + "." + std::string(inner.str()));
    }
    const toml::array* list = value.as_array();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      const toml::table* entry = list->get(i)->as_table();
      if (entry == nullptr) throw Error(path, "'" + name + "' is no list of tables", remedy);
      for (const auto& [inner, ignored] : *entry) check(name + "." + std::string(inner.str()));
    }
  }
}

// What a file may leave out: large messages, memory, processors that ranks share.
void read_further(const toml::table& file, const std::string& path, Machine& machine) {
  const auto has = [&file](const char* section, const char* key) {
    return static_cast<bool>(file[section][key]);
  };
  if (has("network", "large_latency_seconds") != has("network", "eager_bytes")) {
    throw Error(path, "'network.large_latency_seconds' and 'network.eager_bytes' go together",
                remedy);
  }
  if (has("rank", "processors") != has("rank", "ranks_together")) {
    throw Error(path, "'rank.processors' and 'rank.ranks_together' go together", remedy);
  }
  if (has("network", "eager_bytes")) {
    machine.large_latency_seconds = positive_number(file, path, "network", "large_latency_seconds");
    constexpr double most = 1e18;
    machine.eager_bytes = static_cast<std::int64_t>(
        std::min(most, positive_number(file, path, "network", "eager_bytes")));
  }
  if (has("rank", "cache_bytes_per_second") != has("rank", "cached_bytes")) {
    throw Error(path, "'rank.cache_bytes_per_second' and 'rank.cached_bytes' go together", remedy);
  }
  if (has("rank", "cached_bytes")) {
    constexpr double most = 1e18;
    machine.cache_bytes_per_second = positive_number(file, path, "rank", "cache_bytes_per_second");
    machine.cached_bytes = static_cast<std::int64_t>(
        std::min(most, positive_number(file, path, "rank", "cached_bytes")));
  }
  if (has("network", "exchange_seconds")) {
    machine.exchange_seconds = positive_number(file, path, "network", "exchange_seconds");
  }
  if (has("network", "waiting_seconds")) {
    machine.waiting_seconds = positive_number(file, path, "network", "waiting_seconds");
  }
  if (has("rank", "processors")) {
    constexpr double most = 1e7;
    machine.processors = positive_number(file, path, "rank", "processors");
    machine.ranks_together = static_cast<int>(
        std::clamp(positive_number(file, path, "rank", "ranks_together"), 1.0, most));
  }
  if (has("rank", "turn_seconds")) {
    machine.turn_seconds = positive_number(file, path, "rank", "turn_seconds");
  }
  if (has("rank", "copy_bytes_per_second")) {
    machine.copy_bytes_per_second = positive_number(file, path, "rank", "copy_bytes_per_second");
  }
  if (has("rank", "memory_bytes_per_second")) {
    machine.memory_bytes_per_second =
        positive_number(file, path, "rank", "memory_bytes_per_second");
  }
}

MemoryLevel level_of(const toml::table& entry, const std::string& path) {
  MemoryLevel level;
  const auto number = [&](const char* key) {
    const auto value = entry[key].value<double>();
    if (!value || !(*value >= 1) || !std::isfinite(*value)) {
      throw Error(path, std::string("'level.") + key + "' is missing or below 1", remedy);
    }
    return static_cast<std::int64_t>(*value);
  };
  level.name = entry["name"].value_or(std::string("a level"));
  level.units = number("units");
  level.words = number("words");
  level.words_per_flop = entry["words_per_flop"].value_or(0.0);
  if (level.words_per_flop < 0) throw Error(path, "'level.words_per_flop' is negative", remedy);
  return level;
}

std::vector<MemoryLevel> levels_of(const toml::table& file, const std::string& path) {
  std::vector<MemoryLevel> levels;
  const toml::array* list = file["level"].as_array();
  for (std::size_t l = 0; list != nullptr && l < list->size(); ++l) {
    levels.push_back(level_of(*list->get(l)->as_table(), path));
    if (l > 0 && levels[l - 1].units % levels[l].units != 0) {
      throw Error(path, "the units of '" + levels[l].name + "' do not divide those below it",
                  "levels go from the processors up");
    }
  }
  return levels;
}

}  // namespace

Machine read_machine(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw Error(path, "cannot be read", "give the path of a machine file");
  toml::table file;
  try {
    file = toml::parse(in, path);
  } catch (const toml::parse_error& e) {
    throw Error(path + ":" + std::to_string(e.source().begin.line),
                "no machine file: " + std::string(e.description()), remedy);
  }
  reject_unknown(file, path);
  Machine machine;
  machine.name = file["name"].value_or(std::string(path));
  machine.flops_per_second = positive_number(file, path, "rank", "flops_per_second");
  machine.latency_seconds = positive_number(file, path, "network", "latency_seconds");
  machine.bytes_per_second = positive_number(file, path, "network", "bytes_per_second");
  if (file["rank"]["memory_words"]) {
    machine.memory =
        Words(static_cast<std::int64_t>(positive_number(file, path, "rank", "memory_words")));
  }
  if (file["network"]["words_per_flop"]) {
    machine.network_words_per_flop = positive_number(file, path, "network", "words_per_flop");
  }
  read_further(file, path, machine);
  machine.levels = levels_of(file, path);
  return machine;
}

std::string to_toml(const Machine& machine) {
  std::ostringstream out;
  out << "# redblue machine file: what one rank does per second, and what a message costs.\n"
      << "name = \"" << machine.name << "\"\n\n[rank]\n"
      << "flops_per_second = " << std::scientific << machine.flops_per_second << "\n";
  if (machine.memory) out << "memory_words = " << machine.memory->value << "\n";
  if (machine.memory_bytes_per_second > 0) {
    out << "memory_bytes_per_second = " << machine.memory_bytes_per_second << "\n";
  }
  if (machine.cached_bytes > 0) {
    out << "cache_bytes_per_second = " << machine.cache_bytes_per_second
        << "\ncached_bytes = " << machine.cached_bytes << "\n";
  }
  if (machine.copy_bytes_per_second > 0) {
    out << "copy_bytes_per_second = " << machine.copy_bytes_per_second << "\n";
  }
  if (machine.ranks_together > 0) {
    out << "processors = " << machine.processors << "\nranks_together = " << machine.ranks_together
        << "\n";
  }
  if (machine.turn_seconds > 0) out << "turn_seconds = " << machine.turn_seconds << "\n";
  out << "\n[network]\nlatency_seconds = " << machine.latency_seconds
      << "\nbytes_per_second = " << machine.bytes_per_second << "\n";
  if (machine.eager_bytes > 0) {
    out << "large_latency_seconds = " << machine.large_latency_seconds
        << "\neager_bytes = " << machine.eager_bytes << "\n";
  }
  if (machine.exchange_seconds > 0) {
    out << "exchange_seconds = " << machine.exchange_seconds << "\n";
  }
  if (machine.waiting_seconds > 0) {
    out << "waiting_seconds = " << machine.waiting_seconds << "\n";
  }
  if (machine.network_words_per_flop > 0) {
    out << "words_per_flop = " << machine.network_words_per_flop << "\n";
  }
  for (const MemoryLevel& level : machine.levels) {
    out << "\n[[level]]\nname = \"" << level.name << "\"\nunits = " << level.units
        << "\nwords = " << level.words << "\n";
    if (level.words_per_flop > 0) out << "words_per_flop = " << level.words_per_flop << "\n";
  }
  return out.str();
}

}  // namespace redblue
