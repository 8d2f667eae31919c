// SPDX-License-Identifier: BSD-3-Clause
// Products one of which reads what another computes, as one problem.
//
// A statement of d loops whose sets need d projections on d - 1 loops each has |H| <= prod
// |phi_j|^(1/(d-1)) (Loomis and Whitney). Each of these is a *slot*: the values of one read, or the
// chains that are touched. Where a statement reads the ends of another one's chains, the two slots
// are one: a value that is read comes from outside, or its chain does. Where statements and slots
// form no cycle, all statements together have chi(X) of one of them.
// Proof: docs/methods/linked_products.md.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "bounds/bound.hpp"
#include "bounds/facts.hpp"
#include "bounds/footprint/footprint_program.hpp"
#include "bounds/projection/places.hpp"
#include "bounds/roles.hpp"

namespace redblue::bounds {

using program::Program;
using program::Statement;
using symbolic::Expr;
using symbolic::Rational;

namespace {

// Slots of a statement: its value roles in order, then its chain.
struct Part {
  Roles roles;
  Dropped dropped;

  std::size_t slots() const { return roles.values.size() + 1; }
  std::size_t chain() const { return roles.values.size(); }
};

// Disjoint classes of numbers.
class Classes {
 public:
  void add() { parent_.push_back(parent_.size()); }
  std::size_t of(std::size_t x) const { return parent_[x] == x ? x : of(parent_[x]); }
  void join(std::size_t x, std::size_t y) { parent_[of(x)] = of(y); }
  bool joined(std::size_t x, std::size_t y) const { return of(x) == of(y); }

 private:
  std::vector<std::size_t> parent_;
};

// The slots of all parts, and which of them are one.
class Slots {
 public:
  void add(const Part& part) {
    first_.push_back(count_);
    for (std::size_t slot = 0; slot < part.slots(); ++slot, ++count_) {
      same_.add(), connected_.add();
      connected_.join(first_.back(), count_);
    }
  }
  bool are_one(std::size_t p, std::size_t v, std::size_t q, std::size_t w) const {
    return same_.joined(first_[p] + v, first_[q] + w);
  }
  // False where that would make a cycle of parts and slots.
  bool make_one(std::size_t p, std::size_t v, std::size_t q, std::size_t w) {
    if (are_one(p, v, q, w)) return true;
    if (connected_.joined(first_[p], first_[q])) return false;
    same_.join(first_[p] + v, first_[q] + w);
    connected_.join(first_[p], first_[q]);
    return true;
  }

 private:
  std::vector<std::size_t> first_;
  std::size_t count_ = 0;
  Classes same_, connected_;
};

// Whether every projection leaves out one loop, each another, with coefficient 1: then there are as
// many slots as loops, one for the one chain. No value is read on the statement's own chains.
bool is_loomis_whitney(const Roles& roles, const Bound& bound) {
  if (!bound.hbl || roles.chains.size() != 1 || roles.loops() < 2) return false;
  const auto loops = static_cast<std::size_t>(roles.loops());
  const std::vector<Term>& terms = bound.hbl->terms;
  const bool reads_itself = std::any_of(
      roles.values.begin(), roles.values.end(),
      [&roles](const ValueRole& role) { return same_space(role.range, roles.statement->domain); });
  return terms.size() == loops && roles.values.size() + 1 == loops && !reads_itself &&
         std::all_of(terms.begin(), terms.end(), [loops](const Term& term) {
           return term.coefficient == 1 && term.loops.size() == loops - 1;
         });
}

// Whether the values are instances of the statement on different lines of its chain.
bool on_different_lines(const isl::set& values, const ChainRole& chain) {
  isl::map lines = isl::manage(isl_set_identity(values.copy()));
  for (int d = static_cast<int>(isl_set_dim(values.get(), isl_dim_set)) - 1; d >= 0; --d) {
    if (std::count(chain.kept.begin(), chain.kept.end(), d) == 0)
      lines = without_outputs(lines, static_cast<unsigned>(d), 1);
  }
  return lines.is_injective();
}

class Linker {
 public:
  Linker(const Facts& facts, const Sizes& sizes) : facts_(facts), sizes_(sizes) {}

  std::optional<Bound> derive() {
    for (const Statement& s : facts_.program().statements) {
      if (!s.iterators.empty()) add(s);
    }
    return links_ == 0 ? std::nullopt : joint();
  }

 private:
  void add(const Statement& statement) {
    Part next{facts_.roles(statement), {}};
    for (ChainRole& chain : next.roles.chains) chain.ways_to_starts.clear();
    if (next.roles.cut_short) return;
    const auto alone = value_projection(next.roles, sizes_, {});
    if (!alone || !is_loomis_whitney(next.roles, *alone)) return;
    if (!parts_.empty() && next.roles.loops() != parts_.front().roles.loops()) return;
    if (next.roles.chains.front().values.size() > 1) return;
    const std::vector<Part> parts = parts_;
    const Slots slots = slots_;
    const std::size_t links = links_;
    parts_.push_back(next);
    slots_.add(next);
    for (std::size_t p = 0; p + 1 < parts_.size(); ++p) {
      if (relate(p, parts_.size() - 1)) continue;
      parts_ = parts, slots_ = slots, links_ = links;
      return;
    }
  }

