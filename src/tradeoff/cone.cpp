// SPDX-License-Identifier: BSD-3-Clause
#include "tradeoff/cone.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bounds/isoperimetry/stencils.hpp"
#include "program/count.hpp"
#include "program/operation_limit.hpp"

namespace redblue::tradeoff {

using bounds::Stencil;
using bounds::StencilPart;
using dataflow::Vector;
using program::Program;
using symbolic::Expr;
using symbolic::Rational;

namespace {

constexpr unsigned long most_operations = 3'000'000;

// The set on one dimension alone.
isl::set side(const isl::set& domain, unsigned dimension) {
  isl_set* s = isl_set_copy(domain.get());
  const auto all = static_cast<unsigned>(isl_set_dim(s, isl_dim_set));
  s = isl_set_project_out(s, isl_dim_set, dimension + 1, all - dimension - 1);
  return isl::manage(isl_set_project_out(s, isl_dim_set, 0, dimension));
}

// Whether the set is the product of its sides.
bool is_box(const isl::set& domain) {
  isl::set box = side(domain, 0);
  const auto all = static_cast<unsigned>(isl_set_dim(domain.get(), isl_dim_set));
  for (unsigned d = 1; d < all; ++d)
    box = isl::manage(isl_set_flat_product(box.release(), side(domain, d).release()));
  isl_set* plain = isl_set_reset_tuple_id(isl_set_copy(domain.get()));
  return isl::manage(plain).is_equal(isl::manage(isl_set_reset_tuple_id(box.release())));
}

// Whether an instance reads, by each of its steps, the instance there wherever there is one.
bool reads_all(const StencilPart& part, const StencilPart& before) {
  for (const isl::map& read : part.before) {
    isl_basic_map* hull = isl_map_affine_hull(isl_map_copy(read.get()));
    const isl::map everywhere = isl::manage(isl_map_from_basic_map(hull))
                                    .intersect_domain(part.statement->domain)
                                    .intersect_range(before.statement->domain);
    // The hull also has the parameters' equations and strides, which a shift has none of.
    if (!everywhere.is_subset(read)) return false;
  }
  return true;
}

// Whether every step is a read of the statement's own values.
bool reads_itself(const StencilPart& part) {
  return std::all_of(part.before.begin(), part.before.end(), [&](const isl::map& step) {
    const auto& reads = part.statement->reads;
    return std::any_of(reads.begin(), reads.end(), [&](const program::Access& read) {
      return read.sources != nullptr &&
             std::any_of(read.sources->begin(), read.sources->end(), [&](const auto& source) {
               return source.statement == part.statement->name && source.values.is_equal(step);
             });
    });
  });
}

// The mesh points one sweep back that are read, in units of `scale`; empty where some step does not
// lead one sweep back.
std::set<Vector> offsets(const Stencil& stencil, long scale) {
  std::set<Vector> result;
  for (const Vector& step : stencil.steps) {
    if (step.front() != 1) return {};
    Vector offset(step.begin() + 1, step.end());
    for (long& o : offset) {
      if (o % scale != 0) return {};
      o /= scale;
    }
    result.insert(offset);
  }
  return result;
}

bool has_box(const std::set<Vector>& offsets, std::size_t dimensions, long radius) {
  Vector at(dimensions, -radius);
  while (true) {
    if (offsets.count(at) == 0) return false;
    std::size_t d = 0;
    while (d < dimensions && ++at[d] > radius) at[d++] = -radius;
    if (d == dimensions) return true;
  }
}

bool has_star(const std::set<Vector>& offsets, std::size_t dimensions) {
  for (std::size_t d = 0; d < dimensions; ++d) {
    for (const long o : {-1L, 0L, 1L}) {
      Vector at(dimensions, 0);
      at[d] = o;
      if (offsets.count(at) == 0) return false;
    }
  }
  return true;
}

std::optional<Cone> cone_of(const Program& program, const Stencil& stencil) {
  const long scale = static_cast<long>(stencil.parts.size());
  if (stencil.charge != 1) return std::nullopt;
  const std::set<Vector> read = offsets(stencil, scale);
  if (read.empty() || read.begin()->empty()) return std::nullopt;
  Cone result{stencil.parts.front().statement, 1, 0, true, static_cast<int>(scale), true, 0, {}};
  const std::size_t dimensions = read.begin()->size();
  result.dimensions = static_cast<int>(dimensions);
  while (has_box(read, dimensions, result.radius + 1)) ++result.radius;
  if (result.radius == 0) {
    if (!has_star(read, dimensions)) return std::nullopt;
    result.box = false;
    result.radius = 1;
  }
  for (std::size_t i = 0; i < stencil.parts.size(); ++i) {
    const StencilPart& part = stencil.parts[i];
    const StencilPart& before =
        stencil.parts[(i + stencil.parts.size() - 1) % stencil.parts.size()];
    if (!is_box(part.statement->domain) || !reads_all(part, before)) return std::nullopt;
    const isl::set first = isl::manage(isl_set_reset_tuple_id(part.statement->domain.copy()));
    const isl::set other =
        isl::manage(isl_set_reset_tuple_id(stencil.parts.front().statement->domain.copy()));
    if (!first.is_equal(other)) return std::nullopt;
  }
  symbolic::Valuation far;
  long next = 1'000'000;
  for (const std::string& p : program.parameters) far[p] = next += 1000;
  const auto length = [&](unsigned dimension) -> std::optional<Expr> {
    const program::Count counted = program::count(side(result.statement->domain, dimension));
    const program::CountPiece* piece = counted.piece_at(far);
    return piece == nullptr ? std::nullopt : std::optional<Expr>(piece->count);
  };
  result.direct = stencil.parts.size() > 1 || reads_itself(stencil.parts.front());
  const auto steps = length(0);
  if (!steps) return std::nullopt;
  result.length = (scale * *steps).expand();
  for (unsigned d = 1; d <= dimensions; ++d) {
    const auto width = length(d);
    if (!width) return std::nullopt;
    result.widths.push_back(*width);
  }
  return result;
}

}  // namespace

std::vector<double> Cone::intervals(std::int64_t most, std::int64_t half) const {
  const auto in_sweep = [&](std::int64_t from_an_end) {
    const auto away = static_cast<double>(std::min(radius * from_an_end, half));
    if (box) return std::pow(2 * away + 1, dimensions);
    // Points to distance `away` along the axes.
    if (dimensions == 2) return 2 * away * away + 2 * away + 1;
    return (4 * away * away * away + 6 * away * away + 8 * away + 3) / 3;
  };
  // One sweep more is one more at the widest place.
  std::vector<double> result = {0};
  for (std::int64_t b = 1; b <= most; ++b) result.push_back(result.back() + in_sweep((b - 1) / 2));
  return result;
}

Rational Cone::leading() const {
  Rational result = 1;
  for (int d = 1; d <= dimensions; ++d) result *= box ? radius : Rational(1, d);
  return result / (dimensions + 1);
}

std::optional<Cone> cone(const Program& program) {
  try {
    const program::OperationLimit limit(most_operations);
    std::optional<Cone> best;
    for (const Stencil& stencil : bounds::stencils(program)) {
      const auto found = cone_of(program, stencil);
      if (found && (found->box || found->dimensions <= 3) &&
          (!best || found->dimensions > best->dimensions))
        best = found;
    }
    return best;
  } catch (const program::Uncountable&) {
    return std::nullopt;
  } catch (const isl::exception&) {
    return std::nullopt;
  }
}

}  // namespace redblue::tradeoff
