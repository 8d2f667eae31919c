// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/einsum/einsum.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "frontend/c/ast/keywords.hpp"
#include "frontend/c/frontend.hpp"
#include "frontend/einsum/operations.hpp"
#include "redblue/einsum.hpp"

namespace redblue::frontend::einsum {

namespace {

using Kind = Operation::Kind;

// Names the C text cannot give to an array.
bool is_taken(const std::string& name) {
  static const std::set<std::string> called = {"einsum", "main", "exp",   "erf",  "sqrt",
                                               "tanh",   "fmax", "total", "mean", "spread"};
  return c::is_keyword(name) || called.count(name) != 0;
}

// The operations as C.
class Writer {
 public:
  Writer(const std::string& text, const std::vector<Operation>& all) : all_(all) {
    std::set<char> letters;
    for (const Operation& o : all) {
      for (const Operand& x : o.operands) {
        name(text, x.name, subscripts(x.places, [](char c) { return std::string("N") + c; }));
        for (const char c : x.letters()) letters.insert(c);
      }
      name(text, o.result, result_shape(o));
    }
    for (const char c : letters) {
      const std::string size = std::string("N") + c;
      if (extents_.count(size) != 0) refuse(text, "'" + size + "' is the size of index " + c);
      std::string variable(1, c);
      while (extents_.count(variable) != 0) variable += '_';
      variables_[c] = variable;
    }
  }

  std::string text() {
    for (const Operation& o : all_) write(o);
    std::string parameters;
    for (const auto& [letter, variable] : variables_)
      parameters += (parameters.empty() ? "int N" : ", int N") + std::string(1, letter);
    for (const auto& [array, shape] : extents_) {
      if (!is_inner(array)) parameters += ", double " + array + shape;
    }
    return "#include <math.h>\n\nvoid einsum(" + parameters + ") {\n#pragma scop\n" + body_.str() +
           "#pragma endscop\n}\n";
  }

 private:
  // Shapes by the first use; a result's letters are its shape.
  void name(const std::string& text, const std::string& array, const std::string& shape) {
    if (is_taken(array)) refuse(text, "'" + array + "' is a word of C");
    extents_.emplace(array, shape);
  }

  // "[2 * h + r]" for each place, with names for the letters.
  template <typename Name>
  static std::string subscripts(const std::vector<Place>& places, const Name& name_of) {
    std::string result;
    for (const Place& place : places) {
      std::string sum;
      for (const auto& [factor, letter] : place) {
        sum += sum.empty() ? "" : " + ";
        if (factor != 1) sum += std::to_string(factor) + " * ";
        sum += name_of(letter);
      }
      result += "[" + sum + "]";
    }
    return result;
  }

  static std::string result_shape(const Operation& o) {
    std::string shape;
    for (const char c : o.letters) shape += std::string("[N") + c + "]";
    return shape.empty() ? "[1]" : shape;
  }

  // A result some operation reads: no output.
  bool is_inner(const std::string& array) const {
    const bool is_result = std::any_of(all_.begin(), all_.end(),
                                       [&](const Operation& o) { return o.result == array; });
    return is_result && std::any_of(all_.begin(), all_.end(), [&](const Operation& o) {
             return std::any_of(o.operands.begin(), o.operands.end(),
                                [&](const Operand& x) { return x.name == array; });
           });
  }

  std::string element(const Operand& o) const {
    return o.places.empty()
               ? o.name + "[0]"
               : o.name + subscripts(o.places, [this](char c) { return variables_.at(c); });
  }

  std::string result_element(const Operation& o) const {
    std::string result = o.result;
    for (const char c : o.letters) result += "[" + variables_.at(c) + "]";
    return o.letters.empty() ? result + "[0]" : result;
  }

  // for loops over the letters, one deeper than the last.
  std::string loops(const std::string& letters, int depth = 1) const {
    std::string result;
    for (const char c : letters) {
      const std::string& v = variables_.at(c);
      result += std::string(static_cast<std::size_t>(2 * depth++), ' ') + "for (int " + v +
                " = 0; " + v + " < N" + c + "; " + v + "++)\n";
    }
    return result + std::string(static_cast<std::size_t>(2 * depth), ' ');
  }

  void nest(const std::string& letters, const std::string& statement) {
    body_ << loops(letters) << statement << "\n";
  }

  void write(const Operation& o) {
    if (is_inner(o.result)) body_ << "  double " << o.result << result_shape(o) << ";\n";
    const std::string result = result_element(o);
    const std::string x = element(o.operands.front());
    switch (o.kind) {
      case Kind::product:
        return product(o, result);
      case Kind::sum:
        return nest(o.letters, result + " = " + joined(o, " + ") + ";");
      case Kind::map:
        return nest(o.letters, result + " = " + applied(o.function, x) + ";");
      case Kind::softmax:
        return along(o, {"double total = 0;"},
                     {result + " = exp(" + x + ");", "total += " + result + ";",
                      result + " = " + result + " / total;"});
      case Kind::layernorm: {
        const std::string n = std::string("N") + o.axis;
        const std::string centred = "(" + x + " - mean / " + n + ")";
        return along(o, {"double mean = 0;", "double spread = 0;"},
                     {"mean += " + x + ";", "spread += " + centred + " * " + centred + ";",
                      result + " = " + centred + " / sqrt(spread / " + n + " + 1e-5);"});
      }
    }
  }

