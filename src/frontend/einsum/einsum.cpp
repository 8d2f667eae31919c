#include "frontend/einsum/einsum.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "redblue/error.hpp"

namespace redblue::frontend::einsum {

using program::Access;
using program::Program;
using program::Statement;

namespace {

struct Operand {
  std::string name, letters;
};

struct Summation {
  Operand result;
  std::vector<Operand> operands;
};

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw Error("einsum '" + text + "'", why,
              "write 'ij,jk->ik' or 'T = A:ij, B:jk -> ik; T:ik, C:kl -> il'");
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  if (!text.empty() && text.back() == separator) parts.emplace_back();
  return parts;
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_name(const std::string& text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

std::string without_spaces(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
  return text;
}

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  std::vector<Summation> read() {
    std::vector<Summation> all;
    for (const std::string& part : split(without_spaces(text_), ';')) {
      if (part.empty()) refuse(text_, "an empty summation");
      all.push_back(summation(part));
    }
    if (all.empty()) refuse(text_, "nothing to sum");
    return all;
  }

 private:
  Summation summation(std::string part) {
    Summation result;
    if (const auto equals = part.find('='); equals != std::string::npos) {
      result.result.name = part.substr(0, equals);
      if (!is_name(result.result.name)) refuse(text_, "'" + result.result.name + "' is no name");
      part = part.substr(equals + 1);
    } else {
      result.result.name = "T" + std::to_string(++results_);
    }
    const auto arrow = part.find("->");
    for (const std::string& operand : split(part.substr(0, arrow), ',')) {
      result.operands.push_back(read_operand(operand));
    }
    result.result.letters =
        arrow == std::string::npos ? letters_that_stand_once(result) : part.substr(arrow + 2);
    if (result.operands.empty()) refuse(text_, "no operand");
    check(result);
    return result;
  }

  Operand read_operand(const std::string& text) {
    const auto colon = text.find(':');
    if (colon == std::string::npos) return {std::string(1, next_name()), letters(text)};
    if (!is_name(text.substr(0, colon)))
      refuse(text_, "'" + text.substr(0, colon) + "' is no name");
    return {text.substr(0, colon), letters(text.substr(colon + 1))};
  }

  char next_name() {
    if (operands_ >= 26) refuse(text_, "more than 26 operands without a name");
    return static_cast<char>('A' + operands_++);
  }

  std::string letters(const std::string& text) {
    for (const char c : text) {
      if (!is_letter(c)) refuse(text_, std::string("'") + c + "' is no index letter");
    }
    return text;
  }

  static std::string letters_that_stand_once(const Summation& s) {
    std::map<char, int> count;
    for (const Operand& o : s.operands) {
      for (const char c : o.letters) ++count[c];
    }
    std::string once;
    for (const auto& [c, n] : count) once += n == 1 ? std::string(1, c) : "";
    return once;
  }

  void check(const Summation& s) {
    letters(s.result.letters);
    std::set<char> known, seen;
    for (const Operand& o : s.operands) {
      known.insert(o.letters.begin(), o.letters.end());
      const auto [use, fresh] = dimensions_.emplace(o.name, o.letters.size());
      if (!fresh && use->second != o.letters.size()) {
        refuse(text_, o.name + " has " + std::to_string(use->second) + " indices elsewhere and '" +
                          o.letters + "' here");
      }
      if (o.name == s.result.name) refuse(text_, o.name + " is result and operand at once");
    }
    if (known.empty()) refuse(text_, "no index letter");
    for (const char c : s.result.letters) {
      if (known.count(c) == 0) refuse(text_, std::string("no operand has the index '") + c + "'");
      if (!seen.insert(c).second) {
        refuse(text_, std::string("the result has the index '") + c + "' twice");
      }
    }
    if (!dimensions_.emplace(s.result.name, s.result.letters.size()).second) {
      refuse(text_, s.result.name + " is read or written before it is a result");
    }
  }

  const std::string& text_;
  int operands_ = 0, results_ = 0;
  std::map<std::string, std::size_t> dimensions_;
};

// Builds isl's texts.
class Writer {
 public:
  explicit Writer(const std::vector<Summation>& all) {
    std::set<char> letters;
    for (const Summation& s : all) {
      for (const Operand& o : s.operands) letters.insert(o.letters.begin(), o.letters.end());
    }
    for (const char c : letters) program_.parameters.push_back(std::string("N") + c);
    depth_ = letters.size();
    for (const Summation& s : all) add(s);
    for (const Summation& s : all) {
      program_.arrays[s.result.name] = {static_cast<int>(s.result.letters.size()),
                                        read_again(all, s)};
      for (const Operand& o : s.operands) {
        program_.arrays.try_emplace(o.name,
                                    program::Array{static_cast<int>(o.letters.size()), false});
      }
    }
    std::sort(program_.parameters.begin(), program_.parameters.end());
    program_.name = "einsum";
  }

