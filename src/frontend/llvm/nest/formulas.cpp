// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/nest/formulas.hpp"

#include <cctype>
#include <cmath>
#include <vector>

#include "frontend/c/ast/keywords.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

using counting::Expr;
using counting::Symbol;

// Whether the text's C needs the name for something else: words of C, its own functions, and those
// of <math.h> that a call of the program may become.
bool is_taken(const std::string& name) {
  static const std::set<std::string> functions = {
      "min",   "max",   "floord", "sqrt", "cbrt", "exp", "exp2",     "expm1",  "log",    "log2",
      "log10", "log1p", "pow",    "fabs", "fma",  "sin", "cos",      "tan",    "asin",   "acos",
      "atan",  "atan2", "sinh",   "cosh", "tanh", "erf", "erfc",     "floor",  "ceil",   "round",
      "trunc", "hypot", "fmod",   "fmin", "fmax", "abs", "copysign", "tgamma", "lgamma", "main",
      "y0",    "y1",    "yn",     "j0",   "j1",   "jn",  "gamma",    "signgam"};
  return c::is_keyword(name) || functions.count(name) != 0;
}

std::string plain(const std::string& name) {
  std::string result;
  for (const char c : name) result += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result.front())) != 0)
    result.insert(0, "v");
  return result;
}

GiNaC::numeric common_denominator(const Expr& e) {
  return GiNaC::ex_to<GiNaC::numeric>(e.expand().integer_content().denom());
}

// Extents of arrays are max(n, 0), as the language has it: where an element is accessed, n is more.
Expr lengths_as_symbols(const Expr& e, std::map<std::string, Expr>& lengths) {
  if (symbolic::is_maximum(e)) {
    const Expr a = e.op(0), b = e.op(1);
    if (a.is_zero() || b.is_zero()) {
      const Expr length = (a.is_zero() ? b : a).expand();
      for (const auto& [name, known] : lengths) {
        if (known.is_equal(length)) return symbolic::symbol(name);
      }
      const std::string name = "length#" + std::to_string(lengths.size());
      lengths[name] = length;
      return symbolic::symbol(name);
    }
  }
  if (e.nops() == 0 || GiNaC::is_a<Symbol>(e)) return e;
  GiNaC::exvector parts;
  const bool takes_parts =
      GiNaC::is_a<GiNaC::add>(e) || GiNaC::is_a<GiNaC::mul>(e) || GiNaC::is_a<GiNaC::power>(e);
  if (!takes_parts) return e;
  for (std::size_t i = 0; i < e.nops(); ++i) parts.push_back(lengths_as_symbols(e.op(i), lengths));
  if (GiNaC::is_a<GiNaC::power>(e)) return GiNaC::pow(parts[0], parts[1]);
  Expr result = GiNaC::is_a<GiNaC::add>(e) ? 0 : 1;
  for (const Expr& part : parts)
    result = GiNaC::is_a<GiNaC::add>(e) ? result + part : result * part;
  return result;
}

// The summands of an expanded sum.
std::vector<Expr> summands(const Expr& e) {
  if (!GiNaC::is_a<GiNaC::add>(e)) return {e};
  return {e.begin(), e.end()};
}

// A summand as a product of powers of lengths, and the rest.
std::pair<Expr, Expr> split(const Expr& summand, const std::map<std::string, Expr>& lengths) {
  const auto is_length = [&](const Expr& factor) {
    const Expr base = GiNaC::is_a<GiNaC::power>(factor) ? factor.op(0) : factor;
    return GiNaC::is_a<Symbol>(base) && lengths.count(GiNaC::ex_to<Symbol>(base).get_name()) != 0;
  };
  if (!GiNaC::is_a<GiNaC::mul>(summand))
    return is_length(summand) ? std::pair(summand, Expr(1)) : std::pair(Expr(1), summand);
  Expr of_lengths = 1, rest = 1;
  for (const Expr& factor : summand) (is_length(factor) ? of_lengths : rest) *= factor;
  return {of_lengths, rest};
}

long nearest(double x) {
  return std::lround(x);
}

// Adds a summand, "(i - 1)" and "-1" without what they need not have.
void append(std::string& sum, std::string term) {
  const bool in_brackets = term.front() == '(' && term.find('(', 1) == std::string::npos &&
                           term.find(')') == term.size() - 1;
  if (in_brackets) term = term.substr(1, term.size() - 2);
  const bool negative = term.front() == '-';
  sum += sum.empty() ? term : negative ? " - " + term.substr(1) : " + " + term;
}

}  // namespace

Formulas::Formulas(const std::vector<NamedMemory>& memories) : memories_(memories) {}

void Formulas::resolve(const Symbol& symbol, const Expr& value) {
  values_[symbol] = value;
}

Expr Formulas::resolved(const Expr& formula) const {
  return formula.subs(values_);
}

