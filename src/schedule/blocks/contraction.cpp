// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/blocks/contraction.hpp"

#include <isl/aff.h>
#include <isl/val.h>

#include <algorithm>
#include <regex>

namespace redblue::schedule::codegen {

using program::Access;
using program::Program;
using program::Statement;

namespace {

// Operators, numbers and names only: what a vector can do element by element.
bool arithmetic_only(const Statement& s) {
  std::string text = s.source;
  std::vector<program::Span> spans;
  for (const Access& a : s.reads) spans.insert(spans.end(), a.where.begin(), a.where.end());
  for (const Access& a : s.writes) spans.insert(spans.end(), a.where.begin(), a.where.end());
  for (const program::Span& span : spans) {
    std::fill(text.begin() + static_cast<std::ptrdiff_t>(span.begin),
              text.begin() + static_cast<std::ptrdiff_t>(span.end), 'x');
  }
  for (const program::Counter& c : s.counters) {
    if (std::regex_search(text, std::regex("\\b" + c.name + "\\b"))) return false;
  }
  static const std::regex simple(
      "\\s*x+\\s*[-+*/]?=[^=](?:[-+*/"
      "()\\s]|\\b[A-Za-z_]\\w*\\b(?!\\s*\\()|\\b[0-9]+\\.?[0-9]*(?:[eE][-+]?[0-9]+)?f?)*;?\\s*");
  return std::regex_match(text, simple);
}

std::string element_type(const Program& program, const std::string& array) {
  for (const program::Variable& v : program.region.variables) {
    if (v.name == array) return v.type;
  }
  return "";
}

// Whether a number makes the arithmetic that of doubles: 0.5, not 0.5f.
bool has_double_number(const std::string& text) {
  static const std::regex number(
      "\\b[0-9]+(\\.[0-9]*([eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)(?![0-9eEfF])");
  return std::regex_search(text, number);
}

// Every variable and number the statement names has the type of its elements (or is a whole
// number).
bool one_type(const Program& program, const Statement& s, const std::string& type) {
  for (const Access& a : s.reads) {
    if (element_type(program, a.array) != type) return false;
  }
  if (type == "float" && has_double_number(s.source)) return false;
  for (const program::Variable& v : program.region.variables) {
    const bool named = std::regex_search(s.source, std::regex("\\b" + v.name + "\\b"));
    const bool is_array = program.arrays.count(v.name) != 0;
    if (named && !is_array && v.type != type) return false;
  }
  return true;
}

Contraction roles(const Statement& s, std::size_t index) {
  Contraction result;
  result.statement = index;
  const std::vector<isl::aff> written = program::single_formulas(s.writes.front().elements);
  for (int d = 0; d < static_cast<int>(s.iterators.size()); ++d) {
    const bool used = std::any_of(written.begin(), written.end(), [d](const isl::aff& a) {
      return coefficient(a, d).value_or(1) != 0;
    });
    (used ? result.others : result.sums).push_back(d);
  }
  return result;
}

void take(std::vector<int>& from, int iterator) {
  from.erase(std::remove(from.begin(), from.end(), iterator), from.end());
}

std::vector<Contraction::Operand> operands_of(const Statement& s, const Contraction& c) {
  std::vector<Contraction::Operand> result;
  for (std::size_t r = 0; r < s.reads.size(); ++r) {
    if (same_element(s.reads[r], s.writes.front())) continue;
    result.push_back({r, stride_of(s.reads[r], c.rows), stride_of(s.reads[r], c.columns)});
  }
  return result;
}

// Vectors of columns, with rows that use each of them several times.
bool choose_block(const Statement& s, Contraction& c) {
  for (const int columns : c.others) {
    if (stride_of(s.writes.front(), columns) != Stride::one) continue;
    // The loop furthest in: its rows are the nearest to each other in memory.
    for (auto r = c.others.rbegin(); r != c.others.rend(); ++r) {
      const int rows = *r;
      if (rows == columns) continue;
      c.columns = columns;
      c.rows = rows;
      c.operands = operands_of(s, c);
      const bool reused =
          std::all_of(c.operands.begin(), c.operands.end(), [](const Contraction::Operand& o) {
            return o.columns == Stride::none || o.rows == Stride::none;
          });
      if (!reused) continue;
      for (const Contraction::Operand& o : c.operands) {
        if (o.columns == Stride::other) c.transposed.push_back(o.read);
      }
      return c.transposed.empty() || c.sums.size() == 1;
    }
  }
  return false;
}

// The characters of the text that accesses fill.
std::vector<std::pair<program::Span, bool>> accesses_in(const Statement& s, const Contraction& c) {
  std::vector<std::pair<program::Span, bool>> result;  // and whether columns change them
  for (std::size_t r = 0; r < s.reads.size(); ++r) {
    const bool same = std::any_of(
        c.operands.begin(), c.operands.end(),
        [r](const Contraction::Operand& o) { return o.read == r && o.columns == Stride::none; });
    for (const program::Span& span : s.reads[r].where) result.emplace_back(span, !same);
  }
  for (const program::Span& span : s.writes.front().where) result.emplace_back(span, true);
  return result;
}

// Where the sum's text begins; npos where it is not written as x += e or x -= e.
std::size_t summand(const Statement& s) {
  std::size_t at = s.source.find("+=");
  if (at == std::string::npos) at = s.source.find("-=");
  return at == std::string::npos ? at : s.source.find_first_not_of(" \n", at + 2);
}

// C multiplies from the left: in a summand that is one product, the product of the leading factors
// is a value of its own.
std::optional<program::Span> leading_factors(const Statement& s, const Contraction& c) {
  const std::size_t begin = summand(s);
  if (begin == std::string::npos || c.element != "double") return std::nullopt;
  const auto accesses = accesses_in(s, c);
  std::optional<program::Span> leading;
  int factors = 0;
  bool reads = false, same = true;
  for (std::size_t at = begin; at < s.source.size(); ++at) {
    const auto access = std::find_if(accesses.begin(), accesses.end(), [at](const auto& a) {
      return a.first.begin <= at && at < a.first.end;
    });
    if (access != accesses.end()) {
      same = same && !access->second;
      reads = reads || same;
      at = access->first.end - 1;
    } else if (s.source[at] == '*' && same) {
      ++factors;
      leading = program::Span{begin, s.source.find_last_not_of(" \n", at - 1) + 1};
    } else if (std::string("+-/()?:").find(s.source[at]) != std::string::npos) {
      return std::nullopt;
    }
  }
  return factors >= 2 && reads ? leading : std::nullopt;
}

}  // namespace

std::optional<long> coefficient(const isl::aff& value, int iterator) {
  if (isl_aff_dim(value.get(), isl_dim_div) != 0) return std::nullopt;
  isl_val* c = isl_aff_get_coefficient_val(value.get(), isl_dim_in, iterator);
  const bool whole = isl_val_is_int(c) == isl_bool_true;
  const long number = isl_val_get_num_si(c);
  isl_val_free(c);
  if (!whole) return std::nullopt;
  return number;
}

bool same_element(const Access& a, const Access& b) {
  return a.array == b.array && a.elements.is_equal(b.elements);
}

Stride stride_of(const Access& access, int iterator) {
  const std::vector<isl::aff> formulas = program::single_formulas(access.elements);
  if (formulas.empty() && isl_map_dim(access.elements.get(), isl_dim_out) != 0)
    return Stride::other;
  Stride result = Stride::none;
  for (std::size_t f = 0; f < formulas.size(); ++f) {
    const std::optional<long> c = coefficient(formulas[f], iterator);
    if (!c) return Stride::other;
    if (*c == 0) continue;
    const bool next = f + 1 == formulas.size() && *c == 1 && result == Stride::none;
    result = next ? Stride::one : Stride::other;
    if (!next) return result;
  }
  return result;
}

std::optional<Contraction> contraction_of(const Program& program, std::size_t statement) {
  const Statement& s = program.statements[statement];
  if (s.source.empty() || s.writes.size() != 1) return std::nullopt;
  const Access& write = s.writes.front();
  const bool sums_up = std::any_of(s.reads.begin(), s.reads.end(),
                                   [&](const Access& r) { return same_element(r, write); });
  const bool simple =
      std::none_of(s.reads.begin(), s.reads.end(), [](const Access& r) { return r.conditional; });
  if (!sums_up || !simple || !arithmetic_only(s)) return std::nullopt;
  Contraction c = roles(s, statement);
  if (c.sums.empty()) return std::nullopt;
  c.element = element_type(program, write.array);
  if ((c.element != "double" && c.element != "float") || !one_type(program, s, c.element))
    return std::nullopt;
  if (!choose_block(s, c)) return std::nullopt;
  take(c.others, c.rows);
  take(c.others, c.columns);
  c.factors = leading_factors(s, c);
  return c;
}

}  // namespace redblue::schedule::codegen
