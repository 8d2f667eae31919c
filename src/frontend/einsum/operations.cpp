// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/einsum/operations.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "redblue/error.hpp"

namespace redblue::frontend::einsum {

void refuse(const std::string& text, const std::string& why) {
  throw Error("einsum '" + text + "'", why,
              "write 'ij,jk->ik' or 'T = A:ij, B:jk -> ik; T:ik, C:kl -> il'");
}

std::string Operand::letters() const {
  std::string all;
  for (const Place& place : places) {
    for (const auto& [factor, letter] : place) all += letter;
  }
  return all;
}

std::string Operation::summed() const {
  std::string inner;
  for (const Operand& o : operands) {
    for (const char c : o.letters()) {
      if ((letters + inner).find(c) == std::string::npos) inner += c;
    }
  }
  return inner;
}

namespace {

using Kind = Operation::Kind;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_name(const std::string& text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

std::string without_spaces(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
  return text;
}

// Parts between separators outside of parentheses.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  int open = 0;
  for (const char c : text) {
    open += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == separator && open == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  std::vector<Operation> read() {
    const std::string dense = without_spaces(text_);
    if (dense.empty()) refuse(text_, "nothing to sum");
    for (const std::string& part : split(dense, ';')) {
      if (part.empty()) refuse(text_, "an empty summation");
      item(part);
    }
    return all_;
  }

 private:
  void item(std::string part) {
    std::string result;
    if (const auto equals = part.find('='); equals != std::string::npos) {
      result = part.substr(0, equals);
      if (!is_name(result)) refuse(text_, "'" + result + "' is no name");
      part = part.substr(equals + 1);
    } else {
      result = "T" + std::to_string(++results_);
    }
    const auto open = part.find('(');
    const std::string function = part.substr(0, open);
    if (open != std::string::npos && part.back() == ')' && is_function(function)) {
      call(result, function, split(part.substr(open + 1, part.size() - open - 2), ','));
    } else {
      summation(result, part);
    }
  }

  void summation(const std::string& result, const std::string& part) {
    Operation o{Kind::product, result, {}, {}};
    const auto arrow = part.find("->");
    if (arrow == 0) refuse(text_, "no operand");
    for (const std::string& text : split(part.substr(0, arrow), ','))
      o.operands.push_back(operand(text));
    o.letters =
        arrow == std::string::npos ? letters_that_stand_once(o) : letters(part.substr(arrow + 2));
    add(o);
  }

  Operand operand(const std::string& text) {
    if (text.empty()) refuse(text_, "an operand without letters between two commas");
    const auto colon = text.find(':');
    if (colon == std::string::npos) return {std::string(1, next_name()), places(text)};
    if (!is_name(text.substr(0, colon)))
      refuse(text_, "'" + text.substr(0, colon) + "' is no name");
    return {text.substr(0, colon), places(text.substr(colon + 1))};
  }

  char next_name() {
    if (operands_ >= 26) refuse(text_, "more than 26 operands without a name");
    return static_cast<char>('A' + operands_++);
  }

  // "nc(2h+r)": single letters, and sums in parentheses.
  std::vector<Place> places(const std::string& text) const {
    std::vector<Place> result;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] != '(') {
        result.push_back({{1, letter(text[at])}});
        continue;
      }
      const auto close = text.find(')', at);
      if (close == std::string::npos) refuse(text_, "'" + text + "' lacks a ')'");
      result.emplace_back();
      for (const std::string& term : split(text.substr(at + 1, close - at - 1), '+'))
        result.back().push_back(multiple(term));
      at = close;
    }
    constexpr std::size_t most = 32;  // index sets of more are beyond isl
    if (result.size() > most) {
      refuse(text_, "an operand with " + std::to_string(result.size()) + " indices, at most " +
                        std::to_string(most) + " are read");
    }
    return result;
  }

  std::pair<long, char> multiple(const std::string& term) const {
    const std::size_t digits = term.find_first_not_of("0123456789");
    if (digits == std::string::npos || digits + 1 != term.size() || digits > 4)
      refuse(text_, "'" + term + "' is no letter with or without a factor below 10000");
    const long factor = digits == 0 ? 1 : std::stol(term.substr(0, digits));
    if (factor == 0) refuse(text_, "'" + term + "' is always 0");
    return {factor, letter(term[digits])};
  }