  // What the two have in common becomes common slots, or is left out; false where neither can be.
  bool relate(std::size_t p, std::size_t q) {
    if (!links_to(p, q) || !links_to(q, p)) return false;
    Part &one = parts_[p], &other = parts_[q];
    for (std::size_t v = 0; v < one.roles.values.size(); ++v) {
      for (std::size_t w = 0; w < other.roles.values.size(); ++w) {
        const ValueRole &a = one.roles.values[v], &b = other.roles.values[w];
        if (!same_space(a.range, b.range) || a.range.is_disjoint(b.range)) continue;
        // Both may be the ends of a third statement's chains.
        if (slots_.are_one(p, v, q, w)) continue;
        const isl::set here = meeting(a, b.range), there = meeting(b, a.range);
        if (one.roles.is_few(here)) {
          one.dropped.instances.push_back(here);
        } else if (other.roles.is_few(there)) {
          other.dropped.instances.push_back(there);
        } else if (!slots_.make_one(p, v, q, w)) {
          return false;
        }
      }
    }
    clear_common_starts(one, other);
    return true;
  }

  // The reader's roles whose values lie on the maker's chains.
  bool links_to(std::size_t reader, std::size_t maker) {
    Part& from = parts_[reader];
    const Part& to = parts_[maker];
    for (std::size_t v = 0; v < from.roles.values.size(); ++v) {
      ValueRole& role = from.roles.values[v];
      if (role.input || !same_space(role.range, to.roles.statement->domain)) continue;
      if (!on_different_lines(role.range, to.roles.chains.front())) return false;
      if (!slots_.make_one(reader, v, maker, to.chain())) return false;
      role.linked = true;
      ++links_;
    }
    return true;
  }

  // Inputs that stand for one statement's chain are no others' values, nor starts.
  static void clear_common_starts(Part& one, Part& other) {
    for (Part* own : {&one, &other}) {
      const Part& theirs = own == &one ? other : one;
      for (ChainRole& chain : own->roles.chains) {
        std::erase_if(chain.starts, [&](const isl::map& start) {
          const isl::set inputs = start.range();
          const auto meets = [&](const isl::set& set) { return same_space(set, inputs); };
          const auto& values = theirs.roles.values;
          const auto& starts = theirs.roles.chains.front().starts;
          return std::any_of(values.begin(), values.end(),
                             [&](const ValueRole& role) { return meets(role.range); }) ||
                 std::any_of(starts.begin(), starts.end(),
                             [&](const isl::map& map) { return meets(map.range()); });
        });
      }
    }
  }

  std::optional<Bound> joint() const {
    std::vector<Bound> bounds;
    for (const Part& part : parts_) {
      const auto bound = value_projection(part.roles, sizes_, part.dropped);
      if (!bound || !is_loomis_whitney(part.roles, *bound)) return std::nullopt;
      bounds.push_back(*bound);
    }
    const HblProblem& first = *bounds.front().hbl;
    Bound result = bounds.front();
    result.hbl.reset();
    result.statement.clear();
    result.projections.clear();
    result.tiles.clear();
    Amount vertices, tagged;
    for (const Bound& bound : bounds) {
      result.statement += (result.statement.empty() ? "" : "+") + bound.statement;
      vertices += bound.hbl->vertices;
      tagged += bound.hbl->tagged;
      for (const auto& tile : bound.tiles)
        result.tiles.emplace_back(bound.statement + "." + tile.first, tile.second);
      add_missing(result.ledger, bound.ledger);
    }
    const Expr moved = (vertices.formula / result.intensity).expand();
    result.expression = segments_formula(moved, first.alpha) - tagged.formula;
    result.leading = sizes_.leading((moved - tagged.formula).expand());
    result.counted = {{"instances counted", vertices.formula},
                      {"values counted as inputs, subtracted", tagged.formula}};
    if (sizes_.complete) result.value = value(first, vertices.value, tagged.value);
    result.ledger.push_back(
        {"values of one statement's chains that another reads bring the value or its chain from "
         "outside; no cycle of such reads: all together need as much as one",
         proved});
    return result;
  }

  double value(const HblProblem& problem, double vertices, double tagged) const {
    const std::vector<double> unlimited(static_cast<std::size_t>(parts_.front().roles.loops()),
                                        1e12);
    return std::max(
        0.0,
        segments_bound(problem.terms, unlimited, vertices, sizes_.memory(), sizes_.units) - tagged);
  }

  const Facts& facts_;
  const Sizes& sizes_;
  std::vector<Part> parts_;
  Slots slots_;
  std::size_t links_ = 0;
};

}  // namespace

std::optional<Bound> linked_products(const Facts& facts, const Sizes& sizes) {
  return Linker(facts, sizes).derive();
}

}  // namespace redblue::bounds