std::string Formulas::unique(const std::string& wanted) {
  std::string name = plain(wanted);
  while (taken_.count(name) != 0 || is_taken(name)) name += "_";
  taken_.insert(name);
  return name;
}

const std::string& Formulas::memory_name(std::size_t memory) {
  const auto [known, is_new] = memory_names_.try_emplace(memory);
  if (is_new) known->second = unique(memories_[memory].name);
  return known->second;
}

std::string Formulas::name_of(const Symbol& symbol) {
  const std::string name = symbol.get_name();
  if (counters_.count(name) != 0) return name;
  if (name.find('#') != std::string::npos) {
    const std::string known = name.substr(0, name.find('#'));
    throw NotWritten{
        "'" + (known.empty() ? "a number" : known) +
            "' steers loops or subscripts and depends on data or on the way there",
        "redblue reads loops and subscripts that are sums of loop variables and sizes"};
  }
  if (name.starts_with("&") || name.starts_with("address_of_"))
    throw NotWritten{"an address is used as a number", "name arrays and their elements"};
  const auto [known, is_new] = names_.try_emplace(name);
  if (is_new) {
    std::string wanted = name;
    for (std::size_t m = 0; m < memories_.size(); ++m) {
      for (const auto& [d, extent] : memories_[m].described.extents) {
        if (extent.get_name() == name) wanted = memory_name(m) + "_size" + std::to_string(d + 1);
      }
    }
    known->second = unique(wanted);
    parameters_.insert(known->second);
  }
  return known->second;
}

std::string Formulas::product(const Expr& formula) {
  std::string result;
  GiNaC::numeric factor = 1;
  const std::vector<Expr> factors = GiNaC::is_a<GiNaC::mul>(formula)
                                        ? std::vector<Expr>(formula.begin(), formula.end())
                                        : std::vector<Expr>{formula};
  for (const Expr& one : factors) {
    if (GiNaC::is_a<GiNaC::numeric>(one)) {
      factor *= GiNaC::ex_to<GiNaC::numeric>(one);
    } else {
      result += (result.empty() ? "" : " * ") + text(one);
    }
  }
  if (result.empty()) return text(factor);
  if (factor == 1) return result;
  if (factor == -1) return "-" + result;
  return text(factor) + " * " + result;
}

std::string Formulas::text(const Expr& formula) {
  if (GiNaC::is_a<GiNaC::numeric>(formula)) {
    const auto& number = GiNaC::ex_to<GiNaC::numeric>(formula);
    if (!number.is_integer() || abs(number) > GiNaC::numeric("9000000000000000000"))
      throw NotWritten{"a number that is no integer of 64 bits steers loops or subscripts", ""};
    std::ostringstream out;
    out << number;
    return number.is_negative() ? "(" + out.str() + ")" : out.str();
  }
  if (GiNaC::is_a<Symbol>(formula)) return name_of(GiNaC::ex_to<Symbol>(formula));
  if (GiNaC::is_a<GiNaC::add>(formula)) {
    std::string sum;
    for (const Expr& one : formula) {
      if (!GiNaC::is_a<GiNaC::numeric>(one)) append(sum, product(one));
    }
    for (const Expr& one : formula) {
      if (GiNaC::is_a<GiNaC::numeric>(one)) append(sum, product(one));
    }
    return "(" + sum + ")";
  }
  if (GiNaC::is_a<GiNaC::mul>(formula)) return "(" + product(formula) + ")";
  if (GiNaC::is_a<GiNaC::power>(formula) && GiNaC::is_a<GiNaC::numeric>(formula.op(1)) &&
      formula.op(1).info(GiNaC::info_flags::posint) && formula.op(1) < 8) {
    std::string result = text(formula.op(0));
    const std::string base = result;
    for (int i = 1; i < GiNaC::ex_to<GiNaC::numeric>(formula.op(1)).to_int(); ++i)
      result += " * " + base;
    return "(" + result + ")";
  }
  if (symbolic::is_minimum(formula) || symbolic::is_maximum(formula)) {
    return std::string(symbolic::is_minimum(formula) ? "min(" : "max(") + text(formula.op(0)) +
           ", " + text(formula.op(1)) + ")";
  }
  if (symbolic::is_floor(formula)) {
    const GiNaC::numeric denominator = common_denominator(formula.op(0));
    return "floord(" + text((formula.op(0) * denominator).expand()) + ", " + text(denominator) +
           ")";
  }
  if (symbolic::is_ceil(formula)) {
    const GiNaC::numeric d = common_denominator(formula.op(0));
    return "floord(" + text((formula.op(0) * d + d - 1).expand()) + ", " + text(d) + ")";
  }
  throw NotWritten{"'" + symbolic::to_string(formula) + "' steers loops or subscripts",
                   "redblue reads sums of loop variables and sizes, min, max, and divisions by "
                   "constants"};
}

