// SPDX-License-Identifier: BSD-3-Clause
#include "covering/covering.hpp"

#include <algorithm>
#include <cstdint>

namespace redblue::covering {

namespace {

// GF(p^degree) as polynomials over GF(p), coded as numbers to the base p.
class Field {
 public:
  Field(int p, int degree) : p_(p), size_(1) {
    for (int d = 0; d < degree; ++d) size_ *= p;
    std::int64_t polynomial = 0;
    while (!generated_by(++polynomial)) {
    }
  }

  std::int64_t size() const { return size_; }
  // The exponent that makes the generator x this element; of nonzero elements.
  std::int64_t logarithm(std::int64_t element) const {
    return logarithm_[static_cast<std::size_t>(element)];
  }
  std::int64_t power(std::int64_t exponent) const {
    return power_[static_cast<std::size_t>(exponent)];
  }
  std::int64_t sum(std::int64_t a, std::int64_t b) const {
    std::int64_t result = 0;
    for (std::int64_t place = 1; place < size_; place *= p_) {
      result += (a / place + b / place) % p_ * place;
    }
    return result;
  }

 private:
  // Whether x runs through all nonzero elements modulo x^degree - `polynomial`; fills the tables.
  bool generated_by(std::int64_t polynomial) {
    std::vector<std::int64_t> multiples = {0};  // of the polynomial
    while (static_cast<int>(multiples.size()) < p_) {
      multiples.push_back(sum(multiples.back(), polynomial));
    }
    power_.assign(1, 1);
    logarithm_.assign(static_cast<std::size_t>(size_), 0);
    const std::int64_t top = size_ / p_;
    for (std::int64_t x = 1;;) {
      x = sum(x % top * p_, multiples[static_cast<std::size_t>(x / top)]);
      if (x == 1) break;
      if (x == 0 || static_cast<std::int64_t>(power_.size()) == size_) return false;
      logarithm_[static_cast<std::size_t>(x)] = static_cast<std::int64_t>(power_.size());
      power_.push_back(x);
    }
    return static_cast<std::int64_t>(power_.size()) == size_ - 1;
  }

  int p_;
  std::int64_t size_;
  std::vector<std::int64_t> power_, logarithm_;
};

struct PrimePower {
  int prime = 0;
  int exponent = 0;
};

std::optional<PrimePower> prime_power(int x) {
  if (x < 2) return std::nullopt;
  int prime = 2;
  while (x % prime != 0) ++prime;
  int exponent = 0;
  for (; x % prime == 0; x /= prime) ++exponent;
  if (x != 1) return std::nullopt;
  return PrimePower{prime, exponent};
}

// The points of the projective plane are GF(q^3)'s elements up to factors in GF(q), numbered by
// their logarithms; the line through 1 and x has x + c for all c in GF(q), and 1.
std::vector<int> difference_set(int order, const PrimePower& base) {
  const Field field(base.prime, 3 * base.exponent);
  const std::int64_t points = std::int64_t{order} * order + order + 1;
  const std::int64_t x = field.power(1);
  std::vector<int> result = {0, 1};
  for (int c = 0; c + 1 < order; ++c) {
    const std::int64_t element = field.sum(x, field.power(c * points));
    result.push_back(static_cast<int>(field.logarithm(element) % points));
  }
  return result;
}

// Sets written as letters, a for the first point.
Covering spelled(int points, const std::vector<const char*>& sets) {
  Covering result{points, {}};
  for (const char* s : sets) {
    std::vector<int> set;
    for (; *s != 0; ++s) set.push_back(*s <= 'Z' ? *s - 'A' + 26 : *s - 'a');
    std::sort(set.begin(), set.end());
    result.sets.push_back(std::move(set));
  }
  return result;
}

// Of the fractions that are best by [mills1979]; sets found by search.
std::vector<Covering> small_coverings() {
  return {spelled(1, {"a"}),
          spelled(2, {"ab", "ab"}),
          spelled(3, {"ab", "ac", "bc"}),
          spelled(5, {"acd", "ace", "bde", "abc"}),
          spelled(9, {"bcegi", "aefgh", "abfhi", "acdfh", "bdegi"}),
          spelled(4, {"ab", "ac", "ad", "bc", "bd", "cd"}),
          projective_plane(2).value(),
          spelled(24, {"defloqstuw", "bdegijlntx", "cgmnoqsuvx", "abijopqrsu", "dehkloqstu",
                       "afghknprwx", "acdelmprtv", "bcfhijkmvw"}),
          spelled(10, {"adfg", "dhij", "cfgi", "acej", "cehi", "bfgj", "bcde", "efgh", "abhi"}),
          spelled(16, {"fghino", "bcfklp", "adefjm", "acgijp", "eghikn", "bcelop", "abhjln",
                       "adjkmo", "cdhmnp", "bdgilm"}),
          spelled(28, {"gjoqtuwyzA", "fiklnouwzB", "bcehkmpsyB", "bcefgilmnt", "acdhoruvwz",
                       "fhijlnpqsA", "adgkprstvB", "bemopsuwxz", "adfilnrvxy", "abdejmqrvA",
                       "cghjkqtxAB"})};
}

}  // namespace

double Covering::fraction() const {
  std::size_t largest = 0;
  for (const std::vector<int>& s : sets) largest = std::max(largest, s.size());
  return static_cast<double>(largest) / points;
}

std::optional<Covering> projective_plane(int order) {
  const std::optional<PrimePower> base = prime_power(order);
  if (!base) return std::nullopt;
  Covering result{order * order + order + 1, {}};
  const std::vector<int> line = difference_set(order, *base);
  for (int shift = 0; shift < result.points; ++shift) {
    std::vector<int> set;
    for (const int x : line) set.push_back((x + shift) % result.points);
    std::sort(set.begin(), set.end());
    result.sets.push_back(std::move(set));
  }
  return result;
}

namespace {

// A projective plane without one of its lines and the points on it.
Covering without_a_line(const Covering& plane) {
  const std::vector<int>& away = plane.sets.front();
  Covering result{plane.points - static_cast<int>(away.size()), {}};
  for (std::size_t s = 1; s < plane.sets.size(); ++s) {
    std::vector<int> set;
    for (const int x : plane.sets[s]) {
      const auto before = std::lower_bound(away.begin(), away.end(), x);
      if (before == away.end() || *before != x) {
        set.push_back(x - static_cast<int>(before - away.begin()));
      }
    }
    result.sets.push_back(std::move(set));
  }
  return result;
}

}  // namespace

std::optional<Covering> affine_plane(int order) {
  const std::optional<Covering> plane = projective_plane(order);
  if (!plane) return std::nullopt;
  return without_a_line(*plane);
}

std::vector<Covering> coverings(int sets) {
  std::vector<Covering> result;
  const auto take = [&](Covering c) {
    if (static_cast<int>(c.sets.size()) <= sets) result.push_back(std::move(c));
  };
  for (Covering& c : small_coverings()) take(std::move(c));
  constexpr int largest_order = 61;
  for (int order = 3; order <= largest_order && order * order + order <= sets; ++order) {
    std::optional<Covering> plane = projective_plane(order);
    if (!plane) continue;
    take(without_a_line(*plane));
    take(std::move(*plane));
  }
  return result;
}

}  // namespace redblue::covering
