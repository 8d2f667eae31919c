// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/busiest/ties.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <numeric>

#include "bounds/roles.hpp"
#include "program/count.hpp"

namespace redblue::bounds {

using dataflow::Vector;
using program::Statement;

namespace {

constexpr std::size_t most_ties = 12;
constexpr int most_reads = 6;  // on the way from an instance

// A read, whose value is a statement's or an input.
struct Read {
  std::string reader, value;
  isl::map values;  // reader -> value
  bool input;
};

std::vector<Read> reads_of(const dataflow::DataFlow& flow) {
  std::vector<Read> result;
  for (const dataflow::Flow& f : flow.flows)
    result.push_back({f.reader->name, f.writer, f.values, false});
  // Arrays may have statements' names.
  for (const dataflow::InputRead& read : flow.inputs)
    result.push_back({read.reader->name, "input " + read.array, read.elements, true});
  return result;
}

// The same lines' shortest step that is lexicographically positive.
Vector primitive(Vector step) {
  long divisor = 0;
  for (const long x : step) divisor = std::gcd(divisor, x);
  const auto first = std::find_if(step.begin(), step.end(), [](long x) { return x != 0; });
  if (*first < 0) divisor = -divisor;
  for (long& x : step) x /= divisor;
  return step;
}

bool is_zero(const Vector& step) {
  return std::all_of(step.begin(), step.end(), [](long x) { return x == 0; });
}

// The loop along which instances differ that read one value; -1: several, or none.
int loop_shared_by(const isl::map& reads, std::size_t loops) {
  const isl::map pairs = reads.apply_range(reads.reverse());
  const isl::set deltas = isl::manage(isl_map_deltas(pairs.copy()));
  int loop = -1;
  for (std::size_t t = 0; t < loops; ++t) {
    const isl::set zero =
        isl::manage(isl_set_fix_si(deltas.copy(), isl_dim_set, static_cast<unsigned>(t), 0));
    if (deltas.is_subset(zero)) continue;
    if (loop >= 0) return -1;
    loop = static_cast<int>(t);
  }
  return loop;
}

// What reads lead to from the instances of one statement, each place by one way.
class Ways {
 public:
  Ways(const Statement& statement, const std::vector<Read>& reads)
      : statement_(statement), reads_(reads), instances_(program::count(statement.domain)) {
    const isl::map self = isl::manage(isl_set_identity(statement.domain.copy()));
    ways_.emplace(statement.name, Way{self, {}, false, 0});
    std::deque<std::string> next = {statement.name};
    while (!next.empty()) {
      const std::string from = next.front();
      next.pop_front();
      if (ways_.at(from).reads == most_reads) continue;
      std::map<std::string, Found> found;
      for (const Read& read : reads_) follow(from, read, found);
      for (const auto& [to, best] : found) {
        ways_.emplace(to, best.way);
        next.push_back(to);
      }
    }
    for (const Read& read : reads_) close(read);
    for (const Read& a : reads_) {
      for (const Read& b : reads_) {
        if (&a < &b && a.reader == b.reader && a.value == b.value) join(a, b);
      }
    }
  }

  std::vector<Tie> ties() const {
    std::vector<Tie> result = stars_;
    for (const Steps& s : steps_) {
      const isl::set firsts = statement_.domain.subtract(s.back.domain()).coalesce();
      result.push_back({primitive(s.step), {firsts}, s.values, s.inputs});
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const Tie& a, const Tie& b) { return a.values.size() < b.values.size(); });
    if (result.size() > most_ties) result.resize(most_ties);
    return result;
  }

 private:
  struct Way {
    isl::map to;  // instance -> its own place
    std::set<std::string> values;
    bool inputs;
    int reads;
  };
  struct Found {
    Way way;
    double instances;  // that have it, where parameters are large
  };
  struct Steps {
    Vector step;
    isl::map back;  // instance -> the one a step before
    std::set<std::string> values;
    bool inputs;
  };

  static Way longer(const Way& way, const isl::map& to, const Read& read) {
    Way result{to, way.values, way.inputs || read.input, way.reads + 1};
    result.values.insert(read.value);
    return result;
  }

