// SPDX-License-Identifier: BSD-3-Clause
#include "program/enumerate.hpp"

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "program/checked.hpp"
#include "redblue/error.hpp"

namespace redblue::program {

namespace {

std::int64_t take(isl_val* value) {
  const isl::val owned = isl::manage(value);
  return to_64_bits(owned.get());
}

Affine compiled(const isl::aff& f) {
  Affine result;
  result.denominator = take(isl_aff_get_denominator_val(f.get()));
  const isl::aff scaled =
      isl::manage(isl_aff_scale_val(f.copy(), isl_aff_get_denominator_val(f.get())));
  result.constant = take(isl_aff_get_constant_val(scaled.get()));
  for (int i = 0; i < static_cast<int>(isl_aff_dim(scaled.get(), isl_dim_in)); ++i) {
    result.coefficients.push_back(take(isl_aff_get_coefficient_val(scaled.get(), isl_dim_in, i)));
  }
  for (int i = 0; i < static_cast<int>(isl_aff_dim(scaled.get(), isl_dim_div)); ++i) {
    const std::int64_t c = take(isl_aff_get_coefficient_val(scaled.get(), isl_dim_div, i));
    if (c != 0) {
      result.floors.push_back({c, compiled(isl::manage(isl_aff_get_div(scaled.get(), i)))});
    }
  }
  return result;
}

std::int64_t floor_of(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

std::vector<Constraint> constraints_of(const isl::basic_set& part) {
  std::vector<Constraint> result;
  isl_basic_set_foreach_constraint(
      part.get(),
      [](isl_constraint* c, void* user) {
        static_cast<std::vector<Constraint>*>(user)->push_back(
            {compiled(isl::manage(isl_constraint_get_aff(c))),
             isl_constraint_is_equality(c) == isl_bool_true});
        isl_constraint_free(c);
        return isl_stat_ok;
      },
      &result);
  return result;
}

std::vector<isl::basic_set> disjoint_parts(const isl::set& set) {
  std::vector<isl::basic_set> result;
  const isl::set disjoint = isl::manage(isl_set_make_disjoint(isl_set_compute_divs(set.copy())));
  isl_set_foreach_basic_set(
      disjoint.get(),
      [](isl_basic_set* part, void* user) {
        static_cast<std::vector<isl::basic_set>*>(user)->push_back(isl::manage(part));
        return isl_stat_ok;
      },
      &result);
  return result;
}

void check_given(const std::string& parameter, const Sizes& sizes) {
  if (!sizes.contains(parameter)) {
    throw Error("the size of " + parameter, "not given", "add it to --set");
  }
}

template <class Isl, class Find, class Fix, class Dim, class Name, class Project>
Isl* fixed(Isl* object, const Sizes& sizes, Find find, Fix fix, Dim dim, Name name,
           Project project) {
  for (int p = 0; p < static_cast<int>(dim(object, isl_dim_param)); ++p) {
    check_given(name(object, isl_dim_param, static_cast<unsigned>(p)), sizes);
  }
  for (const auto& [parameter, value] : sizes) {
    const int position = find(object, isl_dim_param, parameter.c_str());
    if (position >= 0) {
      object = fix(object, isl_dim_param, static_cast<unsigned>(position),
                   isl_val_int_from_si(context().get(), value));
    }
  }
  return project(object, isl_dim_param, 0, static_cast<unsigned>(dim(object, isl_dim_param)));
}

isl::set fixed(const isl::set& set, const Sizes& sizes) {
  return isl::manage(fixed(set.copy(), sizes, isl_set_find_dim_by_name, isl_set_fix_val,
                           isl_set_dim, isl_set_get_dim_name, isl_set_project_out));
}

isl::map fixed(const isl::map& map, const Sizes& sizes) {
  return isl::manage(fixed(map.copy(), sizes, isl_map_find_dim_by_name, isl_map_fix_val,
                           isl_map_dim, isl_map_get_dim_name, isl_map_project_out));
}

// Scans one basic set: the bounds of each coordinate come from the projection on it and those
// before it; what they leave too wide, the constraints of the set itself refuse.
class Scan {
 public:
  Scan(const isl::basic_set& part, const std::function<void(Coordinates)>& visit)
      : visit_(visit), exact_(constraints_of(part)) {
    const auto n = static_cast<unsigned>(isl_basic_set_dim(part.get(), isl_dim_set));
    point_.assign(n, 0);
    for (unsigned d = 0; d < n; ++d) {
      isl_basic_set* shadow = isl_basic_set_project_out(part.copy(), isl_dim_set, d + 1, n - d - 1);
      shadow = isl_basic_set_remove_divs(shadow);
      bounds_.push_back(constraints_of(isl::manage(shadow)));
    }
  }

  void run() { visit(0); }

 private:
  void visit(std::size_t d) {
    if (d == point_.size()) {
      if (exact_.holds(point_)) visit_(point_);
      return;
    }
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::int64_t high = std::numeric_limits<std::int64_t>::max();
    point_[d] = 0;
    for (const Constraint& c : bounds_[d]) {
      const std::int64_t a = c.value.coefficients[d];
      const std::int64_t rest = c.value.numerator(Coordinates(point_).first(d + 1));
      if (a == 0) {
        if (c.equality ? rest != 0 : rest < 0) return;
        continue;
      }
      // a x + rest >= 0, and <= 0 too for an equality
      if (a > 0) low = std::max(low, difference(0, floor_of(rest, a)));
      if (a < 0) high = std::min(high, floor_of(rest, -a));
      if (c.equality && a > 0) high = std::min(high, floor_of(difference(0, rest), a));
      if (c.equality && a < 0) {
        low = std::max(low, difference(0, floor_of(difference(0, rest), -a)));
      }
    }
    for (std::int64_t x = low; x <= high; ++x) {
      point_[d] = x;
      visit(d + 1);
    }
  }

  const std::function<void(Coordinates)>& visit_;
  Conjunction exact_;
  std::vector<std::vector<Constraint>> bounds_;
  std::vector<std::int64_t> point_;
};

struct PieceOfMap {
  isl::set where;
  std::vector<isl::aff> values;
};

std::vector<PieceOfMap> pieces_of_map(const isl::map& map) {
  const isl::pw_multi_aff all = isl::manage(isl_pw_multi_aff_from_map(map.copy()));
  std::vector<PieceOfMap> result;
  isl_pw_multi_aff_foreach_piece(
      all.get(),
      [](isl_set* where, isl_multi_aff* values, void* user) {
        PieceOfMap piece{isl::manage(where), {}};
        for (int d = 0; d < static_cast<int>(isl_multi_aff_dim(values, isl_dim_out)); ++d) {
          piece.values.push_back(isl::manage(isl_multi_aff_get_aff(values, d)));
        }
        isl_multi_aff_free(values);
        static_cast<std::vector<PieceOfMap>*>(user)->push_back(std::move(piece));
        return isl_stat_ok;
      },
      &result);
  return result;
}

// The only coordinate that a constraint is on.
std::optional<std::size_t> coordinate_of(const Constraint& c) {
  const std::vector<std::int64_t>& factors = c.value.coefficients;
  const auto is_used = [](std::int64_t factor) { return factor != 0; };
  if (!c.value.floors.empty() || std::ranges::count_if(factors, is_used) != 1) return std::nullopt;
  return std::ranges::find_if(factors, is_used) - factors.begin();
}

// a x + b >= 0, or = 0: x >= -b / a where a > 0, x <= b / -a where a < 0
void narrow(Conjunction::Range& range, const Constraint& c) {
  const std::int64_t a = c.value.coefficients[range.coordinate], b = c.value.constant;
  const std::int64_t positive = a > 0 ? a : difference(0, a);
  const std::int64_t end = a > 0 ? difference(0, b) : b;
  const std::int64_t above = difference(0, floor_of(difference(0, end), positive));
  if (c.equality || a > 0) range.least = std::max(range.least, above);
  if (c.equality || a < 0) range.most = std::min(range.most, floor_of(end, positive));
}

}  // namespace

std::int64_t Affine::numerator(Coordinates x) const {
  std::int64_t value = constant;
  for (std::size_t i = 0; i < coefficients.size() && i < x.size(); ++i) {
    if (coefficients[i] != 0) value = sum(value, product(coefficients[i], x[i]));
  }
  for (const Floor& f : floors) {
    value = sum(value, product(f.coefficient, floor_of(f.of.numerator(x), f.of.denominator)));
  }
  return value;
}

bool Constraint::holds(Coordinates x) const {
  const std::int64_t v = value.numerator(x);
  return equality ? v == 0 : v >= 0;
}

Conjunction::Conjunction(std::vector<Constraint> all) {
  for (Constraint& c : all) {
    const std::optional<std::size_t> on = coordinate_of(c);
    if (!on) {
      others.push_back(std::move(c));
      continue;
    }
    auto range = std::ranges::find(ranges, *on, &Range::coordinate);
    if (range == ranges.end()) range = ranges.insert(range, Range{*on});
    narrow(*range, c);
  }
}

bool Conjunction::holds(Coordinates x) const {
  const auto within = [x](const Range& r) {
    return r.least <= x[r.coordinate] && x[r.coordinate] <= r.most;
  };
  return std::ranges::all_of(ranges, within) &&
         std::ranges::all_of(others, [x](const Constraint& c) { return c.holds(x); });
}

void check_parameters(const Program& program, const Sizes& sizes) {
  for (const auto& [name, value] : sizes) {
    const auto& known = program.parameters;
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw Error("--set " + name, program.name + " has no such parameter", "");
    }
    if (value < 0) {
      throw Error("--set " + name + "=" + std::to_string(value), "a negative size",
                  "give sizes of at least 0");
    }
  }
  check_valid(program, sizes);
}

void check_valid(const Program& program, const Sizes& sizes) {
  if (!program.valid) return;
  isl_set* left = program.valid->copy();
  for (const auto& [name, size] : sizes) {
    const int p = isl_set_find_dim_by_name(left, isl_dim_param, name.c_str());
    if (p < 0) continue;
    const isl::val value(context(), static_cast<long>(size));
    left = isl_set_fix_val(left, isl_dim_param, static_cast<unsigned>(p), value.copy());
  }
  if (!isl::manage(left).is_empty()) return;
  throw Error("these sizes of " + program.name, program.invalid + " there",
              "give sizes at which every subscript stays within its row");
}

isl::set at_sizes(const Sizes& sizes) {
  std::string names, values;
  for (const auto& [name, value] : sizes) {
    names += (names.empty() ? "" : ", ") + name;
    values += (values.empty() ? "" : " and ") + name + " = " + std::to_string(value);
  }
  return isl::set(context(), "[" + names + "] -> { : " + (values.empty() ? "true" : values) + " }");
}

isl::set at_sizes(const isl::set& set, const Sizes& sizes) {
  isl_set* fixed = isl_set_intersect_params(set.copy(), at_sizes(sizes).params().release());
  const auto all = static_cast<unsigned>(isl_set_dim(fixed, isl_dim_param));
  return isl::manage(isl_set_project_out(fixed, isl_dim_param, 0, all));
}

isl::map at_sizes(const isl::map& map, const Sizes& sizes) {
  isl_map* fixed = isl_map_intersect_params(map.copy(), at_sizes(sizes).params().release());
  const auto all = static_cast<unsigned>(isl_map_dim(fixed, isl_dim_param));
  return isl::manage(isl_map_project_out(fixed, isl_dim_param, 0, all));
}

void check_given(const isl::set& set, const Sizes& sizes) {
  for (int p = 0; p < static_cast<int>(isl_set_dim(set.get(), isl_dim_param)); ++p) {
    check_given(isl_set_get_dim_name(set.get(), isl_dim_param, static_cast<unsigned>(p)), sizes);
  }
}

void for_each_point(const isl::set& set, const Sizes& sizes,
                    const std::function<void(Coordinates)>& visit) {
  const isl::set here = fixed(set, sizes);
  if (isl_set_is_bounded(here.get()) != isl_bool_true) {
    throw Error("the points of a set", "it is unbounded", "bound every loop");
  }
  for (const isl::basic_set& part : disjoint_parts(here)) Scan(part, visit).run();
}

Function::Function(const isl::map& map, const Sizes& sizes) {
  for (const PieceOfMap& piece : pieces_of_map(fixed(map, sizes))) {
    Piece made;
    for (const isl::basic_set& part : disjoint_parts(piece.where)) {
      made.where.emplace_back(constraints_of(part));
    }
    for (const isl::aff& f : piece.values) made.values.push_back(compiled(f));
    pieces_.push_back(std::move(made));
  }
}

bool Function::inside(Coordinates x, std::vector<std::int64_t>& value) const {
  if (pieces_.size() != 1) return at(x, value);
  evaluate(pieces_.front(), x, value);
  return true;
}

bool Function::at(Coordinates x, std::vector<std::int64_t>& value) const {
  for (const Piece& piece : pieces_) {
    if (std::ranges::none_of(piece.where, [x](const Conjunction& c) { return c.holds(x); }))
      continue;
    evaluate(piece, x, value);
    return true;
  }
  return false;
}

void Function::evaluate(const Piece& piece, Coordinates x, std::vector<std::int64_t>& value) {
  value.clear();
  // A division takes longer than all the rest.
  for (const Affine& f : piece.values)
    value.push_back(f.denominator == 1 ? f.numerator(x) : floor_of(f.numerator(x), f.denominator));
}

}  // namespace redblue::program