  char letter(char c) const {
    if (!is_letter(c)) refuse(text_, std::string("'") + c + "' is no index letter");
    return c;
  }

  std::string letters(const std::string& text) const {
    for (const char c : text) letter(c);
    return text;
  }

  static std::string letters_that_stand_once(const Operation& operation) {
    std::map<char, int> count;
    for (const Operand& o : operation.operands) {
      for (const char c : o.letters()) ++count[c];
    }
    std::string once;
    for (const auto& [c, n] : count) once += n == 1 ? std::string(1, c) : "";
    return once;
  }

  // --- layers

  static bool is_function(const std::string& name) {
    static const std::set<std::string> all = {"softmax", "layernorm", "relu", "exp",
                                              "tanh",    "sigmoid",   "gelu", "add",
                                              "conv",    "attention", "mlp"};
    return all.count(name) != 0;
  }

  void call(const std::string& result, const std::string& function,
            const std::vector<std::string>& arguments) {
    if (function == "softmax" || function == "layernorm") {
      need(function, arguments, 2, "an operand and a letter");
      along(result, function, plain(operand(arguments[0])), arguments[1]);
    } else if (function == "add") {
      element_wise_sum(result, arguments);
    } else if (function == "conv") {
      convolution(result, arguments);
    } else if (function == "attention") {
      need(function, arguments, 3, "queries, keys and values");
      attention(result, plain(operand(arguments[0])), plain(operand(arguments[1])),
                plain(operand(arguments[2])));
    } else if (function == "mlp") {
      need(function, arguments, 3, "an operand and two matrices");
      perceptron(result, plain(operand(arguments[0])), plain(operand(arguments[1])),
                 plain(operand(arguments[2])));
    } else {
      need(function, arguments, 1, "one operand");
      const Operand x = plain(operand(arguments[0]));
      add({Kind::map, result, x.letters(), {x}, function});
    }
  }

  void need(const std::string& function, const std::vector<std::string>& arguments,
            std::size_t count, const std::string& what) const {
    if (arguments.size() != count) refuse(text_, function + " takes " + what);
  }

  // Layers take operands with a letter for each place, none twice.
  Operand plain(const Operand& o) const {
    const std::string all = o.letters();
    const std::set<char> different(all.begin(), all.end());
    const bool factors = std::any_of(o.places.begin(), o.places.end(),
                                     [](const Place& p) { return p.front().first != 1; });
    if (factors || all.size() != o.places.size() || different.size() != all.size())
      refuse(text_, o.name + " has other places than single, different letters in a layer");
    return o;
  }

  void along(const std::string& result, const std::string& function, const Operand& x,
             const std::string& axis) {
    if (axis.size() != 1 || x.letters().find(axis) == std::string::npos)
      refuse(text_, function + " along '" + axis + "', which " + x.name + " has not");
    Operation o{function == "softmax" ? Kind::softmax : Kind::layernorm, result, x.letters(), {x}};
    o.axis = axis.front();
    add(o);
  }

  void element_wise_sum(const std::string& result, const std::vector<std::string>& arguments) {
    if (arguments.size() < 2) refuse(text_, "add takes two operands or more");
    Operation o{Kind::sum, result, {}, {}};
    for (const std::string& text : arguments) o.operands.push_back(plain(operand(text)));
    for (const Operand& x : o.operands) {
      if (x.letters().size() > o.letters.size()) o.letters = x.letters();
    }
    for (const Operand& x : o.operands) {
      for (const char c : x.letters()) {
        if (o.letters.find(c) == std::string::npos)
          refuse(text_, std::string("add: the longest operand has no index '") + c + "'");
      }
    }
    add(o);
  }