  void product(const Operation& o, const std::string& result) {
    const std::string inner = o.summed();
    if (inner.empty()) return nest(o.letters, result + " = " + joined(o, " * ") + ";");
    nest(o.letters, result + " = 0;");
    nest(o.letters + inner, result + " += " + joined(o, " * ") + ";");
  }

  std::string joined(const Operation& o, const std::string& sign) const {
    std::string text;
    for (const Operand& x : o.operands) text += (text.empty() ? "" : sign) + element(x);
    return text;
  }

  static std::string applied(const std::string& function, const std::string& x) {
    if (function == "relu") return "fmax(" + x + ", 0)";
    if (function == "sigmoid") return "1 / (1 + exp(-" + x + "))";
    if (function == "gelu") return "0.5 * " + x + " * (1 + erf(" + x + " / sqrt(2)))";
    return function + "(" + x + ")";
  }

  // One loop along the axis after the other, for all other letters.
  void along(const Operation& o, const std::vector<std::string>& start,
             const std::vector<std::string>& passes) {
    std::string others = o.letters;
    std::erase(others, o.axis);
    const int depth = static_cast<int>(others.size()) + 1;
    const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
    body_ << loops(others) << "{\n";
    for (const std::string& line : start) body_ << indent << "  " << line << "\n";
    for (const std::string& pass : passes)
      body_ << loops(std::string(1, o.axis), depth + 1) << pass << "\n";
    body_ << indent << "}\n";
  }

  const std::vector<Operation>& all_;
  std::map<std::string, std::string> extents_;  // array -> "[Ni][Nj]"
  std::map<char, std::string> variables_;
  std::ostringstream body_;
};

bool is_plain(const Operand& o) {
  return std::all_of(o.places.begin(), o.places.end(), [](const Place& place) {
    return place.size() == 1 && place.front().first == 1;
  });
}

bool is_operand(const Operation& o, const std::string& name) {
  return std::any_of(o.operands.begin(), o.operands.end(),
                     [&name](const Operand& x) { return x.name == name; });
}

// The letters of both, each once, in order of appearance.
std::string united(const std::string& a, const std::string& b) {
  std::string all;
  for (const char c : a + b) {
    if (all.find(c) == std::string::npos) all += c;
  }
  return all;
}

std::string listed(const std::vector<Operand>& operands) {
  std::string text;
  for (const Operand& o : operands) text += (text.empty() ? "" : ", ") + o.name + ":" + o.letters();
  return text;
}

// A product of three operands or more as two of fewer loops each, where there are such; else empty.
std::string as_chain(const Operation& o) {
  if (o.kind != Kind::product || o.operands.size() < 3 ||
      !std::all_of(o.operands.begin(), o.operands.end(), is_plain))
    return "";
  const std::size_t loops = united(o.letters, o.summed()).size();
  for (std::size_t a = 0; a < o.operands.size(); ++a) {
    for (std::size_t b = a + 1; b < o.operands.size(); ++b) {
      std::vector<Operand> others = o.operands;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(b));
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(a));
      std::string needed = o.letters;
      for (const Operand& other : others) needed = united(needed, other.letters());
      const std::string pair = united(o.operands[a].letters(), o.operands[b].letters());
      std::string kept = pair;
      std::erase_if(kept, [&](char c) { return needed.find(c) == std::string::npos; });
      if (pair.size() >= loops || united(needed, kept).size() >= loops) continue;
      std::string product = "P";
      while (product == o.result || is_operand(o, product)) product += "_";
      const std::string first = listed({o.operands[a], o.operands[b]});
      return product + " = " + first + " -> " + kept + "; " + o.result + " = " + product + ":" +
             kept + ", " + listed(others) + " -> " + o.letters;
    }
  }
  return "";
}

}  // namespace

program::Program parse(const std::string& text) {
  const std::vector<Operation> all = operations(text);
  return c::parse_text("einsum", Writer(text, all).text(), "einsum");
}

}  // namespace redblue::frontend::einsum

namespace redblue {

std::vector<std::string> einsum_hints(const std::string& einsum) {
  std::vector<std::string> hints;
  for (const auto& operation : frontend::einsum::operations(einsum)) {
    const std::string chain = frontend::einsum::as_chain(operation);
    if (chain.empty()) continue;
    hints.push_back("all operands of " + operation.result +
                    " are multiplied in one loop nest; two products of fewer loops: '" + chain +
                    "'");
  }
  return hints;
}

}  // namespace redblue
