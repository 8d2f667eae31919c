// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/projection/symmetric_product.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "bounds/gave_up.hpp"
#include "bounds/projection/places.hpp"
#include "bounds/roles.hpp"
#include "program/operation_limit.hpp"
#include "redblue/error.hpp"

namespace redblue::bounds {

using dataflow::axis_of;
using dataflow::Vector;

using symbolic::Rational;

namespace {

// One of the two statements: instances -> the value of A and the place of B they read; B's values
// along a chain differ in one coordinate, by one from an instance to the next.
struct Side {
  isl::set counted;
  int axis;        // the loop along its chains
  unsigned along;  // that coordinate
  isl::map a;
  isl::map line;   // -> the other coordinates of B
  isl::map place;  // -> that coordinate
};

// Nothing where the statement has another problem than n <= sqrt(a b x), or B's values do not go
// along its chains.
std::optional<Side> side_of(const Roles& roles, const HblProblem& hbl, std::size_t a,
                            std::size_t b) {
  const Rational half = Rational(1) / 2;
  const auto is_half = [&](const auto& role) { return role.second == half; };
  if (hbl.terms.size() != 3 || hbl.own.size() != 1 || hbl.own.front().first != 1 ||
      !is_half(hbl.own.front()) || hbl.shared.size() != 2 ||
      !std::all_of(hbl.shared.begin(), hbl.shared.end(), is_half) || roles.chains.size() != 1)
    return std::nullopt;
  const Vector& step = roles.chains.front().step;
  const int axis = step.empty() ? -1 : axis_of(step);
  if (axis < 0 || std::abs(step[static_cast<std::size_t>(axis)]) != 1) return std::nullopt;
  const isl::map& values = roles.values[b].values;
  const auto along = moved_by(values, axis);
  if (!along) return std::nullopt;
  return Side{without(roles.statement->domain, hbl.left_out),
              axis,
              *along,
              roles.values[a].values,
              without_outputs(values, *along, 1),
              coordinate(values, *along)};
}

// Pairs of instances, one of each statement, that read one value of A on one line of B -> their
// places.
isl::map places_of_pairs(const Side& first, const Side& second) {
  const isl::map pairs = first.a.apply_range(second.a.reverse())
                             .intersect(first.line.apply_range(second.line.reverse()));
  const isl::map one = isl::manage(isl_map_domain_map(pairs.copy())).apply_range(first.place);
  const isl::map other = isl::manage(isl_map_range_map(pairs.copy())).apply_range(second.place);
  return isl::manage(isl_map_flat_range_product(one.copy(), other.copy()));
}

isl::map where(const isl::map& places, const std::string& condition) {
  const std::string distance = distance_parameter;
  return places.intersect_range(
      isl::set(program::context(), "[" + distance + "] -> { [p, q] : " + condition + " }"));
}

isl::set first_of_pairs(const isl::map& places) {
  return isl::manage(isl_set_unwrap(places.domain().release())).domain();
}

std::optional<SymmetricProduct> with_roles(const Roles& first, const HblProblem& first_hbl,
                                           const Roles& second, const HblProblem& second_hbl,
                                           const std::pair<std::size_t, std::size_t>& a,
                                           const std::pair<std::size_t, std::size_t>& b) {
  const auto one = side_of(first, first_hbl, a.first, b.first);
  const auto other = side_of(second, second_hbl, a.second, b.second);
  if (!one || !other || one->along != other->along) return std::nullopt;
  if (!determines_instances(one->a, one->line) || !determines_instances(other->a, other->line))
    return std::nullopt;
  const isl::map places = places_of_pairs(*one, *other);
  const bool one_way = where(places, "p < q").is_empty() || where(places, "p > q").is_empty();
  const isl::map lines = isl::manage(isl_map_domain_map(isl_set_unwrap(places.domain().release())))
                             .apply_range(one->line);
  if (!one_way || !determines_instances(places, lines)) return std::nullopt;
  const std::string d = distance_parameter;
  const isl::set near = first_of_pairs(where(places, d + " >= 1 and -" + d + " < p - q < " + d));
  if (!is_contiguous(one->counted, first.statement->domain, one->axis) ||
      !is_contiguous(other->counted, second.statement->domain, other->axis))
    return std::nullopt;
  return SymmetricProduct{program::count(near)};
}

}  // namespace

std::optional<SymmetricProduct> symmetric_product(const Roles& first, const HblProblem& first_hbl,
                                                  const Roles& second, const HblProblem& second_hbl,
                                                  const std::map<std::size_t, std::size_t>& shared,
                                                  const Sizes& sizes) {
  if (shared.size() != 2) return std::nullopt;
  const auto& one = *shared.begin();
  const auto& other = *shared.rbegin();
  const std::string& name = first.statement->name;
  try {
    const program::OperationLimit limit;
    if (const auto found = with_roles(first, first_hbl, second, second_hbl, one, other))
      return found;
    return with_roles(first, first_hbl, second, second_hbl, other, one);
  } catch (const isl::exception&) {
    note_limit(sizes, "symmetric product", name);
  } catch (const Error&) {
    note_uncountable(sizes, "symmetric product", name);
  }
  return std::nullopt;  // not known to be so
}

bool is_mirror(const isl::map& first, const isl::map& second, int p, int q) {
  const std::vector<isl::aff> one = program::single_formulas(first);
  const std::vector<isl::aff> other = program::single_formulas(second);
  if (one.empty() || one.size() != other.size()) return false;
  for (std::size_t d = 0; d < one.size(); ++d) {
    isl_aff* mirrored = other[d].copy();
    isl_val* at_p = isl_aff_get_coefficient_val(mirrored, isl_dim_in, p);
    isl_val* at_q = isl_aff_get_coefficient_val(mirrored, isl_dim_in, q);
    mirrored = isl_aff_set_coefficient_val(mirrored, isl_dim_in, p, at_q);
    mirrored = isl_aff_set_coefficient_val(mirrored, isl_dim_in, q, at_p);
    const isl::aff result = isl::manage(mirrored);
    if (isl_aff_plain_is_equal(result.get(), one[d].get()) != isl_bool_true) return false;
  }
  return true;
}

std::optional<isl::set> diagonal_of_mirrored(const Roles& roles,
                                             const std::vector<std::vector<ValueRole>>& groups,
                                             const std::vector<ChainRole>& axial) {
  if (roles.loops() != 3 || axial.size() != 1 || axial.front().step.empty() || groups.empty())
    return std::nullopt;
  const int k = axis_of(axial.front().step);
  const int i = k == 0 ? 1 : 0;
  const int j = 3 - i - k;
  for (const auto& group : groups) {
    if (group.size() != 2) return std::nullopt;
    const std::vector<int> with_i = {std::min(i, k), std::max(i, k)};
    const std::vector<int> with_j = {std::min(j, k), std::max(j, k)};
    const bool right_way = group[0].loops == with_i && group[1].loops == with_j;
    const bool other_way = group[0].loops == with_j && group[1].loops == with_i;
    if (!right_way && !other_way) return std::nullopt;
    if (!is_mirror(group[0].values, group[1].values, i, j)) return std::nullopt;
  }
  const isl::set domain = roles.statement->domain;
  const auto ordered = [&domain](int low, int high) {  // low < high
    isl_local_space* local = isl_local_space_from_space(isl_set_get_space(domain.get()));
    isl_aff* a =
        isl_aff_var_on_domain(isl_local_space_copy(local), isl_dim_set, static_cast<unsigned>(low));
    isl_aff* b = isl_aff_var_on_domain(local, isl_dim_set, static_cast<unsigned>(high));
    return domain.intersect(isl::manage(isl_aff_lt_set(a, b)));
  };
  const isl::set up = ordered(i, j);
  const isl::set down = ordered(j, i);
  if (!up.is_empty() && !down.is_empty()) return std::nullopt;
  const isl::set diagonal = domain.subtract(up).subtract(down);
  if (!roles.is_few(diagonal)) return std::nullopt;
  return diagonal;
}

double symmetric_product_chi(double x, double distance) {
  // n <= h sqrt(a) (X - a) / 2 over all a, from one sample of a / X to the next.
  constexpr int samples = 1000;
  const double d = (distance - 1) / std::sqrt(x);
  double most = std::pow(3, -1.5);
  for (int i = 0; i < samples; ++i) {
    const double low = static_cast<double>(i) / samples, high = low + 1.0 / samples;
    const double u = d / std::sqrt(high) + std::sqrt(2);
    const double h = 4 * u / (2 + u * u);
    if (h > 1) most = std::max(most, h * std::sqrt(high) * (1 - low) / 2);
  }
  return most * std::pow(x, 1.5);
}

}  // namespace redblue::bounds
