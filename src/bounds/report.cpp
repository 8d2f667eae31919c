// The portfolio: every bound redblue knows for a program, and the strongest of them.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "bounds/bound.hpp"
#include "bounds/dependences.hpp"
#include "bounds/interval_table.hpp"
#include "frontend/read.hpp"
#include "program/count.hpp"
#include "program/merge.hpp"
#include "program/straighten.hpp"
#include "redblue/analysis.hpp"
#include "redblue/error.hpp"

namespace redblue {

namespace bounds {

double Sizes::memory() const {
  double words = 0;
  symbolic::evaluate(symbolic::fast_memory(), values, words);
  return words;
}

double strength(const Bound& bound, const program::Program& program, const Sizes& sizes) {
  if (sizes.complete) return bound.value.value_or(0);
  symbolic::Valuation far;
  for (const std::string& p : program.parameters) far[p] = symbolic::Rational(1L << 40);
  for (const std::string& p : sizes.small) far[p] = symbolic::Rational(4);
  far["S"] = symbolic::Rational(1L << 10);
  double value = 0;
  symbolic::evaluate(bound.leading, far, value);
  return value;
}

}  // namespace bounds

using bounds::Bound;
using bounds::Sizes;

bool LowerBound::proved() const {
  return std::all_of(ledger.begin(), ledger.end(),
                     [](const Condition& c) { return c.status == Condition::Status::proved; });
}

namespace {

Sizes checked_sizes(const program::Program& program,
                    const std::map<std::string, std::int64_t>& given) {
  std::string known;
  for (const std::string& p : program.parameters) known += p + ", ";
  known += "S";
  const auto is_parameter = [&program](const std::string& name) {
    return std::find(program.parameters.begin(), program.parameters.end(), name) !=
           program.parameters.end();
  };
  Sizes sizes;
  for (const auto& [name, value] : given) {
    if (name != "S" && !is_parameter(name)) {
      throw Error("size " + name, "the program has no such parameter", "it has " + known);
    }
    if (value < (name == "S" ? 1 : 0)) {
      throw Error("size " + name + "=" + std::to_string(value), "too small",
                  name == "S" ? "S is at least 1 word" : "sizes are at least 0");
    }
    sizes.values[name] = symbolic::Rational(static_cast<long>(value));
  }
  sizes.complete = given.size() == program.parameters.size() + 1;
  return sizes;
}

LowerBound printed(const Bound& bound) {
  LowerBound result;
  result.method = bound.method;
  result.statement = bound.statement;
  result.leading = symbolic::to_string(bound.leading);
  result.expression = symbolic::to_string(bound.expression);
  result.value = bound.value;
  result.ledger = bound.ledger;
  result.recomputation = bound.recomputation;
  result.projections = bound.projections;
  if (bound.busiest) {
    result.busiest = symbolic::to_string(bound.busiest->formula);
    if (bound.value) result.busiest_value = bound.busiest->value;
  }
  if (bound.largest) result.largest = symbolic::to_string(*bound.largest);
  if (bound.segment.is_zero() && bound.intensity.is_zero()) return result;
  result.intensity = symbolic::to_string(bound.intensity);
  result.segment = bound.segment.is_zero() ? "" : symbolic::to_string(bound.segment);
  for (const auto& [loop, size] : bound.tiles)
    result.tiles.emplace_back(loop, symbolic::to_string(size));
  return result;
}

bool has_sources(const program::Program& program) {
  return std::all_of(program.statements.begin(), program.statements.end(), [](const auto& s) {
    return std::all_of(s.reads.begin(), s.reads.end(),
                       [](const program::Access& read) { return read.sources != nullptr; });
  });
}

StatementInfo described(const program::Statement& s) {
  StatementInfo info;
  info.name = s.name;
  info.line = s.line;
  for (const program::Access& w : s.writes) info.text += w.text + " ";
  info.text += "<-";
  for (const program::Access& r : s.reads) info.text += " " + r.text;
  std::string condition;
  info.count = symbolic::to_string(program::count(s.domain).generic(&condition));
  if (!condition.empty()) info.count += " for sizes in " + condition;
  return info;
}

std::pair<std::vector<std::string>, std::vector<std::string>> outputs_and_dead(
    const program::Program& program) {
  std::pair<std::vector<std::string>, std::vector<std::string>> result;
  for (const auto& [name, array] : program.arrays) {
    const bool written = std::any_of(
        program.statements.begin(), program.statements.end(), [&n = name](const auto& s) {
          return std::any_of(s.writes.begin(), s.writes.end(),
                             [&n](const program::Access& w) { return w.array == n; });
        });
    if (!written) continue;
    if (array.dead()) {
      result.second.push_back(name);
    } else {
      result.first.push_back(array.read_after ? array.read_after_text : name);
    }
  }
  return result;
}

}  // namespace

struct BoundedProgram::Impl {
  std::string file;
  program::Program program;
  program::Program merged;  // on straight loops, alike statements as one
  std::vector<StatementInfo> statements;
  std::vector<std::string> small;

