// SPDX-License-Identifier: BSD-3-Clause
#include "machine/caches.hpp"

#include <unistd.h>

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

std::vector<DataCache> caches_of_linux() {
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

// What the C library knows, from the processor: sizes, but not which processors share a cache. The
// third level is taken to be shared by all; its size may be that of all processors together.
std::vector<DataCache> caches_of_library() {
  const std::int64_t processors = std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
  std::vector<DataCache> caches;
  const auto add = [&](const char* level, int name, std::int64_t sharing) {
    const long bytes = sysconf(name);
    if (bytes > 0) caches.push_back({level, bytes, sharing});
  };
  add("1", _SC_LEVEL1_DCACHE_SIZE, 1);
  add("2", _SC_LEVEL2_CACHE_SIZE, 1);
  add("3", _SC_LEVEL3_CACHE_SIZE, processors);
  return caches;
}

}  // namespace

std::vector<DataCache> data_caches() {
  const std::vector<DataCache> caches = caches_of_linux();
  return caches.empty() ? caches_of_library() : caches;
}

}  // namespace redblue
