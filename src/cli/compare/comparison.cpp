// SPDX-License-Identifier: BSD-3-Clause
#include "cli/compare/comparison.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "cli/compare/compare_plot.hpp"
#include "cli/element_type.hpp"
#include "cli/options.hpp"
#include "redblue/error.hpp"
#include "trace/message_counts.hpp"

namespace redblue::cli {

namespace {

// Resident memory beyond what was there when it was made, at its highest. Linux.
class PeakMemory {
 public:
  PeakMemory() {
    std::ofstream("/proc/self/clear_refs") << "5\n";
    before_ = status("VmRSS:");
  }
  Bytes beyond() const { return Bytes(std::max<std::int64_t>(0, status("VmHWM:") - before_)); }

 private:
  static std::int64_t status(const std::string& key) {
    std::ifstream in("/proc/self/status");
    for (std::string line; std::getline(in, line);) {
      std::istringstream fields(line);
      std::string name;
      std::int64_t kilobytes = 0;
      if (fields >> name >> kilobytes && name == key) return kilobytes * 1024;
    }
    return 0;
  }
  std::int64_t before_ = 0;
};

// One timed call; the first also counts memory and residual.
void measure_call(comm::Communicator& world, std::size_t word_bytes, const Contender& contender,
                  Side& side) {
  const bool first = side.seconds.empty();
  contender.reset();
  const PeakMemory memory;
  world.barrier();
  trace::start_counting_messages();
  ExecutionTime mine;
  comm::PhaseClock clock;
  const double start = comm::seconds();
  {
    const comm::Timing timing(clock);
    contender.call();
  }
  mine.seconds = comm::seconds() - start;
  const trace::MessageCounts counts = trace::counted_messages();
  mine.phases = clock.seconds();
  const ExecutionTime time = of_slowest(world, mine);
  // the first call also plans
  if (side.seconds.size() < 2 || time.seconds < side.fastest.seconds) side.fastest = time;
  side.seconds.push_back(time.seconds);
  side.words = counts.worst.value / static_cast<std::int64_t>(word_bytes);
  side.mean_words =
      static_cast<double>(counts.total.value) / static_cast<double>(word_bytes) / world.size();
  for (const std::string& what : counts.uncounted) {
    if (std::find(side.uncounted.begin(), side.uncounted.end(), what) == side.uncounted.end())
      side.uncounted.push_back(what);
  }
  if (!first) return;
  side.memory_bytes = world.maximum(memory.beyond().value);
  side.residual = contender.check();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Later calls where there are any: the first also plans.
std::vector<double> later(const Side& side) {
  return side.seconds.size() == 1
             ? side.seconds
             : std::vector<double>(side.seconds.begin() + 1, side.seconds.end());
}

// Fewer words than any schedule can do with.
bool below_bound(const Side& side, double bound) {
  return static_cast<double>(side.words) < std::floor(bound);
}

Efficiency efficiency(const Comparison& c, const Side& side, int ranks) {
  return {side.fastest, ranks,      c.peak,       c.flops,
          c.bound,      side.words, c.word_bytes, c.machine.bytes_per_second};
}

Json to_json(const Side& side, const Comparison& c, int ranks) {
  const double bound = c.bound;
  const std::vector<double> times = later(side);
  Json json = {
      {"name", side.name},
      {"median_seconds", median(times)},
      {"least_seconds", *std::min_element(times.begin(), times.end())},
      {"most_seconds", *std::max_element(times.begin(), times.end())},
      {"first_seconds", side.seconds.front()},
      {"seconds", side.seconds},
      {"max_words_received", side.words},
      {"mean_words_received", side.mean_words},
      {"words_received", side.words},  // the old name of max_words_received
      {"ratio", below_bound(side, bound) ? Json(nullptr)
                                         : ratio_json(static_cast<double>(side.words), bound)},
      {"below_bound", below_bound(side, bound)},
      {"uncounted", side.uncounted},
      {"memory_bytes", side.memory_bytes},
      {"residual", side.residual.value},
      {"ok", side.residual.ok}};
  add_efficiency(json, efficiency(c, side, ranks));
  if (&side != c.sides.data()) json["phases"] = nullptr;
  if (below_bound(side, bound)) json["mue"] = nullptr;
  return json;
}

std::string heading(const Comparison& c, const CompareSetting& s) {
  return fmt::format("{} on {} ranks, blocks of {} on a {} x {} grid", c.title, s.ranks, s.block,
                     s.grid_rows, s.grid_columns);
}

// What a reader is to know of the words of a side.
void print_notes(const Side& side, double bound) {
  for (const std::string& what : side.uncounted) {
    fmt::print("  {}: not counted: {}\n", side.name, what);
  }
  if (!below_bound(side, bound)) return;
  fmt::print(
      "  {}: {} words are below the bound of {}: not all that it moved was counted, or its ranks "
      "do not share the work evenly\n",
      side.name, grouped(side.words), grouped(bound));
}

std::string ratio_text(const Side& side, double bound) {
  return below_bound(side, bound) ? "below"
                                  : cli::ratio_text(static_cast<double>(side.words), bound, 2);
}

void print_table(const Comparison& c, const CompareSetting& s) {
  fmt::print("{}\n", bold(heading(c, s)));
  fmt::print("  {:44} {:>9} {:>19} {:>9} {:>14} {:>7} {:>10}\n", "", "median s", "least .. most",
             "first s", "words (worst)", "/ bound", "MiB beyond");
  for (const Side& side : c.sides) {
    const std::vector<double> times = later(side);
    fmt::print("  {:44} {:9.4f} {:>19} {:9.4f} {:>14} {:>7} {:10.1f}{}\n", side.name, median(times),
               fmt::format("{:.4f} .. {:.4f}", *std::min_element(times.begin(), times.end()),
                           *std::max_element(times.begin(), times.end())),
               side.seconds.front(), grouped(side.words), ratio_text(side, c.bound),
               static_cast<double>(side.memory_bytes) / (1 << 20),
               side.residual.ok ? "" : "  WRONG RESULT");
  }
  fmt::print("  redblue is {:.2f} times as fast (median); first call / later calls {:.2f}\n",
             median(later(c.sides[1])) / median(later(c.sides[0])),
             c.sides[0].seconds.front() / median(later(c.sides[0])));
  fmt::print("  redblue's fastest call:\n");
  print_efficiency(efficiency(c, c.sides[0], s.ranks));
  for (const Side& side : c.sides) print_notes(side, c.bound);
}

// "2x3", or the squarest grid of all ranks.
void read_grid(const std::string& text, CompareSetting& s) {
  const int ranks = s.ranks;
  if (text.empty()) {
    s.grid_rows = squarest_grid_rows(ranks);
    s.grid_columns = ranks / s.grid_rows;
    return;
  }
  const auto cross = text.find('x');
  if (cross == std::string::npos) {
    throw Error("--grid " + text, "no ROWSxCOLUMNS", "write --grid 2x3");
  }
  const std::int64_t rows = whole_number("--grid", text.substr(0, cross));
  const std::int64_t columns = whole_number("--grid", text.substr(cross + 1));
  if (rows < 1 || columns < 1 || rows > ranks || columns > ranks / rows) {
    throw Error("--grid " + text, std::to_string(ranks) + " ranks", "give a grid of at most these");
  }
  s.grid_rows = static_cast<int>(rows);
  s.grid_columns = static_cast<int>(columns);
}

}  // namespace

void CompareOptions::add_to(CLI::App& command) {
  add_type(command, type);
  command.add_option("--block", block, "Rows and columns of a block")->capture_default_str();
  command.add_option("--grid", grid, "Process grid, as 2x3 (default: the squarest)");
  command.add_option("--repeat", repeat, "Calls of each, alternating; the first plans")
      ->capture_default_str();
  command.add_option("--scalapack", library, "The ScaLAPACK library (default: found)");
  command.add_option("--plot", plot, "Write the times of all calls to this file (.svg)");
  command.add_flag("--json", json, "Print JSON");
}

CompareSetting setting_of(const CompareOptions& options, int ranks) {
  CompareSetting s;
  s.ranks = ranks;
  s.block = whole_number("--block", options.block);
  if (s.block < 1) throw Error("--block " + options.block, "no block", "give 1 or more");
  s.repeat = repeat_count(options.repeat);
  if (!options.plot.empty() && !options.plot.ends_with(".svg")) {
    throw Error("--plot " + options.plot, "no name of an SVG file",
                "give a name that ends in .svg");
  }
  read_grid(options.grid, s);
  return s;
}

std::int64_t countable(const std::string& what, std::int64_t size) {
  constexpr std::int64_t most = 2147483647;
  if (size < 1 || size > most) {
    throw Error(what, "a size of " + std::to_string(size),
                "ScaLAPACK counts from 1 to " + std::to_string(most));
  }
  return size;
}

std::array<Side, 2> measure(comm::Communicator& world, const CompareSetting& setting,
                            std::size_t word_bytes, const std::array<Contender, 2>& contenders) {
  std::array<Side, 2> sides;
  // Neither library is to pay for the first messages between ranks.
  world.exchange(std::vector<std::int64_t>(static_cast<std::size_t>(world.size())));
  const std::int64_t calls = setting.repeat * static_cast<std::int64_t>(sides.size());
  for (std::int64_t call = 0; call < calls; ++call) {
    const std::size_t c = static_cast<std::size_t>(call) % sides.size();
    measure_call(world, word_bytes, contenders[c], sides[c]);
    if (setting.progress) {
      setting.progress({static_cast<double>(call + 1), static_cast<double>(calls), {}, {}});
    }
  }
  for (std::size_t c = 0; c < sides.size(); ++c) sides[c].name = contenders[c].name();
  return sides;
}

int report(const Comparison& c, const CompareOptions& options, const CompareSetting& s,
           bool is_root) {
  const bool ok = c.sides[0].residual.ok && c.sides[1].residual.ok;
  if (!is_root) return ok ? 0 : 1;
  if (!options.plot.empty()) {
    std::vector<TimeSeries> series;
    for (const Side& side : c.sides) {
      series.push_back({side.name, side.seconds, median(later(side))});
    }
    write_file(options.plot, times_plot(heading(c, s) + ", type " + options.type, series));
  }
  if (!options.json) {
    print_table(c, s);
    return ok ? 0 : 1;
  }
  Json json = c.shape;
  json["ranks"] = s.ranks;
  json["type"] = options.type;
  json["grid"] = {s.grid_rows, s.grid_columns};
  json["block"] = s.block;
  json["lower_bound"] = c.bound;
  json["redblue"] = to_json(c.sides[0], c, s.ranks);
  json["scalapack"] = to_json(c.sides[1], c, s.ranks);
  json["speedup"] = median(later(c.sides[1])) / median(later(c.sides[0]));
  json["first_over_later"] = c.sides[0].seconds.front() / median(later(c.sides[0]));
  json["ok"] = ok;
  print_json(json);
  return ok ? 0 : 1;
}

}  // namespace redblue::cli
