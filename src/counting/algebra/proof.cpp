// SPDX-License-Identifier: BSD-3-Clause
#include "counting/algebra/proof.hpp"

#include <algorithm>
#include <optional>

#include "counting/algebra/combination.hpp"
#include "counting/algebra/terms.hpp"

namespace redblue::counting {

namespace {

using Set = std::set<Expr, GiNaC::ex_is_less>;

// The functions and powers that are factors of monomials, and all symbols below.
void collect_atoms(const Expr& e, Set& atoms) {
  if (GiNaC::is_a<GiNaC::function>(e) ||
      (GiNaC::is_a<GiNaC::power>(e) && !e.op(1).info(GiNaC::info_flags::posint))) {
    atoms.insert(settled(e));
    return;
  }
  for (const Expr& part : e) collect_atoms(part, atoms);
}

constexpr std::size_t most_remembered = 50000;

// The symbols of a formula by number, in ascending order.
using Numbers = std::vector<std::size_t>;

void collect_symbols(const Expr& e, std::set<std::size_t>& symbols) {
  if (GiNaC::is_a<Symbol>(e)) {
    thread_local std::map<Expr, std::size_t, GiNaC::ex_is_less> numbers;
    symbols.insert(numbers.try_emplace(e, numbers.size()).first->second);
    return;
  }
  for (std::size_t k = 0; k < e.nops(); ++k) collect_symbols(e.op(k), symbols);
}

// Proofs ask for the same formulas again and again.
std::shared_ptr<const Numbers> symbols_of(const Expr& e) {
  thread_local std::map<Expr, std::shared_ptr<const Numbers>, GiNaC::ex_is_less> memory;
  if (memory.size() > most_remembered) memory.clear();
  std::shared_ptr<const Numbers>& place = memory[e];
  if (!place) {
    std::set<std::size_t> symbols;
    collect_symbols(e, symbols);
    place = std::make_shared<const Numbers>(symbols.begin(), symbols.end());
  }
  return place;
}

// What holds for a function's value whatever the symbols are.
void add_atom_facts(const Expr& atom, std::vector<Fact>& facts) {
  if (GiNaC::is_a<GiNaC::power>(atom)) return;
  const Expr& x = atom.op(0);
  if (is_rounding(atom)) {
    const Rational d = common_denominator(x);
    const Expr gap = d.is_zero() ? Expr(1) : Expr(1 - 1 / d);
    const Expr above = symbolic::is_floor(atom) ? x - atom : atom - x;
    facts.push_back({above, ""});
    facts.push_back({gap - above, ""});
  } else if (symbolic::is_maximum(atom)) {
    facts.push_back({atom - x, ""});
    facts.push_back({atom - atom.op(1), ""});
  } else if (symbolic::is_minimum(atom)) {
    facts.push_back({x - atom, ""});
    facts.push_back({atom.op(1) - atom, ""});
  }
}

// A max or min outside all other functions.
std::optional<Expr> choice_in(const Expr& e) {
  if (is_choice(e)) return e;
  if (GiNaC::is_a<GiNaC::function>(e)) return std::nullopt;
  std::optional<Expr> first;
  for (const Expr& part : e) {
    const auto found = choice_in(part);
    if (found && (!first || comes_before(*found, *first))) first = found;
  }
  return first;
}

// Facts about the formula's symbols, and about those that these bring in.
std::vector<Fact> relevant(const Expr& e, const std::vector<Fact>& facts) {
  const std::shared_ptr<const Numbers> first = symbols_of(e);
  std::set<std::size_t> symbols(first->begin(), first->end());
  std::vector<std::shared_ptr<const Numbers>> of_fact;
  for (const Fact& fact : facts) of_fact.push_back(symbols_of(fact.at_least_zero));
  std::vector<bool> taken(facts.size(), false);
  std::vector<Fact> result;
  bool more = true;
  while (more) {
    more = false;
    std::set<std::size_t> next = symbols;
    for (std::size_t f = 0; f < facts.size(); ++f) {
      const Numbers& own = *of_fact[f];
      const bool shares = std::any_of(own.begin(), own.end(),
                                      [&symbols](std::size_t s) { return symbols.count(s) != 0; });
      if (taken[f] || !shares) continue;
      taken[f] = true;
      more = true;
      result.push_back(facts[f]);
      next.insert(own.begin(), own.end());
    }
    symbols = std::move(next);
  }
  return result;
}

constexpr std::size_t most_factors = 12;

Expr product(const Expr& a, const Expr& b) {
  using Pair = std::pair<Expr, Expr>;
  struct Less {
    bool operator()(const Pair& x, const Pair& y) const {
      const int first = x.first.compare(y.first);
      return first < 0 || (first == 0 && x.second.compare(y.second) < 0);
    }
  };
  thread_local std::map<Pair, Expr, Less> memory;
  if (memory.size() > most_remembered) memory.clear();
  const auto found = memory.find({a, b});
  if (found != memory.end()) return found->second;
  return memory.emplace(Pair{a, b}, expanded(a * b)).first->second;
}

bool any_products(const Expr& e, const std::vector<Fact>& facts) {
  return has_products(e) || std::any_of(facts.begin(), facts.end(), [](const Fact& fact) {
           return has_products(fact.at_least_zero);
         });
}

// With products of the facts that are nearest to `e`: first those about no other symbols.
std::vector<Fact> with_products(const Expr& e, std::vector<Fact> facts) {
  const std::shared_ptr<const Numbers> wanted = symbols_of(e);
  std::stable_partition(facts.begin(), facts.end(), [&wanted](const Fact& fact) {
    const std::shared_ptr<const Numbers> own = symbols_of(fact.at_least_zero);
    return std::includes(wanted->begin(), wanted->end(), own->begin(), own->end());
  });
  const std::size_t singles = std::min(facts.size(), most_factors);
  for (std::size_t k = 0; k < singles; ++k) {
    for (std::size_t l = k; l < singles; ++l) {
      std::string assumed = facts[k].assumed;
      if (!facts[l].assumed.empty() && facts[l].assumed != assumed) {
        assumed += (assumed.empty() ? "" : ", ") + facts[l].assumed;
      }
      facts.push_back({product(facts[k].at_least_zero, facts[l].at_least_zero), assumed});
    }
  }
  return facts;
}

// e >= 0 from facts as they are and their products.
bool follows(const Expr& difference, const std::vector<Fact>& facts, std::string& assumed) {
  std::vector<std::string> used;
  const Expr e = expanded(difference);
  const std::vector<Fact> about = relevant(e, facts);
  if (!combines(e, false, about, used) &&
      !(has_products(e) && combines(e, false, with_products(e, about), used))) {
    return false;
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (const std::string& a : used) assumed += (assumed.empty() ? "" : ", ") + a;
  return true;
}

// Powers: where exponents, or what logarithms and roots are taken of, are proved to be no negative
// numbers. Elsewhere such parts may have no value, behind a factor 0.
void add_power_facts(const Expr& power, const std::vector<Fact>& given, std::vector<Fact>& facts) {
  const Expr& base = power.op(0);
  const Expr& exponent = power.op(1);
  std::string assumed;
  if (GiNaC::is_a<Rational>(exponent) && !exponent.info(GiNaC::info_flags::integer)) {
    if (follows(base, given, assumed)) facts.push_back({power, assumed});
    return;
  }
  if (!GiNaC::is_a<Rational>(base) || !GiNaC::ex_to<Rational>(base).is_real()) return;
  const Rational b = GiNaC::ex_to<Rational>(base);
  if (b == -1) {
    facts.push_back({power + 1, ""});
    facts.push_back({1 - power, ""});
  }
  if (!(b >= 2)) return;
  facts.push_back({power, ""});
  if (follows(exponent, given, assumed)) {
    facts.push_back({power - 1, assumed});
    facts.push_back({power - exponent - 1, assumed});
  } else if (follows(-exponent, given, assumed)) {
    facts.push_back({1 - power, assumed});
  }
  if (b != 2) return;
  const bool clamped = symbolic::is_maximum(exponent) && exponent.op(0).is_zero();
  const Expr& inner = clamped ? exponent.op(1) : exponent;
  if (!symbolic::is_ceil(inner) || !symbolic::is_log2(inner.op(0))) return;
  const Expr& q = inner.op(0).op(0);
  std::string needed;
  if (!follows(q - 1, given, needed)) return;
  facts.push_back({power - q, needed});
  facts.push_back({2 * q - power, needed});
}

// Floors of numbers >= 0 and logarithms of numbers >= 1 are >= 0; roundings keep the order of what
// they round.
void add_derived_facts(const Set& all, std::vector<Fact>& facts) {
  std::vector<Expr> atoms(all.begin(), all.end());
  std::sort(atoms.begin(), atoms.end(), comes_before);
  for (const Expr& atom : atoms) {
    std::string assumed;
    if (symbolic::is_floor(atom) && follows(atom.op(0), facts, assumed)) {
      facts.push_back({atom, assumed});
    }
  }
  const std::vector<Fact> given = facts;
  for (const Expr& atom : atoms) {
    std::string assumed;
    if (symbolic::is_log2(atom)) {
      const Expr quotient = atom.op(0).numer_denom();
      const Expr& above = quotient.op(0);
      const Expr& below = quotient.op(1);
      if (follows(above - below, given, assumed) &&
          (below.is_equal(1) || follows(below - 1, given, assumed))) {
        facts.push_back({atom, assumed});
      }
    }
    if (GiNaC::is_a<GiNaC::power>(atom)) add_power_facts(atom, given, facts);
    // A divisor that is no negative number is at least 1.
    if (GiNaC::is_a<GiNaC::power>(atom) && atom.op(1).is_equal(-1) &&
        symbolic::is_integer_valued(atom.op(0)) && follows(atom.op(0), given, assumed)) {
      facts.push_back({atom, assumed});
      facts.push_back({1 - atom, assumed});
    }
    if (!symbolic::is_floor(atom) && !symbolic::is_ceil(atom)) continue;
    for (const Expr& other : atoms) {
      if (other.is_equal(atom) || symbolic::is_floor(atom) != symbolic::is_floor(other) ||
          symbolic::is_ceil(atom) != symbolic::is_ceil(other)) {
        continue;
      }
      std::string needed;
      if (follows(atom.op(0) - other.op(0), given, needed)) facts.push_back({atom - other, needed});
    }
  }
}

std::vector<Fact> with_atoms(const Expr& e, std::vector<Fact> facts) {
  Set seen;
  for (int round = 0; round < 3; ++round) {
    Set atoms;
    collect_atoms(e, atoms);
    for (const Fact& fact : facts) collect_atoms(fact.at_least_zero, atoms);
    for (const Expr& atom : seen) {
      if (symbolic::is_log2(atom)) collect_atoms(atom.op(0), atoms);
    }
    std::erase_if(atoms, [&seen](const Expr& atom) { return seen.count(atom) != 0; });
    if (atoms.empty()) break;
    std::vector<Expr> ordered(atoms.begin(), atoms.end());
    std::sort(ordered.begin(), ordered.end(), comes_before);
    for (const Expr& atom : ordered) add_atom_facts(atom, facts);
    seen.insert(atoms.begin(), atoms.end());
  }
  if (!seen.empty()) add_derived_facts(seen, facts);
  return facts;
}

// How many proofs an Effort has left; nullopt: there is none.
thread_local std::optional<int> proofs_left;

}  // namespace

Effort::Effort(int proofs) : outermost_(!proofs_left) {
  if (outermost_) proofs_left = proofs;
}

Effort::~Effort() {
  if (outermost_) proofs_left.reset();
}

Facts Facts::with(const Fact& fact) const {
  Facts more = *this;
  more.known_ = std::make_shared<Known>();
  more.known_->facts = known_->facts;
  more.known_->reserve = known_->reserve;
  more.known_->facts.push_back({expanded(fact.at_least_zero), fact.assumed});
  return more;
}

Facts Facts::with(const Expr& at_least_zero) const {
  return with(Fact{at_least_zero, ""});
}

Facts Facts::without(const Symbol& counter) const {
  Facts fewer = *this;
  fewer.known_ = std::make_shared<Known>();
  fewer.known_->reserve = known_->reserve;
  for (const Fact& fact : known_->facts) {
    if (!fact.at_least_zero.has(counter)) fewer.known_->facts.push_back(fact);
  }
  return fewer;
}

Facts Facts::with_reserve(const Fact& fact) const {
  Facts more = *this;
  more.known_ = std::make_shared<Known>();
  more.known_->facts = known_->facts;
  more.known_->reserve = known_->reserve;
  more.known_->reserve.push_back(fact);
  return more;
}

bool Facts::attempt(const Expr& e, bool strictly, const std::vector<Fact>& facts,
                    int splits) const {
  if (GiNaC::is_a<Rational>(e)) {
    const Rational& number = GiNaC::ex_to<Rational>(e);
    return strictly ? number.is_positive() : !number.is_negative();
  }
  if (proofs_left && --*proofs_left < 0) return false;
  const std::vector<Fact> linear = with_atoms(e, relevant(e, facts));
  std::vector<std::string> assumed;
  const bool done =
      combines(e, strictly, linear, assumed) ||
      (any_products(e, linear) && combines(e, strictly, with_products(e, linear), assumed));
  if (done) {
    for (const std::string& a : assumed) memory_->used.insert(a);
    return true;
  }
  const auto choice = choice_in(e);
  if (!choice || splits == 0) return false;
  const Expr first = choice->op(0);
  const Expr second = choice->op(1);
  const Expr order = symbolic::is_maximum(*choice) ? first - second : second - first;
  std::vector<Fact> more = facts;
  more.push_back({expanded(order), ""});
  // As it is, not as a pattern: GiNaC looks for those in each product.
  const auto with_choice = [&](const Expr& value) {
    return expanded(e.subs(GiNaC::exmap{{*choice, value}}, GiNaC::subs_options::no_pattern));
  };
  if (!attempt(with_choice(first), strictly, more, splits - 1)) return false;
  more.back() = {expanded(-order), ""};
  return attempt(with_choice(second), strictly, more, splits - 1);
}

bool Facts::prove(const Expr& e, bool strictly) const {
  const Expr plain = expanded(e);
  const int asked = strictly ? 4 : 1;
  int& memory = known_->proved[plain];
  if ((memory & asked) != 0) return (memory & (asked * 2)) != 0;
  const bool so = attempt(plain, strictly, known_->facts, 4);
  if (proofs_left && *proofs_left < 0) return so;  // another time it may succeed
  known_->proved[plain] |= asked | (so ? asked * 2 : 0);
  return so;
}

bool Facts::at_least_zero(const Expr& e) const {
  return prove(e, false);
}

bool Facts::positive(const Expr& e) const {
  const Rational d = common_denominator(e);  // d e is an integer: at least 1
  return d.is_zero() ? prove(e, true) : prove(e - 1 / d, false);
}

bool Facts::positive_if_assumed(const Expr& e) const {
  return positive(e) || (!known_->reserve.empty() && with_reserve_taken().positive(e));
}

bool Facts::at_least_zero_if_assumed(const Expr& e) const {
  return at_least_zero(e) || (!known_->reserve.empty() && with_reserve_taken().at_least_zero(e));
}

Facts Facts::with_reserve_taken() const {
  Facts all = *this;
  all.known_ = std::make_shared<Known>();
  all.known_->facts = known_->facts;
  all.known_->facts.insert(all.known_->facts.end(), known_->reserve.begin(), known_->reserve.end());
  return all;
}

}  // namespace redblue::counting
