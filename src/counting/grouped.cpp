// SPDX-License-Identifier: BSD-3-Clause
#include "counting/grouped.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "counting/algebra/terms.hpp"

namespace redblue::counting {

namespace {

using Summands = std::vector<Expr>;
using Times = std::map<Expr, int, GiNaC::ex_is_less>;

bool is_number(const Expr& e) {
  return GiNaC::is_a<Rational>(e);
}

// Names before other factors, which are harder to read.
bool reads_better(const Expr& a, const Expr& b) {
  const bool a_name = GiNaC::is_a<Symbol>(a), b_name = GiNaC::is_a<Symbol>(b);
  return a_name != b_name ? a_name : comes_before(a, b);
}

// What several summands share and most of them have; 1 where they share nothing.
Expr shared_factor(const Summands& summands) {
  Times times;
  for (const Expr& summand : summands) {
    for (const Expr& factor : factors(summand)) {
      const bool divides =
          GiNaC::is_a<GiNaC::power>(factor) && !factor.op(1).info(GiNaC::info_flags::positive);
      if (!is_number(factor) && !divides) ++times[factor];
    }
  }
  Expr best = 1;
  int most = 1;
  for (const auto& [factor, count] : times) {
    if (count > most || (count == most && most > 1 && reads_better(factor, best))) {
      best = factor;
      most = count;
    }
  }
  return best;
}

// The number that several summands have, without its sign; 1 where each has its own.
Expr shared_number(const Summands& summands) {
  Times times;
  for (const Expr& summand : summands) {
    for (const Expr& factor : factors(summand)) {
      if (is_number(factor)) ++times[GiNaC::abs(factor)];
    }
  }
  const auto most = std::max_element(
      times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == times.end() || most->second < 2 ? Expr(1) : most->first;
}

bool has_factor(const Expr& summand, const Expr& wanted) {
  const std::vector<Expr> all = factors(summand);
  return std::any_of(all.begin(), all.end(), [&](const Expr& factor) {
    return factor.is_equal(wanted) || (is_number(wanted) && factor.is_equal(-wanted));
  });
}

std::string joined(const std::string& a, const std::string& b) {
  return b.starts_with("-") ? a + " - " + b.substr(1) : a + " + " + b;
}

std::string written(const Summands& summands) {
  Expr sum = 0;
  for (const Expr& summand : summands) sum += summand;
  if (summands.size() < 2) return symbolic::to_string(sum);
  Expr factor = shared_factor(summands);
  if (factor.is_equal(1)) factor = shared_number(summands);
  if (factor.is_equal(1)) return symbolic::to_string(sum);
  Summands with, without;
  for (const Expr& summand : summands) {
    if (has_factor(summand, factor)) {
      with.push_back(summand / factor);
    } else {
      without.push_back(summand);
    }
  }
  const std::string text = symbolic::to_string(factor) + "*(" + written(with) + ")";
  return without.empty() ? text : joined(text, written(without));
}

}  // namespace

std::string grouped(const Expr& sum) {
  Summands all;
  for (const Expr& summand : summands(expanded(sum))) all.push_back(summand);
  std::sort(all.begin(), all.end(), comes_before);
  return written(all);
}

}  // namespace redblue::counting
