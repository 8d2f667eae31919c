// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/blocks/call_tiles.hpp"

#include <isl/constraint.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include <algorithm>

#include "schedule/blocks/block_maps.hpp"
#include "schedule/order.hpp"

namespace redblue::schedule::codegen {

using program::Access;
using program::Program;
using program::Span;
using program::Statement;

namespace {

// "x / y" of two elements as "x/=y" or "x=x/y": the read that divides.
std::optional<std::size_t> divisor_of(const Statement& s) {
  if (s.writes.size() != 1 || s.reads.size() != 2) return std::nullopt;
  std::string text = s.source;
  std::optional<std::size_t> divisor;
  const auto mask = [&text](const Access& a, char c) {
    for (const Span& w : a.where)
      std::fill(text.begin() + static_cast<std::ptrdiff_t>(w.begin),
                text.begin() + static_cast<std::ptrdiff_t>(w.end), c);
  };
  for (std::size_t r = 0; r < s.reads.size(); ++r) {
    if (same_element(s.reads[r], s.writes.front())) continue;
    divisor = r;
    mask(s.reads[r], 'Y');
  }
  for (const Access& r : s.reads)
    if (!divisor || &r != &s.reads[*divisor]) mask(r, 'X');
  mask(s.writes.front(), 'X');
  std::string short_text;
  for (const char c : text) {
    if (c == ' ' || c == '\n' || c == ';') continue;
    const bool again = (c == 'X' || c == 'Y') && !short_text.empty() && short_text.back() == c;
    if (!again) short_text += c;
  }
  return short_text == "X/=Y" || short_text == "X=X/Y" ? divisor : std::nullopt;
}

// Without the pieces at certain sizes alone, "N = k_tile + 2": tiles of one row are worth no call.
isl::set at_most_sizes(const isl::set& tiles) {
  isl::set result = isl::manage(isl_set_empty(isl_set_get_space(tiles.get())));
  tiles.foreach_basic_set([&](const isl::basic_set& piece) {
    bool fixes = false;
    isl_basic_set_foreach_constraint(
        piece.get(),
        [](isl_constraint* c, void* user) {
          const auto parameters = static_cast<unsigned>(isl_constraint_dim(c, isl_dim_param));
          if (isl_constraint_is_equality(c) == isl_bool_true &&
              isl_constraint_involves_dims(c, isl_dim_param, 0, parameters) == isl_bool_true)
            *static_cast<bool*>(user) = true;
          isl_constraint_free(c);
          return isl_stat_ok;
        },
        &fixes);
    if (!fixes) result = result.unite(isl::set(piece));
  });
  return result;
}

class Recogniser {
 public:
  Recogniser(const CallBand& b, const Cut& cut)
      : b_(b), p_(*b.product), s_(b.program->statements[p_.statement]), cut_(cut) {
    x_ = names("x", s_.iterators.size());
    own_ = of_statement(cut.tiles, s_.name)->intersect_domain(s_.domain);
    others_ = tiles_of_others();
  }

  std::vector<CallTiles> all() {
    if (is_symmetric()) {
      for (const bool lower : {true, false}) syrk(lower);
    }
    for (const bool left : {true, false}) {
      if (!p_.scale.empty() || !in_place(left)) continue;
      for (const bool lower : {true, false}) triangle(left, lower);
    }
    add({Operation::gemm}, tiles_of(in("r", r()) + " and " + in("v", v()) + " and " + in("k", k()))
                               .subtract(overwritten({})));
    return std::move(result_);
  }

 private:
  std::string x(int d) const { return x_[static_cast<std::size_t>(d)]; }
  std::string r() const { return x(p_.rows); }
  std::string v() const { return x(p_.columns); }
  std::string k() const { return x(p_.sum); }
  std::string instance() const { return s_.name + "[" + list(x_) + "]"; }
  const Statement& statement(std::size_t s) const { return b_.program->statements[s]; }