  Program program() const { return program_; }

 private:
  static bool read_again(const std::vector<Summation>& all, const Summation& s) {
    return std::any_of(all.begin(), all.end(), [&s](const Summation& other) {
      return std::any_of(other.operands.begin(), other.operands.end(),
                         [&s](const Operand& o) { return o.name == s.result.name; });
    });
  }

  static std::string summed(const Summation& s) {
    std::string result;
    for (const Operand& o : s.operands) {
      for (const char c : o.letters) {
        if ((s.result.letters + result).find(c) == std::string::npos) result += c;
      }
    }
    return result;
  }

  static std::string list(const std::string& letters) {
    std::string text;
    for (const char c : letters) text += (text.empty() ? "" : ", ") + std::string(1, c);
    return text;
  }

  std::string parameters() const {
    std::string text;
    for (const std::string& p : program_.parameters) text += (text.empty() ? "" : ", ") + p;
    return "[" + text + "] -> ";
  }

  Statement statement(const std::string& letters) {
    Statement s;
    s.name = "S" + std::to_string(program_.statements.size());
    std::string conditions;
    for (const char c : letters) {
      s.iterators.emplace_back(1, c);
      conditions += (conditions.empty() ? " : " : " and ") + std::string("0 <= ") + c + " < N" + c;
    }
    const std::string tuple = s.name + "[" + list(letters) + "]";
    s.domain = isl::set(program::context(), parameters() + "{ " + tuple + conditions + " }");
    std::string time = std::to_string(program_.statements.size());
    for (std::size_t d = 0; d < depth_; ++d) {
      time += d < letters.size() ? std::string(", ") + letters[d] : ", 0";
    }
    s.schedule = isl::map(program::context(), parameters() + "{ " + tuple + " -> [" + time + "] }")
                     .intersect_domain(s.domain);
    s.line = static_cast<int>(program_.statements.size()) + 1;
    return s;
  }

  Access access(const Statement& s, const std::string& letters, const Operand& o) const {
    const std::string text = parameters() + "{ " + s.name + "[" + list(letters) + "] -> " + o.name +
                             "[" + list(o.letters) + "] }";
    std::string shown = o.name;
    for (const char c : o.letters) shown += std::string("[") + c + "]";
    return {o.name, shown, isl::map(program::context(), text).intersect_domain(s.domain), false};
  }

  void add(const Summation& sum) {
    const std::string inner = summed(sum);
    if (!inner.empty()) {
      Statement start = statement(sum.result.letters);
      start.writes.push_back(access(start, sum.result.letters, sum.result));
      program_.statements.push_back(std::move(start));
    }
    const std::string letters = sum.result.letters + inner;
    Statement s = statement(letters);
    s.writes.push_back(access(s, letters, sum.result));
    if (!inner.empty()) s.reads.push_back(access(s, letters, sum.result));
    for (const Operand& o : sum.operands) {
      Access read = access(s, letters, o);
      const bool repeated = std::any_of(s.reads.begin(), s.reads.end(), [&read](const Access& r) {
        return r.array == read.array && r.elements.is_equal(read.elements);
      });
      if (!repeated) s.reads.push_back(std::move(read));
    }
    program_.statements.push_back(std::move(s));
  }

  Program program_;
  std::size_t depth_ = 0;
};

}  // namespace

program::Program parse(const std::string& text) {
  return Writer(Reader(text).read()).program();
}

}  // namespace redblue::frontend::einsum
