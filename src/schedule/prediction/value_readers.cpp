// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/prediction/value_readers.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "dataflow/dependences.hpp"
#include "schedule/order.hpp"

namespace redblue::schedule {

using program::Function;
using program::Program;
using program::Sizes;

namespace {

// Numbers of statements, and of arrays behind them.
struct Numbers {
  explicit Numbers(const Program& program) {
    for (const program::Statement& s : program.statements)
      statements.emplace(s.name, statements.size());
    for (const auto& [name, array] : program.arrays)
      arrays.emplace(name, statements.size() + arrays.size());
  }
  std::size_t of(const program::Source& source, const program::Access& read) const {
    return source.statement.empty() ? arrays.at(read.array) : statements.at(source.statement);
  }
  // Arrays with commuting updates, and what writes them: the order tells whose value one reads.
  std::set<std::size_t> updated(const Program& program) const {
    std::set<std::size_t> result;
    for (const program::Update& u : program.commuting) {
      for (const program::Access& w : program.statements[u.statement].writes)
        result.insert(arrays.at(w.array));
    }
    for (std::size_t s = 0; s < program.statements.size(); ++s) {
      const auto& writes = program.statements[s].writes;
      if (std::any_of(writes.begin(), writes.end(),
                      [&](const auto& w) { return result.contains(arrays.at(w.array)); }))
        result.insert(s);
    }
    return result;
  }
  std::map<std::string, std::size_t> statements, arrays;
};

bool is_single_valued(const isl::map& map) {
  return isl_map_is_single_valued(map.get()) == isl_bool_true;
}

}  // namespace

ValueReaders::ValueReaders(const Program& program, const isl::union_map& times, const Sizes& sizes)
    : final_(program.statements.size()) {
  const Numbers number(program);
  readers_.resize(number.statements.size() + number.arrays.size());
  few_.resize(readers_.size(), true);
  for (const std::size_t of : number.updated(program)) few_[of] = false;
  std::vector<isl::set> domains;
  for (const program::Statement& s : program.statements)
    domains.push_back(program::at_sizes(s.domain, sizes));
  for (std::size_t s = 0; s < program.statements.size(); ++s) {
    const program::Statement& statement = program.statements[s];
    const isl::map time = of_statement(times, statement.name).value_or(statement.schedule);
    time_.emplace_back(time.intersect_domain(statement.domain), sizes);
    reads_.emplace_back();
    for (const program::Access& read : statement.reads) {
      reads_.back().emplace_back();
      for (const program::Source& source : dataflow::sources(program, statement, read))
        reads_.back().back().push_back(
            add(domains, s, program::at_sizes(source.values, sizes), number.of(source, read)));
    }
  }
  for (const dataflow::FinalValues& f : dataflow::final_values(program)) {
    if (f.statement.empty()) continue;
    const isl::map same = isl::manage(isl_set_identity(f.instances.copy()));
    final_[number.statements.at(f.statement)].emplace(same, sizes);
  }
}

// Functions go without the conditions that all instances of a statement meet.
ValueReaders::Read ValueReaders::add(const std::vector<isl::set>& domains, std::size_t statement,
                                     const isl::map& values, std::size_t of) {
  const isl::map readers = values.reverse();
  few_[of] = few_[of] && is_single_valued(readers);
  if (few_[of]) {
    const bool computed = of < domains.size();
    readers_[of].push_back(
        {statement, Function(computed ? readers.gist_domain(domains[of]) : readers, {})});
  }
  return {of, Function(values.gist_domain(domains[statement]), {})};
}

Time ValueReaders::time(const At& instance) const {
  Time result;
  time_[instance.statement].inside(instance.iterators, result);
  return result;
}

std::optional<Fate> ValueReaders::after(const Time& end, const At& instance,
                                        std::optional<std::size_t> read) {
  std::size_t of = instance.statement;
  value_ = instance.iterators;
  if (read) {
    const std::vector<Read>& found = reads_[instance.statement][*read];
    const auto from = std::find_if(found.begin(), found.end(), [&](const Read& r) {
      return r.source.at(instance.iterators, value_);
    });
    if (from == found.end()) return std::nullopt;
    of = from->of;
  }
  if (!few_[of]) return std::nullopt;
  for (const Reader& r : readers_[of]) {
    if (!r.instance.at(value_, reader_)) continue;
    time_[r.statement].inside(reader_, then_);
    if (then_ > end) return Fate::read;
  }
  const bool is_result = of < final_.size() && final_[of] && final_[of]->at(value_, reader_);
  return is_result ? Fate::final : Fate::dead;
}

}  // namespace redblue::schedule