  void convolution(const std::string& result, const std::vector<std::string>& arguments) {
    if (arguments.size() != 2 && arguments.size() != 3)
      refuse(text_, "conv takes an image, a filter and a stride or none");
    Operand x = plain(operand(arguments[0]));
    const Operand f = plain(operand(arguments[1]));
    if (x.places.size() != 4 || f.places.size() != 4)
      refuse(text_, "conv takes an image and a filter of four letters each");
    long stride = 1;
    if (arguments.size() == 3) {
      const std::string& s = arguments[2];
      if (s.empty() || s.size() > 4 || !std::all_of(s.begin(), s.end(), is_digit) ||
          std::stol(s) == 0)
        refuse(text_, "'" + s + "' is no stride");
      stride = std::stol(s);
    }
    const std::string image = x.letters();
    const std::string filter = f.letters();
    if (image[1] != filter[1]) refuse(text_, "conv: image and filter differ in their channel");
    x.places[2] = {{stride, image[2]}, {1, filter[2]}};
    x.places[3] = {{stride, image[3]}, {1, filter[3]}};
    add({Kind::product, result, {image[0], filter[0], image[2], image[3]}, {x, f}});
  }

  // Letters of queries and keys alike but for the position; summed over their last.
  void attention(const std::string& result, const Operand& q, const Operand& k, const Operand& v) {
    const std::string a = q.letters();
    const std::string b = k.letters();
    if (a.size() < 2 || a.size() != b.size() || a.back() != b.back() ||
        a.substr(0, a.size() - 2) != b.substr(0, b.size() - 2) ||
        a[a.size() - 2] == b[b.size() - 2])
      refuse(text_, "attention: queries and keys are the same letters but for the last but one");
    const std::string values = v.letters();
    const std::string keys = b.substr(0, b.size() - 1);
    if (values.size() != b.size() || values.substr(0, values.size() - 1) != keys)
      refuse(text_, "attention: keys and values have the same letters but for the last");
    if (a.find(values.back()) != std::string::npos && values.back() != a.back())
      refuse(text_, "attention: the values' last letter is another one of the queries'");
    const std::string scores = a.substr(0, a.size() - 1) + b[b.size() - 2];
    const std::string out = a.substr(0, a.size() - 1) + values.back();
    add({Kind::product, result + "_scores", scores, {q, k}});
    along(result + "_weights", "softmax", {result + "_scores", places(scores)},
          std::string(1, scores.back()));
    add({Kind::product, result, out, {{result + "_weights", places(scores)}, v}});
  }

  void perceptron(const std::string& result, const Operand& x, const Operand& u, const Operand& w) {
    const auto next = [this](const std::string& from, const Operand& matrix) {
      const std::string m = matrix.letters();
      if (m.size() != 2 || from.back() != m.front() || from.find(m.back()) != std::string::npos)
        refuse(text_,
               "mlp: " + matrix.name + " does not go from '" + from.back() + "' to a new letter");
      return from.substr(0, from.size() - 1) + m.back();
    };
    if (x.places.empty()) refuse(text_, "mlp: " + x.name + " has no letter");
    const std::string hidden = next(x.letters(), u);
    add({Kind::product, result + "_hidden", hidden, {x, u}});
    add({Kind::map, result + "_active", hidden, {{result + "_hidden", places(hidden)}}, "relu"});
    add({Kind::product, result, next(hidden, w), {{result + "_active", places(hidden)}, w}});
  }

  // --- checks of all operations

  void add(const Operation& operation) {
    std::set<char> known, seen;
    for (const Operand& o : operation.operands) {
      for (const char c : o.letters()) known.insert(c);
      const auto [use, fresh] = dimensions_.emplace(o.name, o.places.size());
      if (!fresh && use->second != o.places.size()) {
        refuse(text_, o.name + " has " + std::to_string(use->second) + " indices elsewhere and '" +
                          o.letters() + "' here");
      }
      if (o.name == operation.result) refuse(text_, o.name + " is result and operand at once");
    }
    if (known.empty()) refuse(text_, "no index letter");
    for (const char c : operation.letters) {
      if (known.count(c) == 0) refuse(text_, std::string("no operand has the index '") + c + "'");
      if (!seen.insert(c).second)
        refuse(text_, std::string("the result has the index '") + c + "' twice");
    }
    if (!dimensions_.emplace(operation.result, operation.letters.size()).second)
      refuse(text_, operation.result + " is read or written before it is a result");
    all_.push_back(operation);
  }

  const std::string& text_;
  int operands_ = 0, results_ = 0;
  std::map<std::string, std::size_t> dimensions_;
  std::vector<Operation> all_;
};

}  // namespace

std::vector<Operation> operations(const std::string& text) {
  return Reader(text).read();
}

}  // namespace redblue::frontend::einsum
