#include "cli/machine/measure_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace redblue::cli {

namespace {

constexpr std::int64_t word_bytes = 8;

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

// The data caches of processor 0 and main memory as Linux describes them, in words of 8 bytes; all
// processors are taken to be alike.
std::vector<MemoryLevel> described_levels() {
  const std::int64_t processors = std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
  std::vector<MemoryLevel> levels;
  for (int index = 0; index < 8; ++index) {
    const std::string folder =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    const std::string size = line_of(folder + "size");
    if (size.empty() || line_of(folder + "type") == "Instruction") continue;
    const std::int64_t unit = size.back() == 'M' ? 1 << 20 : size.back() == 'K' ? 1 << 10 : 1;
    const std::int64_t sharing = processors_in(line_of(folder + "shared_cpu_list"));
    levels.push_back({"L" + line_of(folder + "level") + " cache",
                      std::max<std::int64_t>(1, processors / sharing),
                      std::stol(size) * unit / word_bytes, 0});
  }
  levels.push_back(
      {"memory", 1, sysconf(_SC_PHYS_PAGES) * (sysconf(_SC_PAGESIZE) / word_bytes), 0});
  return levels;
}

// Words per second read from an array of that many words, best of several passes. Whole numbers, so
// that the compiler may add them in any order.
double read_rate(std::int64_t words) {
  const std::size_t quarter = static_cast<std::size_t>(words) / 4;
  const std::vector<std::uint64_t> array(4 * quarter, 1);
  const std::int64_t passes = std::max<std::int64_t>(1, (std::int64_t{1} << 25) / words);
  double best = 0;
  volatile std::uint64_t sink = 0;
  for (int series = 0; series < 4; ++series) {
    const double start = comm::seconds();
    for (std::int64_t p = 0; p < passes; ++p) {
      const std::uint64_t* x = array.data();
      std::uint64_t a = 0, b = 0, c = 0, d = 0;
      for (std::size_t i = 0; i < quarter; ++i) {
        a += x[i];
        b += x[i + quarter];
        c += x[i + 2 * quarter];
        d += x[i + 3 * quarter];
      }
      sink = sink + a + b + c + d;
    }
    const double seconds = comm::seconds() - start;
    best = std::max(best, static_cast<double>(words * passes) / std::max(seconds, 1e-9));
  }
  return best;
}

}  // namespace

std::vector<MemoryLevel> measured_levels(comm::Communicator& world, double flops_per_second) {
  std::vector<MemoryLevel> levels = described_levels();
  for (std::size_t l = 1; l < levels.size(); ++l) {
    const std::int64_t below = levels[l - 1].words;
    const std::int64_t words = std::min(4 * below, levels[l].words / 2);
    const double slowest = -world.maximum(-read_rate(std::max(words, std::int64_t{1024})));
    levels[l].words_per_flop = slowest / flops_per_second;
  }
  return levels;
}

}  // namespace redblue::cli
