// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/statement_graph.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "dataflow/clusters.hpp"
#include "dataflow/dependences.hpp"
#include "program/operation_limit.hpp"

namespace redblue::analysis {

using program::Program;
using Merged = StatementGraph::Merged;

namespace {

// "S0+S3" as its names.
std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> result;
  if (text.empty()) return result;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + separator.size()) {
    end = text.find(separator, begin);
    result.push_back(text.substr(begin, end - begin));
  }
  return result;
}

class Edges {
 public:
  void add(const std::string& from, const std::string& to, const std::string& array,
           const std::string& read) {
    std::vector<std::string>& reads = found_[{from, to, array}];
    if (!read.empty() && std::find(reads.begin(), reads.end(), read) == reads.end())
      reads.push_back(read);
  }

  std::vector<StatementGraph::Edge> all() const {
    std::vector<StatementGraph::Edge> result;
    for (const auto& [ends, reads] : found_)
      result.push_back({std::get<0>(ends), std::get<1>(ends), std::get<2>(ends), reads});
    return result;
  }

 private:
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<std::string>> found_;
};

std::vector<StatementGraph::Edge> edges_of(const Program& program) {
  Edges edges;
  for (const program::Statement& s : program.statements) {
    for (const program::Access& read : s.reads) {
      for (const program::Source& source : dataflow::sources(program, s, read)) {
        if (!source.values.is_empty()) edges.add(source.statement, s.name, read.array, read.text);
      }
    }
  }
  for (const auto& [name, array] : program.arrays) {
    const program::Statement end = dataflow::final_reader(program, name);
    if (end.reads.empty()) continue;
    for (const program::Source& source : dataflow::sources(program, end, end.reads.front())) {
      // Of an array that is not written throughout, some elements stay what they were.
      if (!source.statement.empty()) edges.add(source.statement, "", name, "");
    }
  }
  return edges.all();
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Statements of `program` that no statement of `kept` stands for.
std::vector<std::string> missing(const Program& program, const Program& kept) {
  std::vector<std::string> known, result;
  for (const program::Statement& s : kept.statements) {
    for (const std::string& name : split(s.name, "+")) known.push_back(name);
  }
  for (const program::Statement& s : program.statements) {
    if (!contains(known, s.name)) result.push_back(s.name);
  }
  return result;
}

std::vector<std::string> on_way(const Program& program) {
  try {
    const program::OperationLimit limit(3'000'000);
    return missing(program, dataflow::clustered(program).program);
  } catch (const isl::exception&) {
    return {};  // bounds that look at it so have given up, too
  }
}

std::vector<Merged> merged_of(const Program& program, const Program& merged) {
  std::vector<Merged> result;
  for (const program::Statement& s : merged.statements) {
    const std::vector<std::string> names = split(s.name, "+");
    if (names.size() > 1) result.push_back({names, Merged::How::alike});
  }
  if (const std::vector<std::string> copies = missing(program, merged); !copies.empty())
    result.push_back({copies, Merged::How::copies});
  if (const std::vector<std::string> way = on_way(program); !way.empty())
    result.push_back({way, Merged::How::on_way});
  return result;
}

StatementGraph::Counted counted_by(const BoundReport& report, std::size_t bound) {
  StatementGraph::Counted result{bound, {}};
  for (const std::string& part : split(report.bounds[bound].statement, " and "))
    result.parts.push_back(split(part, "+"));
  return result;
}

}  // namespace

StatementGraph statement_graph(const Program& program, const Program& merged,
                               const BoundReport& report) {
  StatementGraph graph;
  graph.statements = report.statements;
  graph.edges = edges_of(program);
  graph.merged = merged_of(program, merged);
  const auto is_merged = [&graph](const std::vector<std::string>& part) {
    return std::any_of(graph.merged.begin(), graph.merged.end(),
                       [&part](const Merged& m) { return m.statements == part; });
  };
  for (std::size_t b = 0; b < report.bounds.size(); ++b) {
    const StatementGraph::Counted counted = counted_by(report, b);
    const bool joint = !counted.parts.empty() && counted.parts.front().size() > 1 &&
                       !is_merged(counted.parts.front());
    if (counted.parts.size() > 1 || joint) graph.sums.push_back(counted);
  }
  graph.best = counted_by(report, report.best);
  return graph;
}

}  // namespace redblue::analysis
