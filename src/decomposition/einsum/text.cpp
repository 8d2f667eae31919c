// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/einsum/text.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "redblue/error.hpp"

namespace redblue::einsum {

namespace {

constexpr std::size_t most_letters = 12;  // of a tensor

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

bool is_name(const std::string& text) {
  return !text.empty() && std::isupper(static_cast<unsigned char>(text[0])) != 0 &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
         });
}

// What NumPy takes for the result where none is written.
std::string letters_that_stand_once(const std::vector<std::string>& operands) {
  std::map<char, int> times;
  for (const std::string& t : operands) {
    for (const char c : t) ++times[c];
  }
  std::string result;
  for (const auto& [letter, count] : times) {
    if (count == 1) result += letter;
  }
  return result;
}

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {
    std::string bare;
    for (const char c : text) {
      if (c != ' ') bare += c;
    }
    const std::vector<std::string> statements = split(bare, ';');
    for (const std::string& s : statements) {
      if (s.empty())
        refuse(text_, "a statement is empty", "write it like \"T=ij,jk->ik;T,kl->il\"");
      statement(s, &s == &statements.back());
    }
    for (const auto& [name, tensor] : named_) {
      if (tensor.is_result && !tensor.is_read)
        refuse(text_, "nothing reads " + name,
               "read every result but the last in a later statement");
    }
    number_results();
  }

  WrittenProgram program;

 private:
  struct Named {
    std::size_t number = 0;  // of the inputs or the statements
    bool is_result = false;
    std::string letters;
    bool is_read = false;
  };

  void give_name(const std::string& name, const Named& tensor) {
    if (!is_name(name))
      refuse(text_, "'" + name + "' is no name",
             "begin names with a capital letter, as in \"T=ij,jk->ik\"");
    if (!named_.emplace(name, tensor).second)
      refuse(text_, "two tensors have the name " + name, "give each a name of its own");
  }

  // The letters of an operand; adds its number to the statement's.
  std::string operand(const std::string& word, WrittenStatement& s) {
    const std::size_t colon = word.find(':');
    const std::string head = word.substr(0, colon);
    const auto known = named_.find(head);
    if (known == named_.end()) {
      const std::string letters = colon == std::string::npos ? head : word.substr(colon + 1);
      const std::size_t number = program.inputs.size();
      if (colon != std::string::npos) give_name(head, {number, false, letters, true});
      program.inputs.push_back(letters);
      s.numbers.push_back(number);
      is_result_.back().push_back(false);
      return letters;
    }
    Named& tensor = known->second;
    tensor.is_read = true;
    s.numbers.push_back(tensor.number);
    is_result_.back().push_back(tensor.is_result);
    if (colon == std::string::npos) return tensor.letters;
    const std::string letters = word.substr(colon + 1);
    if (letters.size() != tensor.letters.size())
      refuse(text_, word + " has " + std::to_string(letters.size()) + " letters",
             "give " + head + " " + std::to_string(tensor.letters.size()) +
                 ", as where it got its name");
    return letters;
  }

  void statement(const std::string& text, bool is_last) {
    const std::size_t equals = text.find('=');
    const std::string name = equals == std::string::npos ? "" : text.substr(0, equals);
    const std::string sum = equals == std::string::npos ? text : text.substr(equals + 1);
    const std::size_t arrow = sum.find("->");
    WrittenStatement s;
    is_result_.emplace_back();
    for (const std::string& word : split(sum.substr(0, arrow), ','))
      s.operands.push_back(operand(word, s));
    s.result =
        arrow == std::string::npos ? letters_that_stand_once(s.operands) : sum.substr(arrow + 2);
    check(s);
    if (equals != std::string::npos)
      give_name(name, {program.statements.size(), true, s.result, is_last});
    if (equals == std::string::npos && !is_last)
      refuse(text_, "the result of '" + text + "' has no name", "name it, as in \"T=ij,jk->ik\"");
    program.text +=
        (program.text.empty() ? "" : ";") + text.substr(0, text.find("->")) + "->" + s.result;
    program.statements.push_back(std::move(s));
  }

  void check(const WrittenStatement& s) const {
    std::vector<std::string> tensors = s.operands;
    tensors.push_back(s.result);
    const bool none =
        std::all_of(tensors.begin(), tensors.end(), [](const auto& t) { return t.empty(); });
    if (none) refuse(text_, "no letters", "write it like \"ij,jk->ik\"");
    std::set<char> in_operands;
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      const bool is_result = t + 1 == tensors.size();
      const std::string what = is_result ? "the result" : "operand " + std::to_string(t + 1);
      std::set<char> seen;
      for (const char c : tensors[t]) {
        if (std::isalpha(static_cast<unsigned char>(c)) == 0)
          refuse(text_, "'" + std::string(1, c) + "' is no letter", "write it like \"ij,jk->ik\"");
        if (!seen.insert(c).second)
          refuse(text_, what + " has the letter " + std::string(1, c) + " twice",
                 is_result ? "name each letter of the result once"
                           : "pass its diagonal as a tensor of its own");
        if (is_result && !in_operands.contains(c))
          refuse(text_, "the result has the letter " + std::string(1, c) + ", which no operand has",
                 "use letters of the operands");
        if (!is_result) in_operands.insert(c);
      }
      if (tensors[t].size() > most_letters)
        refuse(text_, what + " has " + std::to_string(tensors[t].size()) + " letters",
               "use at most " + std::to_string(most_letters));
    }
  }

  // Results come after all inputs, whose number is known only now.
  void number_results() {
    for (std::size_t s = 0; s < program.statements.size(); ++s) {
      WrittenStatement& written = program.statements[s];
      for (std::size_t o = 0; o < written.numbers.size(); ++o) {
        if (is_result_[s][o]) written.numbers[o] += program.inputs.size();
      }
    }
  }

  const std::string& text_;
  std::map<std::string, Named> named_;
  std::vector<std::vector<bool>> is_result_;  // of every statement's operands
};

}  // namespace

[[noreturn]] void refuse(const std::string& text, const std::string& found,
                         const std::string& remedy) {
  throw Error("einsum '" + text + "'", found, remedy);
}

WrittenProgram read_program(const std::string& text) {
  return Reader(text).program;
}

}  // namespace redblue::einsum
