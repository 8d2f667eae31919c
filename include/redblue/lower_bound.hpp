// SPDX-License-Identifier: BSD-3-Clause
// Words that ranks must receive at least, kernel by kernel. docs/methods/parallel_factorizations.md
// has the proofs.
//
// A kernel is a set of products. Each reads two elements and adds to a third: C(i,j) += A(i,k)
// B(k,j), or in a factorization A(i,j) -= L(i,k) U(k,j). The theorem, for P ranks of which each
// holds at most M words at any time and the busiest forms h of the V products: all together receive
//
//   Q >= V F(g) / g - M min(P (ceil(h / g) - 1), V / g) - D      for every whole g >= 1,
//
// where v products have at least F(v) different elements (Loomis-Whitney, for symmetric matrices
// [aldaas2023, Lemma 3]), and D counts the elements: once for those that are only read (as often as
// copies of them lie on the ranks at the start) or only added to, twice for those that are added to
// and then read. The busiest rank receives at least Q / P, and that is what all functions here
// return, in words, for the best g; 0 where the formula is below it. With g = h the memory does not
// matter; with h unlimited, nothing is assumed on who computes how much ([kwasniewski2021, Lemma
// 4.9] for gemm: 2 mnk / (P sqrt(M)), less D / P).
//
// Assumed of a run: each of the V products is formed by one rank, and a word carries one element or
// one partial sum of one. Nothing is assumed on which rank owns what.
#pragma once

#include <cstdint>
#include <optional>

#include "redblue/factor_model.hpp"
#include "redblue/gemm_model.hpp"
#include "redblue/syrk_model.hpp"
#include "redblue/units.hpp"

namespace redblue {

// What is known of the ranks.
struct RankLimits {
  int ranks = 1;
  // h: the busiest rank forms at most so many products. None: an even share of them. Infinity: any
  // number, so that only the memory limits what can be done without words.
  std::optional<double> products;
  std::optional<Words> memory;  // M: all that a rank holds, its part of the matrices included
};

// C (m x n) = A (m x k) B (k x n), V = mnk. F from Loomis-Whitney and how many products an element
// takes part in [aldaas2022]. Throws Error for a negative size or ranks < 1, like all of these.
double gemm_lower_bound(const GemmShape& shape, const RankLimits& limits);

// One triangle of C (n x n) = A A', A of k columns, off the diagonal: V = n (n-1) k / 2. F(v) is
// the least c + v t(c) / c, t (t-1) / 2 = c: for every number c of elements of C, t(c) / c of A per
// product at least. At g = sqrt(2) M^(3/2): n^2 k / (sqrt(2) P sqrt(M)) [aldaas2023, section 6].
double syrk_lower_bound(const SyrkShape& shape, const RankLimits& limits);

// One triangle of C = A B' + B A', A and B of k columns, off the diagonal: V = n (n-1) k, of which
// v have xyz >= v^2 / 2 elements x of A, y of B, z of C.
double syr2k_lower_bound(const SyrkShape& shape, const RankLimits& limits);

// C = A B with a symmetric A of order n, of which one triangle is stored, and m columns of B, off
// the diagonal of A: V = n (n-1) m, xyz >= v^2 / 2.
double symm_lower_bound(std::int64_t n, std::int64_t m, const RankLimits& limits);

// T X = B, T triangular of order n, m columns of X: V = n (n-1) m / 2. T lies on the ranks
// `copies` times before.
double trsm_lower_bound(std::int64_t n, std::int64_t m, int copies, const RankLimits& limits);

// C = T B, T triangular of order n, m columns of B, off the diagonal of T: V = n (n-1) m / 2. B and
// C are the X of TRSM, once read and once added to: the same bound.
double trmm_lower_bound(std::int64_t n, std::int64_t m, const RankLimits& limits);

// A = L L': A(i,j) -= L(i,k) L(j,k), i > j > k, with j in a later block of `block` columns than k;
// 1: all of them. F as for SYRK.
double cholesky_lower_bound(std::int64_t n, std::int64_t block, const RankLimits& limits);

// P A = L U, m x n: A(i,j) -= L(i,k) U(k,j), with i and j in later blocks of `block` pivots than k;
// 1: all of them. Within a block, what several ranks compute (tournaments, rows of pivots) does not
// count.
double lu_lower_bound(std::int64_t m, std::int64_t n, std::int64_t block, const RankLimits& limits);

// The same for all schedules whose busiest rank forms no more products than this decomposition's,
// in blocks like its. LU: than it is expected to, pivots coming up in an order as good as random.
// `memory`: all that a rank holds, the caller's arrays included. O(steps * ranks) or less.
// gemm: than an even share of the ranks that have work here; idle ones leave the others more.
double lower_bound(const Decomposition& decomposition, std::optional<Words> memory = {});
// A SYRK's; for those of rank-2k updates and symmetric products see redblue/symmetric_model.hpp.
double lower_bound(const TriangleDecomposition& decomposition, std::optional<Words> memory = {});
double lower_bound(const CholeskyDecomposition& decomposition, std::optional<Words> memory = {});
double lower_bound(const LuDecomposition& decomposition, std::optional<Words> memory = {});
// Of the solve proper: each replica has its T.
double lower_bound(const TrsmDecomposition& decomposition, std::optional<Words> memory = {});
double lower_bound(const TrsvDecomposition& decomposition, std::optional<Words> memory = {});

}  // namespace redblue