  explicit Impl(const BoundRequest& request);
  BoundReport at(const std::map<std::string, std::int64_t>& given, std::int64_t units) const;
  std::vector<Bound> portfolio(const Sizes& sizes) const;
};

BoundedProgram::Impl::Impl(const BoundRequest& request)
    : file(request.file), program(frontend::read(request)), small(request.small) {
  if (std::count(program.parameters.begin(), program.parameters.end(), "S") != 0) {
    throw Error(request.file, "a parameter is called S",
                "rename it: S is the size of the fast memory");
  }
  for (const std::string& name : small) {
    if (std::count(program.parameters.begin(), program.parameters.end(), name) == 0) {
      throw Error("small " + name, "the program has no such parameter", "");
    }
  }
  bounds::derive_sources(program);
  merged = program::merge_alike(program::straighten(program));
  if (!has_sources(merged)) bounds::derive_sources(merged);
  for (const program::Statement& s : program.statements) statements.push_back(described(s));
}

std::vector<Bound> BoundedProgram::Impl::portfolio(const Sizes& sizes) const {
  std::vector<Bound> all = {bounds::compulsory(program, sizes)};
  const auto inputs = bounds::inputs(merged, sizes);
  for (const program::Statement& s : merged.statements) {
    for (Bound& b : bounds::projections(merged, s, sizes, inputs)) all.push_back(std::move(b));
    for (Bound& b : bounds::dependence_projections(merged, s, sizes)) all.push_back(std::move(b));
  }
  for (Bound& b : bounds::wavefronts(program, sizes)) all.push_back(std::move(b));
  for (Bound& b : bounds::hourglasses(merged, sizes)) all.push_back(std::move(b));
  for (Bound& b : bounds::interval_tables(merged, sizes)) all.push_back(std::move(b));
  for (Bound& b : bounds::isoperimetry(merged, sizes)) all.push_back(std::move(b));
  if (const auto sum = bounds::disjoint_sum(merged, sizes)) all.push_back(*sum);
  // What is below zero for large sizes says nothing; where all is, the compulsory words are none.
  const Bound compulsory = all.front();
  std::erase_if(all, [&](const Bound& b) { return strength(b, program, {}) <= 0; });
  if (all.empty()) all.push_back(compulsory);
  return all;
}

BoundReport BoundedProgram::Impl::at(const std::map<std::string, std::int64_t>& given,
                                     std::int64_t units) const {
  Sizes sizes = checked_sizes(program, given);
  if (units < 1) throw Error(std::to_string(units) + " fast memories", "fewer than one", "");
  sizes.units = static_cast<double>(units);
  sizes.small = small;
  BoundReport report;
  report.program = program.name;
  report.parameters = program.parameters;
  report.statements = statements;
  std::tie(report.outputs, report.dead) = outputs_and_dead(program);
  const std::vector<Bound> all = portfolio(sizes);
  std::vector<double> strengths;
  for (const Bound& bound : all) {
    report.bounds.push_back(printed(bound));
    strengths.push_back(strength(bound, program, sizes));
  }
  for (std::size_t b = 0; b < all.size(); ++b) {
    if (strengths[b] > strengths[report.best_assumed]) report.best_assumed = b;
    if (report.bounds[b].proved() && strengths[b] > strengths[report.best]) report.best = b;
  }
  return report;
}

namespace {

// What isl throws, in words.
template <class F>
auto explained(const std::string& file, F f) {
  try {
    return f();
  } catch (const isl::exception& e) {
    throw Error(file, std::string("the integer sets of this program are beyond isl: ") + e.what(),
                "split the region");
  }
}

}  // namespace

BoundedProgram::BoundedProgram(const BoundRequest& request)
    : impl_(explained(request.file, [&] { return std::make_unique<const Impl>(request); })) {}
BoundedProgram::BoundedProgram(BoundedProgram&&) noexcept = default;
BoundedProgram::~BoundedProgram() = default;

BoundReport BoundedProgram::at(const std::map<std::string, std::int64_t>& sizes,
                               std::int64_t units) const {
  return explained(impl_->file, [&] { return impl_->at(sizes, units); });
}

const std::vector<std::string>& BoundedProgram::parameters() const {
  return impl_->program.parameters;
}

const std::vector<StatementInfo>& BoundedProgram::statements() const {
  return impl_->statements;
}

BoundReport lower_bounds(const BoundRequest& request) {
  return BoundedProgram(request).at(request.sizes, request.units);
}

}  // namespace redblue