  // "lr <= x <= hr".
  static std::string in(const std::string& range, const std::string& x) {
    return "l" + range + " <= " + x + " <= h" + range;
  }

  isl::map shape(const std::string& to, const std::string& where) const {
    std::vector<std::string> bounds = {"lr", "hr", "lv", "hv", "lk", "hk"};
    std::string outer;
    for (std::size_t o = 0; o < p_.outer.size(); ++o) {
      bounds.push_back("o" + std::to_string(o));
      outer += " and " + bounds.back() + " = " + x(p_.outer[o]);
    }
    if (to.front() == '[') outer.clear();
    return cut_.bounds.apply_range(
        map("{ [" + list(bounds) + "] -> " + to + " : " + where + outer + " }"));
  }

  // Tiles that hold the instances, and no others of the statement, where the condition says so.
  isl::set tiles_of(const std::string& where) const {
    return same(own_.reverse(), shape(instance(), where));
  }

  static isl::set same(const isl::map& first, const isl::map& second) {
    return first.domain()
        .subtract(first.subtract(second).domain())
        .subtract(second.subtract(first).domain())
        .coalesce();
  }

  void add(const CallKind& kind, isl::set tiles, std::optional<std::size_t> division = {}) {
    for (const CallTiles& before : result_) tiles = tiles.subtract(before.tiles);
    tiles = at_most_sizes(tiles.coalesce());
    if (!tiles.is_empty()) result_.push_back({kind, tiles, division});
  }

  isl::set tiles_where(const isl::union_map& of) const {
    const isl::set none = isl::manage(isl_set_empty(isl_set_get_space(own_.range().get())));
    return isl::manage(isl_union_set_extract_set(of.domain().unite(isl::union_set(none)).get(),
                                                 isl_set_get_space(none.get())));
  }

  // Tiles that write an element which the calls read, other than through the reads left out.
  isl::set overwritten(const std::vector<std::size_t>& left_out,
                       std::optional<std::size_t> division = {}) const {
    const isl::map here = own_.reverse();
    isl::union_map writes(here.apply_range(s_.writes.front().elements));
    isl::union_map reads = nothing();
    for (std::size_t read = 0; read < s_.reads.size(); ++read) {
      const Access& a = s_.reads[read];
      if (same_element(a, s_.writes.front()) ||
          std::count(left_out.begin(), left_out.end(), read) != 0)
        continue;
      reads = reads.unite(isl::union_map(here.apply_range(a.elements)));
    }
    if (division) {
      const Statement& d = statement(*division);
      const isl::map there = tiles_of_statement(*division).reverse();
      writes = writes.unite(isl::union_map(there.apply_range(d.writes.front().elements)));
      reads = reads.unite(isl::union_map(there.apply_range(d.reads[*divisor_of(d)].elements)));
    }
    return tiles_where(writes.intersect(reads));
  }

  isl::map tiles_of_statement(std::size_t s) const {
    return of_statement(cut_.tiles, statement(s).name)->intersect_domain(statement(s).domain);
  }

  isl::set tiles_of_others(std::optional<std::size_t> but = {}) const {
    isl::union_map all = nothing();
    for (const std::size_t s : b_.band->statements) {
      if (s != p_.statement && s != but.value_or(p_.statement))
        all = all.unite(isl::union_map(tiles_of_statement(s).reverse()));
    }
    return tiles_where(all);
  }

  // Instance -> the one with another value of an iterator: {{r, "k's"}}.
  isl::map with(int iterator, const std::string& value) const {
    std::vector<std::string> to = x_;
    to[static_cast<std::size_t>(iterator)] = value;
    return map("{ " + instance() + " -> " + s_.name + "[" + list(to) + "] }");
  }

  // Whether one operand is the other, or the written element, with an iterator in another's place.
  bool is_with(const Access& access, const Access& of, int iterator, const std::string& in) const {
    if (access.array != of.array) return false;
    const auto own = formulas(access), other = formulas(of);
    return own && other && own->is_equal(with(iterator, in).apply_range(*other));
  }

