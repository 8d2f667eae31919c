// SPDX-License-Identifier: BSD-3-Clause
// What calls of one name add up to, and its place in a trace's JSON.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace redblue::trace {

struct Totals {
  std::int64_t count = 0;
  double seconds = 0;
  double mpi_seconds = 0;  // of regions: in MPI's calls
  std::int64_t bytes = 0;
};
using TotalsByName = std::map<std::string, Totals>;

inline nlohmann::ordered_json json_of(const TotalsByName& all, bool regions) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& [name, t] : all) {
    nlohmann::ordered_json entry = {{"name", name}, {"count", t.count}, {"seconds", t.seconds}};
    if (regions) entry["mpi_seconds"] = t.mpi_seconds;
    entry["bytes"] = t.bytes;
    list.push_back(entry);
  }
  return list;
}

}  // namespace redblue::trace
