// SPDX-License-Identifier: BSD-3-Clause
#include "program/count.hpp"

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/set.h>
#include <isl/val.h>

#include <string>
#include <unordered_map>
#include <utility>

#include "program/isl_text.hpp"
#include "program/operation_limit.hpp"

namespace redblue::program {

using symbolic::Expr;
using symbolic::Rational;
using symbolic::Symbol;

namespace {

constexpr int large_parameter = 64;
constexpr const char* asked = "counting the points of a loop nest";
constexpr const char* remedy = "split the loop at its conditions";

std::string dimension_name(int d) {
  return "redblue_d" + std::to_string(d);
}

Rational to_rational(const isl::val& v) {
  const std::string text = taken_text(isl_val_to_str(v.get()));
  const auto slash = text.find('/');
  if (slash == std::string::npos) return Rational(text.c_str());
  return Rational(text.substr(0, slash).c_str()) / Rational(text.substr(slash + 1).c_str());
}

}  // namespace

Expr formula_of(const isl::aff& f) {
  Expr result = to_rational(isl::manage(isl_aff_get_constant_val(f.get())));
  const int parameters = static_cast<int>(isl_aff_dim(f.get(), isl_dim_param));
  for (int p = 0; p < parameters; ++p) {
    const char* name = isl_aff_get_dim_name(f.get(), isl_dim_param, p);
    const isl::val c = isl::manage(isl_aff_get_coefficient_val(f.get(), isl_dim_param, p));
    result += to_rational(c) * symbolic::symbol(name);
  }
  const int divisions = static_cast<int>(isl_aff_dim(f.get(), isl_dim_div));
  for (int d = 0; d < divisions; ++d) {
    const isl::val c = isl::manage(isl_aff_get_coefficient_val(f.get(), isl_dim_div, d));
    if (c.is_zero()) continue;
    const isl::aff division = isl::manage(isl_aff_get_div(f.get(), d));
    result += to_rational(c) * symbolic::floor(formula_of(division));
  }
  return result;
}

namespace {

// The least common denominator of `variable`'s coefficients inside the floors of e.
Rational floor_period(const Expr& e, const Symbol& variable) {
  Rational period = 1;
  if (symbolic::is_floor(e)) {
    const Expr inside = e.op(0).expand();
    const Expr c = inside.coeff(variable, 1);
    if (GiNaC::is_a<Rational>(c)) period = GiNaC::lcm(period, GiNaC::ex_to<Rational>(c).denom());
  }
  for (std::size_t i = 0; i < e.nops(); ++i)
    period = GiNaC::lcm(period, floor_period(e.op(i), variable));
  return period;
}

// The part of `set` (all dimensions are parameters) where parameter p is r modulo m.
isl::set residue_class(const isl::set& set, int p, const isl::val& r, const isl::val& m) {
  const isl::space space = isl::manage(isl_set_get_space(set.get()));
  isl_local_space* local = isl_local_space_from_space(space.copy());
  isl_aff* x = isl_aff_var_on_domain(local, isl_dim_param, static_cast<unsigned>(p));
  isl_aff* shifted = isl_aff_add_constant_val(x, isl_val_neg(r.copy()));
  isl_aff* remainder = isl_aff_mod_val(shifted, m.copy());
  return set.intersect(isl::manage(isl_set_from_basic_set(isl_aff_zero_basic_set(remainder))));
}

class Summation {
 public:
  std::vector<CountPiece> result;

  // Sums f over the parameters named dimension_name(0 .. dimensions-1), last first.
  void eliminate(const isl::set& set, int dimensions, const Expr& f) {
    if (set.is_empty()) return;
    if (dimensions == 0) {
      result.push_back({set, f.expand()});
      return;
    }
    const std::string name = dimension_name(dimensions - 1);
    const int position = isl_set_find_dim_by_name(set.get(), isl_dim_param, name.c_str());
    const Rational period = floor_period(f, symbolic::symbol(name));
    if (period == 1) {
      sum_out(set, position, dimensions, f, 1);
      return;
    }
    const isl::val m = isl::val(context(), period.to_long());
    for (long r = 0; r < period.to_long(); ++r) {
      const isl::set part = residue_class(set, position, isl::val(context(), r), m);
      sum_out(part, position, dimensions, f, period);
    }
  }

