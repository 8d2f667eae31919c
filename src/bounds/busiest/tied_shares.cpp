// SPDX-License-Identifier: BSD-3-Clause
// What processors receive for the runs that they share (docs/methods/busiest.md, Lemma 5): with
// Lambda_i the lines along direction i on which processors compute instances, each line once for
// each of these, prod_i Lambda_i >= V^n / share, and words >= Lambda_i - runs for each tie along i.
#include <algorithm>
#include <cmath>

#include "bounds/busiest/even_shares.hpp"
#include "bounds/busiest/ties.hpp"
#include "program/count.hpp"

namespace redblue::bounds {

using symbolic::Expr;
using symbolic::Rational;

namespace {

struct CountedTie {
  const Tie* tie;
  Amount runs;
};

bool share_values(const Tie& a, const Tie& b) {
  return std::any_of(a.values.begin(), a.values.end(),
                     [&b](const std::string& value) { return b.values.count(value) != 0; });
}

// One tie for each of n directions, and more along these whose values are no other tie's.
struct Choice {
  std::vector<const CountedTie*> basis, more;

  bool has_values_of(const CountedTie& other) const {
    const auto shares = [&other](const CountedTie* c) { return share_values(*c->tie, *other.tie); };
    return std::any_of(basis.begin(), basis.end(), shares) ||
           std::any_of(more.begin(), more.end(), shares);
  }
  // In how many ties of the basis one statement or array has values, at most.
  long overlap() const {
    long most = 1;
    for (const CountedTie* tie : basis) {
      for (const std::string& value : tie->tie->values)
        most = std::max<long>(most, std::count_if(basis.begin(), basis.end(), [&](const auto* c) {
                                return c->tie->values.count(value) != 0;
                              }));
    }
    return most;
  }
  // Of each direction: how often its lines count where what ties want is added up.
  std::vector<Rational> weights() const {
    std::vector<Rational> result;
    const Rational each = Rational(1) / overlap();
    for (const CountedTie* tie : basis) {
      result.push_back(each);
      for (const CountedTie* other : more)
        if (other->tie->along == tie->tie->along) result.back() += 1;
    }
    return result;
  }
};

class Shares {
 public:
  Shares(const TiedInstances& tied, const Sizes& sizes)
      : sizes_(sizes), all_(sizes.amount(program::count(tied.statement->domain))) {
    for (const Tie& tie : tied.ties) {
      const Amount runs = sizes.total(tie.counts);
      if (busiest_far_out(runs.formula, sizes) <= 0 || (sizes.complete && runs.value < 1)) continue;
      ties_.push_back({&tie, runs});
    }
    loops_ = tied.statement->iterators.size();
    extend(0, {});
    best_.provided = provided_even("the instances of " + tied.statement->name, inputs_);
  }

  std::optional<Busiest> busiest() const {
    if (most_far_ <= 0) return std::nullopt;
    return best_;
  }

 private:
  void extend(std::size_t next, const Choice& choice) {
    if (choice.basis.size() == loops_) {
      try_one(with_more(choice));
      return;
    }
    for (std::size_t t = next; t < ties_.size(); ++t) {
      std::vector<dataflow::Vector> rows;
      for (const CountedTie* known : choice.basis) rows.push_back(known->tie->along);
      if (!rows.empty() && !dataflow::independent(rows, ties_[t].tie->along)) continue;
      Choice longer = choice;
      longer.basis.push_back(&ties_[t]);
      extend(t + 1, longer);
    }
  }

  Choice with_more(Choice choice) const {
    for (const CountedTie& tie : ties_) {
      const bool parallel =
          std::any_of(choice.basis.begin(), choice.basis.end(),
                      [&tie](const auto* c) { return c->tie->along == tie.tie->along; });
      if (parallel && !choice.has_values_of(tie)) choice.more.push_back(&tie);
    }
    return choice;
  }

  void try_one(const Choice& choice) {
    for (const Expr& words : {words_of_each(choice), words_of_sum(choice)}) {
      const double far = busiest_far_out(words, sizes_);
      if (far <= most_far_) continue;
      most_far_ = far;
      best_.words.formula = words;
      const auto reads_inputs = [](const CountedTie* c) { return c->tie->inputs; };
      inputs_ = std::any_of(choice.basis.begin(), choice.basis.end(), reads_inputs) ||
                std::any_of(choice.more.begin(), choice.more.end(), reads_inputs);
    }
    if (!sizes_.complete || all_.value < 1) return;
    const double all_words = std::max(value_of_each(choice), value_of_sum(choice));
    best_.words.value = std::max(best_.words.value, all_words / sizes_.units);
  }

  Expr n() const { return static_cast<long>(loops_); }

  // prod (runs + R) >= V^n / share: by the inequality of the means of 1 + R / runs.
  Expr words_of_each(const Choice& choice) const {
    const Expr p = symbolic::symbol("p");
    Expr product = all_.formula, inverses = 0;
    for (const CountedTie* c : choice.basis) {
      product *= c->runs.formula;
      inverses += 1 / c->runs.formula;
    }
    const Expr root = all_.formula * GiNaC::pow(p / product, 1 / n());
    return n() * (root - 1) / (p * inverses);
  }

  double value_of_each(const Choice& choice) const {
    const auto product = [&choice](double words) {
      double sum = 0;
      for (const CountedTie* c : choice.basis) sum += std::log(c->runs.value + words);
      return sum;
    };
    return reached_at(product, log_of_product(), all_.value);
  }

  // sum of weights Lambda - runs, by the same inequality of the weighted Lambda.
  Expr words_of_sum(const Choice& choice) const {
    const Expr p = symbolic::symbol("p");
    Expr product = p * GiNaC::pow(all_.formula, n() - 1), runs = 0;
    for (const Rational& weight : choice.weights()) product *= Expr(weight);
    for (const CountedTie* c : choice.basis) runs += c->runs.formula / choice.overlap();
    for (const CountedTie* c : choice.more) runs += c->runs.formula;
    return (n() * GiNaC::pow(product, 1 / n()) - runs) / p;
  }

  double value_of_sum(const Choice& choice) const {
    double log_product = log_of_product(), runs = 0;
    for (const Rational& weight : choice.weights()) log_product += std::log(weight.to_double());
    for (const CountedTie* c : choice.basis)
      runs += c->runs.value / static_cast<double>(choice.overlap());
    for (const CountedTie* c : choice.more) runs += c->runs.value;
    const auto dimensions = static_cast<double>(loops_);
    return dimensions * std::exp(log_product / dimensions) - runs;
  }

  double log_of_product() const {
    return static_cast<double>(loops_) * std::log(all_.value) -
           std::log(even_share(all_.value, sizes_));
  }

  const Sizes& sizes_;
  const Amount all_;
  std::vector<CountedTie> ties_;
  std::size_t loops_ = 0;
  double most_far_ = 0;
  bool inputs_ = false;
  Busiest best_;
};

}  // namespace

std::optional<Busiest> crossings_of_ties(const TiedInstances& tied, const Sizes& sizes) {
  return Shares(tied, sizes).busiest();
}

void note_crossings_of_ties(const Facts& facts, const Sizes& sizes) {
  try {
    const auto& all =
        facts.once("ties", [&facts] { return tied_instances(facts.program(), facts.flow()); });
    const program::OperationLimit limit(3'000'000);
    for (const TiedInstances& tied : all) note_share(sizes, crossings_of_ties(tied, sizes));
  } catch (const program::Uncountable&) {
  } catch (const isl::exception&) {
  }
}

}  // namespace redblue::bounds
