#include <toml++/toml.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "redblue/error.hpp"
#include "redblue/model.hpp"

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
      " name rank network rank.flops_per_second rank.memory_words "
      "network.latency_seconds network.bytes_per_second ";
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
  }
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
  return machine;
}

std::string to_toml(const Machine& machine) {
  std::ostringstream out;
  out << "# redblue machine file: what one rank does per second, and what a message costs.\n"
      << "name = \"" << machine.name << "\"\n\n[rank]\n"
      << "flops_per_second = " << std::scientific << machine.flops_per_second << "\n";
  if (machine.memory) out << "memory_words = " << machine.memory->value << "\n";
  out << "\n[network]\nlatency_seconds = " << machine.latency_seconds
      << "\nbytes_per_second = " << machine.bytes_per_second << "\n";
  return out.str();
}

}  // namespace redblue