 private:
  // Writes x = low + step q and sums over q; `period` divides the step.
  void sum_out(const isl::set& set, int position, int dimensions, const Expr& f,
               const Rational& period) {
    if (set.is_empty()) return;
    const isl::set line = isl::manage(isl_set_move_dims(set.copy(), isl_dim_set, 0, isl_dim_param,
                                                        static_cast<unsigned>(position), 1));
    const isl::val stride = isl::manage(isl_set_get_stride(line.get(), 0));
    const isl::pw_aff low = isl::manage(isl_set_dim_min(line.copy(), 0));
    const isl::pw_aff high = isl::manage(isl_set_dim_max(line.copy(), 0));
    require_no_holes(line, low, high, stride);
    const Rational step = GiNaC::lcm(to_rational(stride), period);
    const Symbol& x = symbolic::symbol(dimension_name(dimensions - 1));
    const Symbol& q = symbolic::symbol("redblue_q");
    for (const AffinePiece& first : pieces_of(low)) {
      for (const AffinePiece& last : pieces_of(high)) {
        const isl::set where = first.where.intersect(last.where);
        if (where.is_empty()) continue;
        const Expr begin = formula_of(first.value);
        const Expr steps = symbolic::floor((formula_of(last.value) - begin) / step);
        const Expr summand = f.subs(x == begin + step * q);
        eliminate(where, dimensions - 1, symbolic::sum(refloor(summand), q, 0, steps));
      }
    }
  }

  // Takes integer summands out of floors again after a substitution.
  static Expr refloor(const Expr& e) {
    struct Refloor : GiNaC::map_function {
      Expr operator()(const Expr& part) override {
        if (symbolic::is_floor(part)) return symbolic::floor((*this)(part.op(0)));
        return part.map(*this);
      }
    } visitor;
    return visitor(e);
  }

  // The points between low and high on the stride must all belong to the set.
  static void require_no_holes(const isl::set& line, const isl::pw_aff& low,
                               const isl::pw_aff& high, const isl::val& stride) {
    const isl::space space = line.get_space();
    isl_pw_aff* x =
        isl_pw_aff_var_on_domain(isl_local_space_from_space(space.copy()), isl_dim_set, 0);
    isl_pw_aff* bottom = isl_pw_aff_insert_domain(low.copy(), space.copy());
    isl_pw_aff* top = isl_pw_aff_insert_domain(high.copy(), space.copy());
    isl_pw_aff* phase = isl_pw_aff_mod_val(
        isl_pw_aff_sub(isl_pw_aff_copy(x), isl_pw_aff_copy(bottom)), stride.copy());
    isl_set* filled = isl_pw_aff_ge_set(isl_pw_aff_copy(x), bottom);
    filled = isl_set_intersect(filled, isl_pw_aff_le_set(x, top));
    filled = isl_set_intersect(filled, isl_pw_aff_zero_set(phase));
    if (!isl::manage(filled).is_subset(line)) {
      throw Uncountable(asked, "an index set with holes that are no stride", remedy);
    }
  }
};

isl::set dimensions_as_parameters(const isl::set& set) {
  const int dimensions = static_cast<int>(isl_set_dim(set.get(), isl_dim_set));
  const unsigned parameters = static_cast<unsigned>(isl_set_dim(set.get(), isl_dim_param));
  isl_set* moved = isl_set_reset_tuple_id(set.copy());
  moved = isl_set_move_dims(moved, isl_dim_param, parameters, isl_dim_set, 0,
                            static_cast<unsigned>(dimensions));
  for (int d = 0; d < dimensions; ++d) {
    moved = isl_set_set_dim_name(moved, isl_dim_param, parameters + static_cast<unsigned>(d),
                                 dimension_name(d).c_str());
  }
  return isl::manage(isl_set_params(moved));
}

// Adds `piece` to disjoint pieces: where conditions overlap, counts add up.
void add_piece(std::vector<CountPiece>& pieces, CountPiece piece) {
  std::vector<CountPiece> result;
  for (const CountPiece& old : pieces) {
    const isl::set both = old.where.intersect(piece.where);
    if (both.is_empty()) {
      result.push_back(old);
      continue;
    }
    result.push_back({both, (old.count + piece.count).expand()});
    const isl::set rest = old.where.subtract(piece.where);
    if (!rest.is_empty()) result.push_back({rest, old.count});
    piece.where = piece.where.subtract(old.where);
  }
  if (!piece.where.is_empty()) result.push_back(piece);
  pieces = std::move(result);
}

isl::set large_parameters(const isl::set& where) {
  isl::set large = isl::manage(isl_set_universe(isl_set_get_space(where.get())));
  const unsigned parameters = static_cast<unsigned>(isl_set_dim(where.get(), isl_dim_param));
  for (unsigned p = 0; p < parameters; ++p) {
    large = isl::manage(isl_set_lower_bound_si(large.release(), isl_dim_param, p, large_parameter));
  }
  return large;
}

}  // namespace

namespace {

Count sum_of_pieces(const isl::set& set) {
  Count result;
  isl_basic_set_list* list = isl_set_get_basic_set_list(
      isl::manage(isl_set_make_disjoint(isl_set_coalesce(set.copy()))).get());
  for (int b = 0; b < static_cast<int>(isl_basic_set_list_n_basic_set(list)); ++b) {
    const isl::set part =
        isl::manage(isl_set_from_basic_set(isl_basic_set_list_get_basic_set(list, b)));
    Summation summation;
    summation.eliminate(dimensions_as_parameters(part),
                        static_cast<int>(isl_set_dim(part.get(), isl_dim_set)), 1);
    for (const CountPiece& piece : summation.result) add_piece(result.pieces, piece);
  }
  isl_basic_set_list_free(list);
  return result;
}

// As isl writes it; nothing where a limit around does not allow it.
std::string text_of(const isl::set& set) {
  char* text = isl_set_to_str(set.get());
  return text == nullptr ? std::string() : taken_text(text);
}

// Counts of the sets asked for so far, by how isl writes these: equal sets in other pieces have
// counts in other pieces. Bounds at many sizes ask for the same ones again and again.
class KnownCounts {
 public:
  const Count* find(const std::string& set) const {
    const auto known = counts_.find(set);
    return known == counts_.end() ? nullptr : &known->second;
  }
  void keep(const std::string& set, const Count& count) {
    constexpr std::size_t most = 4096;
    if (counts_.size() == most) counts_.clear();
    counts_.emplace(set, count);
  }

