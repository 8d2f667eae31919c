// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/parallel_optimum.hpp"

#include <array>
#include <bit>
#include <deque>
#include <unordered_map>

namespace redblue::testing {

TinyKernel tiny_gemm(int m, int n, int k) {
  TinyKernel t;
  std::vector<int> a, b, c;
  for (int i = 0; i < m * k; ++i) a.push_back(t.element(true));
  for (int i = 0; i < k * n; ++i) b.push_back(t.element(true));
  for (int i = 0; i < m * n; ++i) c.push_back(t.element(false));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int l = 0; l < k; ++l)
        t.product({a[static_cast<std::size_t>(i * k + l)], b[static_cast<std::size_t>(l * n + j)]},
                  c[static_cast<std::size_t>(i * n + j)]);
  return t;
}

namespace {

// Elements (i, j), i >= j or all, in a square table.
struct Table {
  int n = 0;
  std::vector<int> at;
  Table(TinyKernel& t, int rows, int columns, bool given, bool lower)
      : n(columns), at(static_cast<std::size_t>(rows * columns), -1) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        if (!lower || i > j) at[static_cast<std::size_t>(i * n + j)] = t.element(given);
  }
  int operator()(int i, int j) const { return at[static_cast<std::size_t>(i * n + j)]; }
};

}  // namespace

TinyKernel tiny_syrk(int n, int k) {
  TinyKernel t;
  const Table a(t, n, k, true, false), c(t, n, n, false, true);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      for (int l = 0; l < k; ++l) t.product({a(i, l), a(j, l)}, c(i, j));
  return t;
}

TinyKernel tiny_syr2k(int n, int k) {
  TinyKernel t;
  const Table a(t, n, k, true, false), b(t, n, k, true, false), c(t, n, n, false, true);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      for (int l = 0; l < k; ++l) {
        t.product({a(i, l), b(j, l)}, c(i, j));
        t.product({b(i, l), a(j, l)}, c(i, j));
      }
  return t;
}

TinyKernel tiny_symm(int n, int m) {
  TinyKernel t;
  const Table a(t, n, n, true, true), b(t, n, m, true, false), c(t, n, m, false, false);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < m && i != k; ++j)
        t.product({i > k ? a(i, k) : a(k, i), b(k, j)}, c(i, j));
  return t;
}

TinyKernel tiny_trsm(int n, int m) {
  TinyKernel t;
  const Table a(t, n, n, true, true), x(t, n, m, true, false);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < i; ++k)
      for (int j = 0; j < m; ++j) t.product({a(i, k), x(k, j)}, x(i, j));
  return t;
}

TinyKernel tiny_cholesky(int n) {
  TinyKernel t;
  const Table a(t, n, n, true, true);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      for (int k = 0; k < j; ++k) t.product({a(i, k), a(j, k)}, a(i, j));
  return t;
}

TinyKernel tiny_lu(int m, int n) {
  TinyKernel t;
  const Table a(t, m, n, true, false);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < i && k < j; ++k) t.product({a(i, k), a(k, j)}, a(i, j));
  return t;
}

namespace {

constexpr int ranks = 2;

// The words of each rank, and who formed which product.
struct State {
  std::array<std::uint64_t, ranks> words = {};  // a bit for each part of each element
  std::array<std::uint32_t, ranks> formed = {};
  bool operator==(const State&) const = default;
};

struct Hash {
  std::size_t operator()(const State& s) const {
    std::uint64_t h = 0;
    for (const std::uint64_t x :
         {s.words[0], s.words[1], std::uint64_t{s.formed[0]} << 32 | s.formed[1]})
      h = (h ^ x) * 0x9e3779b97f4a7c15ULL ^ (h >> 29);
    return h;
  }
};

class Search {
 public:
  Search(const TinyKernel& kernel, int most, int memory)
      : kernel_(kernel), most_(most), memory_(memory) {
    int first = 0;
    for (const auto& e : kernel.elements) {
      const int parts = (e.given ? 1 : 0) + e.products;
      first_.push_back(first);
      masks_.push_back(((std::uint64_t{1} << parts) - 1) << first);
      first += parts;
    }
  }

