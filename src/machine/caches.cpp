// SPDX-License-Identifier: BSD-3-Clause
#include "machine/caches.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace redblue {

namespace {

std::string line_of(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

// "0-3,8" names five processors.
std::int64_t processors_in(const std::string& list) {
  std::int64_t count = 0;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');) {
    const auto dash = part.find('-');
    count += dash == std::string::npos ? 1 : std::stol(part.substr(dash + 1)) - std::stol(part) + 1;
  }
  return std::max<std::int64_t>(count, 1);
}

}  // namespace

std::vector<DataCache> data_caches() {
  std::vector<DataCache> caches;
  for (int index = 0;; ++index) {
    const std::string folder =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    const std::string size = line_of(folder + "size");
    if (size.empty()) return caches;
    if (line_of(folder + "type") == "Instruction") continue;
    const std::int64_t unit = size.back() == 'M' ? 1 << 20 : size.back() == 'K' ? 1 << 10 : 1;
    caches.push_back({line_of(folder + "level"), std::stol(size) * unit,
                      processors_in(line_of(folder + "shared_cpu_list"))});
  }
}

}  // namespace redblue