void Formulas::note(const Piece& piece) {
  const NamedMemory& memory = memories_[piece.memory];
  std::map<std::string, Expr> lengths;
  const Expr offset =
      lengths_as_symbols((resolved(piece.formula) - memory.base), lengths).expand() / piece.bytes;
  for (const Expr& one : summands(offset.expand())) {
    const auto [of_lengths, rest] = split(one, lengths);
    const Expr number = rest.integer_content();
    if (!of_lengths.is_equal(1) || GiNaC::is_a<GiNaC::numeric>(rest)) continue;
    const auto& n = GiNaC::ex_to<GiNaC::numeric>(number);
    if (n.is_integer() && n > 1 && n < 1000000000) strides_[piece.memory].insert(n.to_long());
  }
}

// A sum without lengths: its number is shared among the strides that are numbers.
void Formulas::append_numbers(std::string& sum, const Expr& rest, const std::set<long>& strides) {
  Expr constant = 0;
  for (const Expr& one : summands(rest)) {
    if (GiNaC::is_a<GiNaC::numeric>(one)) {
      constant += one;
    } else {
      append(sum, text(one));
    }
  }
  if (constant.is_zero()) return;
  text(constant);  // throws where it is no integer of 64 bits
  long left = GiNaC::ex_to<GiNaC::numeric>(constant).to_long();
  for (auto stride = strides.rbegin(); stride != strides.rend(); ++stride) {
    const long rows = nearest(static_cast<double>(left) / static_cast<double>(*stride));
    if (rows == 0) continue;
    append(sum, text(Expr(rows * *stride)));
    left -= rows * *stride;
  }
  if (left != 0) append(sum, text(Expr(left)));
}

// A sum of products, the strides that are lengths as factors, numbers shared among strides that are
// numbers.
std::string Formulas::subscript(const Expr& offset, std::int64_t bytes,
                                const std::set<long>& strides) {
  std::map<std::string, Expr> lengths;
  const Expr elements = (lengths_as_symbols(offset, lengths).expand() / bytes).expand();
  GiNaC::exmap by_lengths;
  for (const Expr& one : summands(elements)) {
    const auto [of_lengths, rest] = split(one, lengths);
    by_lengths[of_lengths] += rest;
  }
  std::string sum, products;
  GiNaC::exmap written;
  for (const auto& [name, length] : lengths) written[symbolic::symbol(name)] = length;
  for (const auto& [of_lengths, rest] : by_lengths) {
    if (rest.is_zero()) continue;
    if (!of_lengths.is_equal(1)) {
      std::string term = text(rest.expand());
      const std::vector<Expr> factors =
          GiNaC::is_a<GiNaC::mul>(of_lengths)
              ? std::vector<Expr>(of_lengths.begin(), of_lengths.end())
              : std::vector<Expr>{of_lengths};
      for (const Expr& factor : factors) {
        const bool is_power = GiNaC::is_a<GiNaC::power>(factor);
        const int times = is_power ? GiNaC::ex_to<GiNaC::numeric>(factor.op(1)).to_int() : 1;
        const Expr base = is_power ? factor.op(0) : factor;
        for (int t = 0; t < times; ++t) term += " * " + text(written[base]);
      }
      append(products, term);
      continue;
    }
    append_numbers(sum, rest.expand(), strides);
  }
  if (!products.empty()) append(sum, products);
  return sum.empty() ? "0" : sum;
}

std::string Formulas::element(const Piece& piece) {
  const NamedMemory& memory = memories_[piece.memory];
  const std::string& name = memory_name(piece.memory);
  if (memory.is_variable) return memory.is_written && !memory.is_local ? name + "[0]" : name;
  Expr offset = (resolved(piece.formula) - memory.base).expand();
  const auto& strides = memory.described.strides;
  if (strides.empty())
    return name + "[" + subscript(offset, piece.bytes, strides_[piece.memory]) + "]";
  std::string subscripts;
  Expr first = 0;
  for (int d = 0; d <= strides.rbegin()->first; ++d) {
    Expr along = 0;
    if (strides.count(d) != 0) {
      along = offset.coeff(strides.at(d), 1);
      offset = (offset - along * strides.at(d)).expand();
    }
    if (d == 0) {
      first = along;
    } else {
      subscripts.insert(0, "[" + unbracketed(along.expand()) + "]");
    }
  }
  first = (first + offset / piece.bytes).expand();
  return name + subscripts + "[" + unbracketed(first) + "]";
}

std::string Formulas::unbracketed(const Expr& formula) {
  std::string result;
  append(result, text(formula));
  return result;
}

std::string Formulas::extent(std::size_t memory, int dimension) {
  const auto& extents = memories_[memory].described.extents;
  return extents.count(dimension) != 0 ? text(resolved(extents.at(dimension))) : "1";
}

}  // namespace redblue::frontend::llvm_ir
