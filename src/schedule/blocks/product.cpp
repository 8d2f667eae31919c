// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/blocks/product.hpp"

#include <isl/aff.h>
#include <isl/map.h>

#include <algorithm>
#include <cctype>

namespace redblue::schedule::codegen {

using program::Access;
using program::Program;
using program::Span;
using program::Statement;

namespace {

// The one subscript that the iterator steps through, by one; -1: there is none.
std::optional<int> subscript_of(const Access& access, int iterator) {
  const std::vector<isl::aff> all = program::single_formulas(access.elements);
  if (all.empty()) return std::nullopt;
  int result = -1;
  for (std::size_t f = 0; f < all.size(); ++f) {
    const std::optional<long> c = coefficient(all[f], iterator);
    if (!c || (*c != 0 && *c != 1) || (*c == 1 && result >= 0)) return std::nullopt;
    if (*c == 1) result = static_cast<int>(f);
  }
  return result;
}

// Whether the text is the array's name and a bracket for each of its dimensions.
bool written_out(const Statement& s, const Access& access, std::size_t dimensions) {
  for (const Span& span : access.where) {
    const std::string text = s.source.substr(span.begin, span.end - span.begin);
    if (text.compare(0, access.array.size() + 1, access.array + "[") != 0) return false;
    std::size_t depth = 0, brackets = 0;
    for (const char c : text) {
      if (c == '[' && depth++ == 0) ++brackets;
      if (c == ']') --depth;
    }
    if (brackets != dimensions) return false;
  }
  return !access.where.empty();
}

// Whether the array is declared with all its subscripts and extents, so that C knows its rows.
bool has_rows(const Program& program, const Statement& s, const Access& access) {
  const auto dimensions = static_cast<std::size_t>(isl_map_dim(access.elements.get(), isl_dim_out));
  for (const program::Variable& v : program.region.variables) {
    if (v.name != access.array) continue;
    if (v.extents.size() != dimensions || !written_out(s, access, dimensions)) return false;
    return std::none_of(v.extents.begin() + 1, v.extents.end(), [](const isl::pw_aff& extent) {
      return isl_pw_aff_involves_nan(extent.get()) == isl_bool_true;
    });
  }
  return false;
}

// The matrix that the two loops make of an array; `other` must not step through it.
std::optional<MatrixAccess> matrix(const Program& program, const Statement& s, const Access& access,
                                   int first, int second, int other) {
  const auto f = subscript_of(access, first), g = subscript_of(access, second);
  if (!f || !g || *f < 0 || *g < 0 || *f == *g || !has_rows(program, s, access))
    return std::nullopt;
  if (subscript_of(access, other) != -1) return std::nullopt;
  const int last = static_cast<int>(isl_map_dim(access.elements.get(), isl_dim_out)) - 1;
  if (*f != last && *g != last) return std::nullopt;
  return MatrixAccess{0, *f == last, *f == last ? *g : *f};
}

// "x += e" or "x -= e", also written "x = x + e", "x = e + x", "x = x - e": where e stands.
struct Summand {
  Span where;
  bool minus = false;
};

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t';
}

// The spans of the written element in the text, the assigned one first.
std::vector<Span> own_spans(const Statement& s) {
  std::vector<Span> result = s.writes.front().where;
  for (const Access& r : s.reads) {
    if (same_element(r, s.writes.front()))
      result.insert(result.end(), r.where.begin(), r.where.end());
  }
  std::sort(result.begin(), result.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  result.erase(std::unique(result.begin(), result.end(),
                           [](const Span& a, const Span& b) { return a.begin == b.begin; }),
               result.end());
  return result;
}

std::optional<Summand> summand_of(const Statement& s) {
  const std::vector<Span> own = own_spans(s);
  std::size_t end = s.source.size();
  while (end > 0 && (is_space(s.source[end - 1]) || s.source[end - 1] == ';')) --end;
  const auto next = [&](std::size_t at) {
    while (at < end && is_space(s.source[at])) ++at;
    return at;
  };
  if (own.empty() || own.size() > 2 || own.front().begin != next(0)) return std::nullopt;
  const std::size_t assigned = next(own.front().end);
  const std::string sign = s.source.substr(assigned, 2);
  if (own.size() == 1 && (sign == "+=" || sign == "-="))
    return Summand{{next(assigned + 2), end}, sign == "-="};
  if (own.size() != 2 || s.source.compare(assigned, 1, "=") != 0) return std::nullopt;
  const std::size_t first = next(assigned + 1);
  if (own[1].begin == first) {
    const std::size_t at = next(own[1].end);
    if (at >= end || (s.source[at] != '+' && s.source[at] != '-')) return std::nullopt;
    return Summand{{next(at + 1), end}, s.source[at] == '-'};
  }
  std::size_t before = own[1].begin;
  while (before > first && is_space(s.source[before - 1])) --before;
  if (own[1].end != end || before <= first || s.source[before - 1] != '+') return std::nullopt;
  return Summand{{first, before - 1}, false};
}

// The factors of a product, without signs and the parentheses around them, and whether the product
// is the negative of theirs; nothing where it is no plain product.
struct Factors {
  std::vector<Span> all;
  bool minus = false;
};

std::optional<Factors> factors_of(const Statement& s, const Span& product) {
  std::vector<Span> accesses;
  for (const Access& r : s.reads) accesses.insert(accesses.end(), r.where.begin(), r.where.end());
  Factors result;
  bool begins = true;  // a factor may
  for (std::size_t at = product.begin; at < product.end;) {
    const char c = s.source[at];
    const auto access = std::find_if(accesses.begin(), accesses.end(),
                                     [at](const Span& span) { return span.begin == at; });
    if (access != accesses.end() && begins) {
      result.all.push_back(*access);
      at = access->end;
      begins = false;
    } else if (is_space(c) || c == '(' || c == ')') {
      ++at;
    } else if (c == '-' && begins) {
      result.minus = !result.minus;
      ++at;
    } else if (c == '*' && !begins) {
      begins = true;
      ++at;
    } else if ((std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.') && begins) {
      std::size_t end = at;
      while (end < product.end && (std::isalnum(static_cast<unsigned char>(s.source[end])) ||
                                   s.source[end] == '_' || s.source[end] == '.'))
        ++end;
      result.all.push_back({at, end});
      at = end;
      begins = false;
    } else {
      return std::nullopt;
    }
  }
  if (begins) return std::nullopt;
  return result;
}

// The read that stands there; nothing: a number or a name that is no element.
std::optional<std::size_t> read_at(const Statement& s, const Span& span) {
  for (std::size_t r = 0; r < s.reads.size(); ++r) {
    for (const Span& w : s.reads[r].where)
      if (w.begin == span.begin) return r;
  }
  return std::nullopt;
}

std::string word_at(const std::string& text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
    ++end;
  return text.substr(begin, end - begin);
}

// Whether the text is a number, a variable of floating point, or the read by its array's name. A
// macro's name does not say what it stands for: K * A * B with K as 1 + 1 is a sum, and K * K with
// an int K may overflow.
bool stands_there(const Program& program, const Statement& s, const Span& span,
                  const std::optional<std::size_t>& read) {
  const std::string word = word_at(s.source, span.begin);
  if (read) return word == s.reads[*read].array;
  if (word.empty() || std::isdigit(static_cast<unsigned char>(word.front()))) return true;
  const auto& all = program.region.variables;
  return std::any_of(all.begin(), all.end(), [&](const program::Variable& v) {
    return v.name == word && !v.array && (v.type == "double" || v.type == "float");
  });
}

// Whether no loop of the matrices steps through the read.
bool is_constant(const Access& read, const Product& p) {
  const bool scalar = isl_map_dim(read.elements.get(), isl_dim_out) == 0;
  const auto apart = [&](int iterator) { return subscript_of(read, iterator) == -1; };
  return scalar || (apart(p.rows) && apart(p.columns) && apart(p.sum));
}

// The factors as two matrices and a scale.
bool assign_factors(const Program& program, const std::vector<Span>& factors, Product& p) {
  const Statement& s = program.statements[p.statement];
  bool left = false, right = false;
  for (const Span& f : factors) {
    const std::optional<std::size_t> read = read_at(s, f);
    if (!stands_there(program, s, f, read)) return false;
    if (!read || is_constant(s.reads[*read], p)) {
      p.scale.push_back(f);
      continue;
    }
    const Access& a = s.reads[*read];
    const auto as_left = matrix(program, s, a, p.rows, p.sum, p.columns);
    const auto as_right = matrix(program, s, a, p.sum, p.columns, p.rows);
    if (as_left && !left) {
      left = true;
      p.left = *as_left;
      p.left.read = *read;
    } else if (as_right && !right) {
      right = true;
      p.right = *as_right;
      p.right.read = *read;
    } else {
      return false;
    }
  }
  return left && right;
}

}  // namespace

std::optional<isl::map> formulas(const Access& access) {
  const std::vector<isl::aff> all = program::single_formulas(access.elements);
  if (all.empty()) return std::nullopt;
  isl_map* result = nullptr;
  for (const isl::aff& f : all) {
    isl_map* one = isl_map_from_aff(f.copy());
    result = result == nullptr ? one : isl_map_flat_range_product(result, one);
  }
  return isl::manage(isl_map_set_tuple_name(result, isl_dim_out, access.array.c_str()));
}

std::optional<Product> product_of(const Program& program, std::size_t statement) {
  const std::optional<Contraction> c = contraction_of(program, statement);
  if (!c) return std::nullopt;
  const Statement& s = program.statements[statement];
  const std::optional<Summand> summand = summand_of(s);
  if (!summand) return std::nullopt;
  const std::optional<Factors> factors = factors_of(s, summand->where);
  if (!factors) return std::nullopt;
  for (const int sum : c->sums) {
    Product p;
    p.statement = statement;
    p.rows = c->rows;
    p.columns = c->columns;
    p.sum = sum;
    for (int d = 0; d < static_cast<int>(s.iterators.size()); ++d)
      if (d != p.rows && d != p.columns && d != p.sum) p.outer.push_back(d);
    p.element = c->element;
    p.minus = summand->minus != factors->minus;
    const auto written = matrix(program, s, s.writes.front(), p.rows, p.columns, p.sum);
    if (!written || written->transposed) continue;
    p.written = *written;
    if (assign_factors(program, factors->all, p)) return p;
  }
  return std::nullopt;
}

}  // namespace redblue::schedule::codegen
