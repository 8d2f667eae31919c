// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/run/tables.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

namespace redblue::frontend::llvm_ir {

namespace {

// What one thread did behind one way to a parallel region.
struct Table {
  std::size_t thread = 0;  // of all processes
  std::int64_t context = 0;
  std::int64_t rank = 0;
  std::vector<std::int64_t> numbers;
};

std::vector<Table> read(const std::string& folder) {
  std::vector<Table> tables;
  std::map<std::pair<std::string, std::int64_t>, std::size_t> threads;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("counts.")) continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      Table table;
      std::int64_t thread = 0;
      if (!(words >> thread >> table.context >> table.rank)) continue;
      table.thread = threads.try_emplace({name, thread}, threads.size()).first->second;
      for (std::int64_t number = 0; words >> number;) table.numbers.push_back(number);
      tables.push_back(std::move(table));
    }
  }
  return tables;
}

std::map<int, LoopRun> largest(const std::vector<Table>& tables, std::size_t loops) {
  std::map<std::size_t, std::vector<LoopRun>> by_thread;
  for (const Table& table : tables) {
    std::vector<LoopRun>& all = by_thread[table.thread];
    all.resize(loops + 1);
    for (std::size_t loop = 0; loop <= loops; ++loop) {
      all[loop].iterations += table.numbers.at(2 * loop);
      all[loop].entries += table.numbers.at(2 * loop + 1);
      all[loop].thread = table.thread;
    }
  }
  std::map<int, LoopRun> runs;
  for (const auto& [thread, all] : by_thread) {
    for (std::size_t loop = 0; loop <= loops; ++loop) {
      const auto [place, is_new] = runs.try_emplace(static_cast<int>(loop), all[loop]);
      LoopRun& best = place->second;
      if (std::tie(best.iterations, best.entries) <
          std::tie(all[loop].iterations, all[loop].entries)) {
        best = all[loop];
      }
    }
  }
  return runs;
}

class Reader {
 public:
  Reader(const Counters& counters, const std::vector<Table>& tables)
      : counters_(counters), tables_(tables) {
    for (const Table& table : tables) threads_ = std::max(threads_, table.thread + 1);
    for (const Table& table : tables) calls_[table.context] = counters.calls_by(table.context);
    for (const Fork& fork : counters.forks) regions_.insert(fork.region);
  }

  void add_counts(Run& run) const {
    const std::size_t begin = counters_.first_place();
    for (std::size_t k = 0; k < counters_.places.size(); ++k) {
      const Counted& place = counters_.places[k];
      for (const std::string& way : counters_.ways_to(*place.function)) {
        run.counts[place.site.name(way)].resize(threads_);
      }
      for (const Table& table : tables_) {
        const auto counts = run.counts.find(place.site.name(way_of(place, table)));
        if (counts != run.counts.end()) counts->second[table.thread] += table.numbers.at(begin + k);
      }
    }
  }

  void add_values(Run& run) const {
    const std::size_t begin = counters_.first_value();
    for (std::size_t k = 0; k < counters_.values.size(); ++k) {
      for (const Table& table : tables_) {
        const std::size_t at = begin + 3 * k;
        if (table.numbers.at(at) == 0) continue;
        const std::string name = counters_.values[k].site.name(way_of(counters_.values[k], table));
        std::vector<Noted>& threads = run.values[name];
        threads.resize(threads_);
        Noted& noted = threads[table.thread];
        const std::int64_t value = table.numbers.at(at + 1);
        noted.varies =
            noted.varies || table.numbers.at(at + 2) != 0 || noted.value.value_or(value) != value;
        noted.value = value;
      }
    }
  }

  // A thread outside of regions is OpenMP's number 0, and any number within.
  void add_ranks(Run& run) const {
    run.ranks.assign(threads_, -1);
    for (const Table& table : tables_) {
      run.ranks[table.thread] = std::max(run.ranks[table.thread], table.rank);
    }
  }

 private:
  // A region counts for the calls that led to it, other functions for all together.
  std::string way_of(const Counted& counted, const Table& table) const {
    return regions_.contains(counted.function) ? calls_.at(table.context) : std::string();
  }

  const Counters& counters_;
  const std::vector<Table>& tables_;
  std::map<std::int64_t, std::string> calls_;
  std::set<const llvm::Function*> regions_;
  std::size_t threads_ = 0;
};

}  // namespace

Run read_tables(const std::string& folder, const Counters& counters) {
  const std::vector<Table> tables = read(folder);
  Run run;
  run.loops = largest(tables, counters.loops);
  const Reader reader(counters, tables);
  reader.add_counts(run);
  reader.add_values(run);
  reader.add_ranks(run);
  return run;
}

}  // namespace redblue::frontend::llvm_ir