 private:
  std::unordered_map<std::string, Count> counts_;
};

}  // namespace

Count count(const isl::set& set) {
  static KnownCounts known;
  const bool inside_another = OperationLimit::active();
  const std::string name = text_of(set);
  const OperationLimit limit;  // of a count that is known, too: the limit around it begins anew
  if (const Count* before = known.find(name)) return *before;
  try {
    Count result = sum_of_pieces(set);
    OperationLimit::check();
    if (!name.empty()) known.keep(name, result);
    return result;
  } catch (const isl::exception&) {
    if (inside_another) throw;
    throw Uncountable(asked, "an index set of too many pieces", remedy);
  }
}

double Count::far_out() const {
  double largest = 0;
  for (const CountPiece& piece : pieces) {
    if (piece.where.intersect(large_parameters(piece.where)).is_empty()) continue;
    symbolic::Valuation far;
    for (unsigned p = 0; p < static_cast<unsigned>(isl_set_dim(piece.where.get(), isl_dim_param));
         ++p) {
      far[isl_set_get_dim_name(piece.where.get(), isl_dim_param, p)] = Rational(1L << 20);
    }
    double value = 0;
    if (symbolic::evaluate(piece.count, far, value)) largest = std::max(largest, value);
  }
  return largest;
}

std::vector<double> extents(const isl::set& set, const symbolic::Valuation& sizes) {
  isl_set* fixed = set.copy();
  for (const auto& [name, value] : sizes) {
    const int position = isl_set_find_dim_by_name(fixed, isl_dim_param, name.c_str());
    if (position < 0) continue;
    fixed = isl_set_fix_val(fixed, isl_dim_param, static_cast<unsigned>(position),
                            isl::val(context(), value.to_long()).release());
  }
  std::vector<double> result;
  for (unsigned d = 0; d < static_cast<unsigned>(isl_set_dim(fixed, isl_dim_set)); ++d) {
    const isl::aff x = isl::manage(isl_aff_var_on_domain(
        isl_local_space_from_space(isl_set_get_space(fixed)), isl_dim_set, d));
    const isl::val low = isl::manage(isl_set_min_val(fixed, x.get()));
    const isl::val high = isl::manage(isl_set_max_val(fixed, x.get()));
    result.push_back(isl_val_get_d(high.get()) - isl_val_get_d(low.get()) + 1);
  }
  isl_set_free(fixed);
  return result;
}

bool contains(const isl::set& where, const symbolic::Valuation& values) {
  isl_set* fixed = where.copy();
  for (const auto& [name, value] : values) {
    const int p = isl_set_find_dim_by_name(fixed, isl_dim_param, name.c_str());
    if (p < 0) continue;
    fixed = isl_set_fix_val(fixed, isl_dim_param, static_cast<unsigned>(p),
                            isl::val(context(), value.to_long()).release());
  }
  return !isl::manage(fixed).is_empty();
}

const CountPiece* Count::piece_at(const symbolic::Valuation& values) const {
  for (const CountPiece& piece : pieces) {
    if (contains(piece.where, values)) return &piece;
  }
  return nullptr;
}

Expr Count::at(const symbolic::Valuation& values) const {
  const CountPiece* piece = piece_at(values);
  return piece == nullptr ? Expr(0) : symbolic::substitute(piece->count, values);
}

double Count::number(const symbolic::Valuation& values) const {
  double result = 0;
  symbolic::evaluate(at(values), {}, result);
  return result;
}

}  // namespace redblue::program