  const Access& left() const { return s_.reads[p_.left.read]; }
  const Access& right() const { return s_.reads[p_.right.read]; }

  // Q[k][v] is P[v][k].
  bool is_symmetric() const {
    return p_.left.transposed != p_.right.transposed && is_with(right(), left(), p_.rows, v());
  }

  // The operand beside the triangle is X itself, at the sum.
  bool in_place(bool left_triangle) const {
    const Access& written = s_.writes.front();
    return left_triangle ? is_with(right(), written, p_.rows, k())
                         : is_with(left(), written, p_.columns, k());
  }

  void syrk(bool lower) {
    const std::string triangle = lower ? v() + " <= " + r() : r() + " <= " + v();
    CallKind kind{Operation::syrk};
    kind.lower = lower;
    add(kind, tiles_of("lr = lv and hr = hv and " + in("r", r()) + " and " + in("v", v()) +
                       " and " + triangle + " and " + in("k", k()))
                  .subtract(overwritten({})));
  }

  // The sum's steps before (or behind) all rows, or columns, that the triangle spans.
  void triangle(bool left, bool lower) {
    const std::string along = left ? r() : v(), range = left ? "r" : "v";
    // T[r][k] is lower where k < r, T[k][v] where v < k.
    const bool sums_first = left == lower;
    const std::string first = sums_first ? "lk" : "l" + range;
    const std::string last = sums_first ? "h" + range : "hk";
    const std::string ordered = sums_first ? k() + " < " + along : along + " < " + k();
    const std::string beside = left ? in("v", v()) : in("r", r());
    const isl::set tiles =
        tiles_of(first + " <= " + k() + " <= " + last + " and " + first + " <= " + along +
                 " <= " + last + " and " + ordered + " and " + beside);
    if (tiles.is_empty()) return;
    const std::size_t moving = left ? p_.right.read : p_.left.read;
    CallKind kind{p_.minus ? Operation::trsm : Operation::trmm, left, lower, true};
    const isl::set plain = tiles.subtract(overwritten({moving}));
    if (!p_.minus) return add(kind, plain.subtract(ordered_pairs(left, true)));
    const isl::set solved = tiles.subtract(ordered_pairs(left, false));
    add(kind, solved.subtract(overwritten({moving})).subtract(others_));
    kind.unit = false;
    const std::string spanned =
        first + " <= a <= " + last + " and " + (left ? in("v", "b") : in("r", "b"));
    for (const std::size_t s : b_.band->statements) {
      if (s == p_.statement) continue;
      const std::optional<isl::set> divided = divided_tiles(s, left, spanned);
      if (divided)
        add(kind,
            solved.intersect(*divided)
                .subtract(overwritten({moving}, s))
                .subtract(tiles_of_others(s)),
            s);
    }
  }

  // Instances x and y of one tile where y reads, at the sum, the element that x writes.
  isl::map writes_then_reads(bool left) const {
    const std::vector<std::string> y = names("y", x_.size());
    const auto at = [&y](int d) { return y[static_cast<std::size_t>(d)]; };
    std::string where = at(p_.sum) + " = " + (left ? r() : v()) + " and " +
                        (left ? at(p_.columns) + " = " + v() : at(p_.rows) + " = " + r());
    for (const int d : p_.outer) where += " and " + at(d) + " = " + x(d);
    return map("{ " + instance() + " -> " + s_.name + "[" + list(y) + "] : " + where + " }");
  }

  // Tiles in which an instance must write before (or only after) another reads.
  isl::set ordered_pairs(bool left, bool write_first) const {
    const auto order = between(s_.name, s_.name);
    if (!order) return isl::manage(isl_set_empty(isl_set_get_space(own_.range().get())));
    const isl::map pairs = writes_then_reads(left);
    return in_one_tile(order->intersect(write_first ? pairs : pairs.reverse()), own_, own_);
  }

