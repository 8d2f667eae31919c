// SPDX-License-Identifier: BSD-3-Clause
#include "counting/assumptions.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>

#include "counting/algebra/terms.hpp"
#include "redblue/error.hpp"

namespace redblue::counting {

namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw Error("the assumption '" + text + "'", why,
              "write 'n >= 4', 'u1 <= 100', 'n = 2^k' or 'n % p = 0'");
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::set<std::string> names_in(const std::string& text) {
  static const std::set<std::string> functions{"floor", "ceil", "log2", "min", "max", "sqrt"};
  std::set<std::string> names;
  for (std::size_t k = 0; k < text.size();) {
    const auto is_letter = [](char c) {
      return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    std::size_t end = k;
    while (end < text.size() &&
           (is_letter(text[end]) ||
            (end > k && std::isdigit(static_cast<unsigned char>(text[end]))))) {
      ++end;
    }
    if (end > k && functions.count(text.substr(k, end - k)) == 0) {
      names.insert(text.substr(k, end - k));
    }
    k = std::max(end, k + 1);
  }
  return names;
}

Expr read(const std::string& whole, const std::string& part) {
  if (part.empty()) refuse(whole, "one side is empty");
  const std::set<std::string> names = names_in(part);
  try {
    return symbolic::parse(part, {names.begin(), names.end()});
  } catch (const Error&) {
    refuse(whole, "'" + part + "' is no formula");
  }
}

struct Comparator {
  const char* text;
  int sign;  // right - left (1) or left - right (-1) is at least `least`; 0: equal
  int least;
};

constexpr std::array<Comparator, 6> comparators{
    {{"<=", 1, 0}, {">=", -1, 0}, {"==", 0, 0}, {"<", 1, 1}, {">", -1, 1}, {"=", 0, 0}}};

void divide(Assumptions& all, const std::string& text, const std::string& left,
            const std::string& right) {
  const std::size_t percent = left.find('%');
  const Expr n = read(text, trimmed(left.substr(0, percent)));
  const Expr p = read(text, trimmed(left.substr(percent + 1)));
  const bool is_power =
      std::any_of(all.powers_of_two.begin(), all.powers_of_two.end(),
                  [&n](const auto& power) { return Expr(power.second).is_equal(n); });
  if (trimmed(right) != "0" || !GiNaC::is_a<Symbol>(n) ||
      (all.substituted.count(n) != 0 && !is_power)) {
    refuse(text, "only 'name % divisor = 0' tells what divides a parameter, once");
  }
  const Symbol& q = symbolic::symbol("_" + symbolic::to_string(n) + "_divided");
  all.substituted[n] = p * q;
  all.back[q] = n / p;
  all.divisible.emplace_back(n, p);
}

void equate(Assumptions& all, const std::string& text, const Expr& left, const Expr& right,
            const std::set<std::string>& symbols) {
  const bool is_power = GiNaC::is_a<GiNaC::power>(right) && right.op(0).is_equal(2) &&
                        GiNaC::is_a<Symbol>(right.op(1)) &&
                        symbols.count(GiNaC::ex_to<Symbol>(right.op(1)).get_name()) == 0;
  const bool is_divided =
      std::any_of(all.divisible.begin(), all.divisible.end(),
                  [&left](const auto& pair) { return pair.first.is_equal(left); });
  if (!GiNaC::is_a<Symbol>(left) || right.has(left) ||
      (all.substituted.count(left) != 0 && !(is_power && is_divided))) {
    refuse(text, "left of = stands the name of a parameter, once");
  }
  if (!is_divided) all.substituted[left] = right;
  if (is_power) {
    all.powers_of_two.emplace_back(GiNaC::ex_to<Symbol>(right.op(1)), GiNaC::ex_to<Symbol>(left));
  }
}

// 2^(a k + b) as n^a 2^b, and k as log2(n).
struct FromPower : GiNaC::map_function {
  FromPower(const Symbol& exponent, const Symbol& parameter) : k(exponent), n(parameter) {}
  Expr operator()(const Expr& e) override {
    if (e.is_equal(k)) return symbolic::log2(n);
    if (is_rounding(e) && e.op(0).is_equal(symbolic::log2(n))) return e.op(0);
    if (GiNaC::is_a<GiNaC::power>(e) && e.op(0).is_equal(2)) {
      const Expr exponent = e.op(1).expand();
      if (exponent.is_polynomial(k) && exponent.degree(k) == 1) {
        return GiNaC::pow(n, exponent.coeff(k, 1)) * GiNaC::pow(2, (*this)(exponent.coeff(k, 0)));
      }
    }
    return e.nops() > 0 ? e.map(*this) : e;
  }
  Symbol k;
  Symbol n;
};

}  // namespace

Expr Assumptions::in_parameters(const Expr& e) const {
  Expr result = e.subs(back);
  for (const auto& [k, n] : powers_of_two) {
    FromPower map(k, n);
    result = map(result);
  }
  return result;
}

Assumptions read_assumptions(const std::vector<std::string>& texts,
                             const std::set<std::string>& symbols) {
  Assumptions all;
  for (const std::string& text : texts) {
    const Comparator* found = nullptr;
    std::size_t place = std::string::npos;
    for (const Comparator& c : comparators) {
      place = text.find(c.text);
      if (place != std::string::npos) {
        found = &c;
        break;
      }
    }
    if (found == nullptr) refuse(text, "it compares nothing");
    const std::string left = trimmed(text.substr(0, place));
    const std::string right = trimmed(text.substr(place + std::string(found->text).size()));
    for (const std::string& name : names_in(left)) all.names.insert(name);
    if (left.find('%') != std::string::npos && found->sign == 0) {
      divide(all, text, left, right);
      continue;
    }
    const Expr a = read(text, left);
    const Expr b = read(text, right);
    if (found->sign == 0) {
      equate(all, text, a, b, symbols);
      continue;
    }
    for (const std::string& name : names_in(right)) all.names.insert(name);
    all.facts.push_back({(found->sign * (b - a) - found->least).expand(), text});
    const Expr& larger = found->sign > 0 ? b : a;
    const Expr& smaller = found->sign > 0 ? a : b;
    if (GiNaC::is_a<Symbol>(larger) && GiNaC::is_a<Rational>(smaller)) {
      all.bounded.insert(GiNaC::ex_to<Symbol>(larger).get_name());
    }
  }
  for (auto& [name, formula] : all.substituted) formula = formula.subs(all.substituted);
  for (Fact& fact : all.facts) fact.at_least_zero = fact.at_least_zero.subs(all.substituted);
  return all;
}

}  // namespace redblue::counting