  // From a reader to the value, or from the value to a reader. Of several reads that lead there,
  // the one by which most instances have a way.
  void follow(const std::string& from, const Read& read, std::map<std::string, Found>& found) {
    const bool down = read.reader == from;
    const std::string& to = down ? read.value : read.reader;
    if ((!down && read.value != from) || (ways_.count(to) != 0 && !down)) return;
    const Way& way = ways_.at(from);
    const isl::map there = way.to.apply_range(down ? read.values : read.values.reverse());
    if (there.is_empty() || is_few(there.domain(), instances_)) return;
    if (!there.is_single_valued()) return;
    if (!there.is_injective()) {
      // Not values that ways pass, too, where each belongs to one instance.
      if (down && way.values.count(read.value) == 0) add_star(longer(way, there, read));
      return;
    }
    if (ways_.count(to) != 0) return;
    const Found next{longer(way, there, read), program::count(there.domain()).far_out()};
    const auto [known, is_new] = found.emplace(to, next);
    if (!is_new && next.instances > known->second.instances) known->second = next;
  }

  // Many instances have one value, on one line.
  void add_star(const Way& way) {
    const std::size_t loops = statement_.iterators.size();
    const int loop = loop_shared_by(way.to, loops);
    if (loop < 0) return;
    Vector along(loops, 0);
    along[static_cast<std::size_t>(loop)] = 1;
    const isl::set others = statement_.domain.subtract(way.to.domain()).coalesce();
    stars_.push_back({along, {way.to.range().coalesce(), others}, way.values, way.inputs});
  }

  // Both ends of the read have ways to them.
  void close(const Read& read) {
    const auto reader = ways_.find(read.reader), value = ways_.find(read.value);
    if (reader == ways_.end() || value == ways_.end()) return;
    const isl::map back =
        reader->second.to.apply_range(read.values).apply_range(value->second.to.reverse());
    std::set<std::string> values = reader->second.values;
    values.insert(value->second.values.begin(), value->second.values.end());
    values.insert(read.value);
    add_steps(back, values, reader->second.inputs || value->second.inputs || read.input);
  }

  // One instance reads two values to which there are ways.
  void join(const Read& a, const Read& b) {
    const auto value = ways_.find(a.value);
    if (value == ways_.end()) return;
    const isl::map& to = value->second.to;
    const isl::map back =
        to.apply_range(a.values.reverse()).apply_range(b.values).apply_range(to.reverse());
    std::set<std::string> values = value->second.values;
    values.insert(a.value);
    add_steps(back, values, value->second.inputs || a.input);
  }

  void add_steps(isl::map back, const std::set<std::string>& values, bool inputs) {
    if (back.is_empty() || is_few(back.domain(), instances_)) return;
    auto step = dataflow::translation(back);
    if (!step || is_zero(*step)) return;
    if (*std::find_if(step->begin(), step->end(), [](long x) { return x != 0; }) < 0) {
      back = back.reverse();
      for (long& x : *step) x = -x;
    }
    for (Steps& s : steps_) {
      if (s.step != *step || s.values != values) continue;
      s.back = s.back.unite(back).coalesce();
      return;
    }
    steps_.push_back({*step, back, values, inputs});
  }

  const Statement& statement_;
  const std::vector<Read>& reads_;
  const program::Count instances_;
  std::map<std::string, Way> ways_;  // by statement or array
  std::vector<Tie> stars_;
  std::vector<Steps> steps_;
};

bool spans(const std::vector<Tie>& ties, std::size_t loops) {
  std::vector<Vector> rows;
  for (const Tie& tie : ties) rows.push_back(tie.along);
  return !rows.empty() && dataflow::echelon(rows).size() == loops;
}

}  // namespace

std::vector<TiedInstances> tied_instances(const program::Program& program,
                                          const dataflow::DataFlow& flow) {
  const std::vector<Read> reads = reads_of(flow);
  std::vector<TiedInstances> result;
  for (const Statement& statement : program.statements) {
    if (statement.iterators.empty()) continue;
    TiedInstances tied{&statement, Ways(statement, reads).ties()};
    if (spans(tied.ties, statement.iterators.size())) result.push_back(std::move(tied));
  }
  return result;
}

}  // namespace redblue::bounds