  static isl::set in_one_tile(const isl::map& pairs, const isl::map& first,
                              const isl::map& second) {
    return pairs.apply_domain(first)
        .apply_range(second)
        .intersect(isl::manage(isl_set_identity(first.range().release())))
        .domain();
  }

  std::optional<isl::map> between(const std::string& from, const std::string& to) const {
    std::optional<isl::map> result;
    b_.order->foreach_map([&](const isl::map& m) {
      if (isl_map_get_tuple_name(m.get(), isl_dim_in) == from &&
          isl_map_get_tuple_name(m.get(), isl_dim_out) == to)
        result = m;
    });
    return result;
  }

  // Tiles in which the statement divides every element of X in the span by the triangle's diagonal,
  // when its sum is complete and before it is read.
  std::optional<isl::set> divided_tiles(std::size_t number, bool left,
                                        const std::string& spanned) const {
    const Statement& d = statement(number);
    const std::optional<std::size_t> divisor = divisor_of(d);
    if (!divisor) return std::nullopt;
    const isl::map as_own = as_instance(number);
    const auto own = formulas(s_.writes.front()),
               triangle = formulas(left ? this->left() : right());
    if (!own || !triangle) return std::nullopt;
    const isl::map diagonal = with(p_.sum, left ? r() : v()).apply_range(*triangle);
    const auto equals = [&](const Access& access, const isl::map& formula) {
      return access.elements.intersect_domain(d.domain).is_equal(as_own.apply_range(formula));
    };
    const std::string element = left ? r() + ", " + v() : v() + ", " + r();
    const isl::map at = as_own.apply_range(map("{ " + instance() + " -> [" + element + "] }"));
    if (at.is_empty() || isl_map_is_injective(with_outer(as_own, element).get()) != isl_bool_true)
      return std::nullopt;
    if (d.writes.front().array != s_.writes.front().array || !equals(d.writes.front(), *own) ||
        !equals(d.reads[*divisor], diagonal))
      return std::nullopt;
    const isl::map tiles = tiles_of_statement(number);
    isl::set result = same(tiles.reverse().apply_range(at), shape("[a, b]", spanned));
    const std::string own_element = "{ " + instance() + " -> [" + element + "] }";
    if (const auto divides_first = between(d.name, s_.name))
      result = result.subtract(in_one_tile(
          divides_first->intersect(at.apply_range(map(own_element).reverse())), tiles, own_));
    const std::string reads =
        "{ " + instance() + " -> [" + (left ? k() + ", " + v() : k() + ", " + r()) + "] }";
    if (const auto reads_first = between(s_.name, d.name))
      result = result.subtract(
          in_one_tile(reads_first->intersect(map(reads).apply_range(at.reverse())), own_, tiles));
    return result;
  }

  isl::map with_outer(const isl::map& as_own, const std::string& element) const {
    std::string all = element;
    for (const int d : p_.outer) all += ", " + x(d);
    return as_own.apply_range(map("{ " + instance() + " -> [" + all + "] }"));
  }

  // Another statement's instance -> the product's at the same step of the band's loops.
  isl::map as_instance(std::size_t number) const {
    const auto m = names("m", static_cast<std::size_t>(b_.band->members));
    std::vector<std::string> to;
    for (const int member : b_.members) to.push_back(m[static_cast<std::size_t>(member)]);
    return of_statement(b_.band->loops, statement(number).name)
        ->intersect_domain(statement(number).domain)
        .apply_range(map("{ [" + list(m) + "] -> " + s_.name + "[" + list(to) + "] }"));
  }

  const CallBand& b_;
  const Product& p_;
  const Statement& s_;
  const Cut& cut_;
  std::vector<std::string> x_;
  isl::map own_;     // instance of the statement -> tile
  isl::set others_;  // tiles with instances of other statements
  std::vector<CallTiles> result_;
};

}  // namespace

std::vector<CallTiles> call_tiles(const CallBand& band, const Cut& cut) {
  return Recogniser(band, cut).all();
}

}  // namespace redblue::schedule::codegen