  std::optional<int> least() {
    place(0, {});
    while (!next_.empty()) {
      const State s = next_.front();
      next_.pop_front();
      const auto [cost, done] = known_.at(s);
      if (done) continue;
      known_.at(s).second = true;
      if (finished(s)) return cost;
      for (int r = 0; r < ranks; ++r) moves(s, r, cost);
    }
    return std::nullopt;
  }

 private:
  void place(std::size_t e, const State& s) {
    if (e == kernel_.elements.size()) return offer(s, 0);
    if (!kernel_.elements[e].given) return place(e + 1, s);
    for (int r = 0; r < ranks; ++r) {
      State t = s;
      t.words[static_cast<std::size_t>(r)] |= std::uint64_t{1} << first_[e];
      place(e + 1, t);
    }
  }

  int held(std::uint64_t words) const {
    int count = 0;
    for (const std::uint64_t mask : masks_) count += (words & mask) != 0 ? 1 : 0;
    return count;
  }

  bool finished(const State& s) const {
    for (std::size_t e = 0; e < masks_.size(); ++e) {
      if (kernel_.elements[e].products == 0) continue;
      bool somewhere = false;
      for (const std::uint64_t w : s.words) somewhere = somewhere || (w & masks_[e]) == masks_[e];
      if (!somewhere) return false;
    }
    return true;
  }

  // Ranks are alike.
  void offer(State s, int cost) {
    if (std::pair(s.words[1], s.formed[1]) < std::pair(s.words[0], s.formed[0])) {
      std::swap(s.words[0], s.words[1]);
      std::swap(s.formed[0], s.formed[1]);
    }
    for (const std::uint64_t w : s.words) {
      if (held(w) > memory_) return;
    }
    const auto [at, is_new] = known_.try_emplace(s, cost, false);
    if (!is_new && at->second.first <= cost) return;
    at->second.first = cost;
    next_.push_back(s);
  }

  void moves(const State& s, int rank, int cost) {
    const auto r = static_cast<std::size_t>(rank);
    for (std::size_t p = 0; p < kernel_.products.size(); ++p) form(s, r, p, cost);
    const bool is_full = held(s.words[r]) == memory_;
    for (std::size_t e = 0; e < masks_.size(); ++e) {
      const std::uint64_t own = s.words[r] & masks_[e];
      State t = s;
      t.words[r] &= ~masks_[e];
      if (own != 0 && is_full) free_.push_back(t);
      const std::uint64_t coming = s.words[1 - r] & masks_[e];
      if (coming == 0 || coming == own) continue;
      // added to what is here, but where a product would count twice
      t.words[r] |= (coming & own) != 0 ? coming : coming | own;
      paid_.push_back(t);
    }
    for (const State& t : free_) offer_in_front(t, cost);
    for (const State& t : paid_) offer(t, cost + 1);
    free_.clear();
    paid_.clear();
  }

  void form(const State& s, std::size_t r, std::size_t product, int cost) {
    const std::uint32_t bit = std::uint32_t{1} << product;
    if (((s.formed[0] | s.formed[1]) & bit) != 0) return;
    if (std::popcount(s.formed[r]) >= most_) return;
    const TinyKernel::Product& p = kernel_.products[product];
    for (const int e : p.read) {
      const std::uint64_t mask = masks_[static_cast<std::size_t>(e)];
      if ((s.words[r] & mask) != mask) return;
    }
    State t = s;
    t.formed[r] |= bit;
    t.words[r] |= std::uint64_t{1} << (first_[static_cast<std::size_t>(p.added_to)] + p.part);
    offer_in_front(t, cost);
  }

  void offer_in_front(const State& s, int cost) {
    const std::size_t before = next_.size();
    offer(s, cost);
    if (next_.size() == before) return;
    next_.push_front(next_.back());
    next_.pop_back();
  }

  const TinyKernel& kernel_;
  int most_, memory_;
  std::vector<int> first_;
  std::vector<std::uint64_t> masks_;
  std::unordered_map<State, std::pair<int, bool>, Hash> known_;  // cost, and whether it is final
  std::deque<State> next_;
  std::vector<State> free_, paid_;
};

}  // namespace

std::optional<int> least_words(const TinyKernel& kernel, int most, int memory) {
  return Search(kernel, most, memory).least();
}

}  // namespace redblue::testing
