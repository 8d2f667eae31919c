// SPDX-License-Identifier: BSD-3-Clause
// A ScaLAPACK for `redblue compare --scalapack`: p?gemm by collectives alone, as COSMA does it, on
// a grid of one row, for whole matrices and no transposition. The BLACS are those it is linked
// with. REDBLUE_PEER_TIMES: how often it multiplies in a call (1).
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

extern "C" {
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void dgemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
            const double* beta, double* c, const int* ldc);
}

namespace {

int ranks = 1;
int me = 0;

// Columns 0 .. n - 1 in blocks, dealt out to the ranks in turn.
struct Columns {
  std::vector<std::vector<int>> of_rank;

  Columns(int n, int block) : of_rank(static_cast<std::size_t>(ranks)) {
    for (int j = 0; j < n; ++j) of_rank[static_cast<std::size_t>(j / block % ranks)].push_back(j);
  }
  const std::vector<int>& of(int rank) const { return of_rank[static_cast<std::size_t>(rank)]; }
  int count(int rank) const { return static_cast<int>(of(rank).size()); }
  // In each rank's part, for columns of so many words, and where the parts begin one after another.
  std::vector<int> words(int each) const {
    std::vector<int> result;
    for (int r = 0; r < ranks; ++r) result.push_back(each * count(r));
    return result;
  }
};

std::vector<int> begins(const std::vector<int>& words) {
  std::vector<int> result;
  int at = 0;
  for (const int w : words) {
    result.push_back(at);
    at += w;
  }
  return result;
}

std::size_t size(int rows, int columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

// C = A B; C is packed.
void multiply(int m, int n, int k, const double* a, int lda, const double* b, int ldb, double* c) {
  const double one = 1;
  const double zero = 0;
  if (m > 0 && n > 0) dgemm_("N", "N", &m, &n, &k, &one, a, &lda, b, &ldb, &zero, c, &m);
}

bool is_set(const char* variable) {
  return std::getenv(variable) != nullptr;
}

// All ranks' parts, one after another; by shared memory where REDBLUE_PEER_SHARED is set.
void gather(const std::vector<double>& mine, const std::vector<int>& words,
            const std::vector<int>& at, std::vector<double>& all) {
  if (!is_set("REDBLUE_PEER_SHARED")) {
    MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, all.data(), words.data(),
                   at.data(), MPI_DOUBLE, MPI_COMM_WORLD);
    return;
  }
  double* own = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_allocate_shared(static_cast<MPI_Aint>(8 * mine.size()), 8, MPI_INFO_NULL, MPI_COMM_WORLD,
                          static_cast<void*>(&own), &window);
  MPI_Win_fence(0, window);
  std::copy(mine.begin(), mine.end(), own);
  MPI_Win_fence(0, window);
  for (int r = 0; r < ranks; ++r) {
    MPI_Aint bytes = 0;
    int unit = 0;
    const double* part = nullptr;
    MPI_Win_shared_query(window, r, &bytes, &unit, static_cast<void*>(&part));
    const auto index = static_cast<std::size_t>(r);
    std::copy(part, part + words[index], all.data() + at[index]);
  }
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

// C's first `top` rows: everyone gathers A's, and multiplies by its own columns of B.
void by_gathering(int top, int k, const Columns& inner, int own_columns, const double* a, int lda,
                  const double* b, int ldb, std::vector<double>& c) {
  std::vector<double> mine;
  for (int l = 0; l < inner.count(me); ++l)
    mine.insert(mine.end(), a + size(lda, l), a + size(lda, l) + top);
  const std::vector<int> words = inner.words(top);
  const std::vector<int> at = begins(words);
  std::vector<double> gathered(size(top, k));
  gather(mine, words, at, gathered);
  std::vector<double> sorted(size(top, k));
  for (int r = 0; r < ranks; ++r) {
    for (int l = 0; l < inner.count(r); ++l) {
      const double* from = gathered.data() + at[static_cast<std::size_t>(r)] + size(top, l);
      std::copy(from, from + top,
                sorted.data() + size(top, inner.of(r)[static_cast<std::size_t>(l)]));
    }
  }
  multiply(top, own_columns, k, sorted.data(), top, b, ldb, c.data());
}

// C's other rows: everyone gets the rows of B that go with its columns of A, and what all then have
// of C is added up.
void by_adding_up(int bottom, const Columns& inner, const Columns& outer, const double* a, int lda,
                  const double* b, int ldb, std::vector<double>& c) {
  std::vector<double> sent;
  std::vector<int> to;
  std::vector<int> from;
  for (int r = 0; r < ranks; ++r) {
    for (int j = 0; j < outer.count(me); ++j) {
      for (const int l : inner.of(r)) sent.push_back(b[size(ldb, j) + static_cast<std::size_t>(l)]);
    }
    to.push_back(inner.count(r) * outer.count(me));
    from.push_back(inner.count(me) * outer.count(r));
  }
  const std::vector<int> to_at = begins(to);
  const std::vector<int> from_at = begins(from);
  int n = 0;
  for (int r = 0; r < ranks; ++r) n += outer.count(r);
  const int own = inner.count(me);
  std::vector<double> rows(size(own, n));  // of B; columns rank by rank
  MPI_Alltoallv(sent.data(), to.data(), to_at.data(), MPI_DOUBLE, rows.data(), from.data(),
                from_at.data(), MPI_DOUBLE, MPI_COMM_WORLD);
  std::vector<double> sums(size(bottom, n));
  multiply(bottom, n, own, a, lda, rows.data(), std::max(1, own), sums.data());
  const std::vector<int> words = outer.words(bottom);
  MPI_Reduce_scatter(sums.data(), c.data(), words.data(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

}  // namespace

extern "C" void pdgemm_(const char* /*ta*/, const char* /*tb*/, const int* m, const int* n,
                        const int* k, const double* alpha, const double* a, const int* /*ia*/,
                        const int* /*ja*/, const int* at_a, const double* b, const int* /*ib*/,
                        const int* /*jb*/, const int* at_b, const double* beta, double* c,
                        const int* /*ic*/, const int* /*jc*/, const int* at_c) {
  int rows = 0;
  int row = 0;
  Cblacs_gridinfo(at_a[1], &rows, &ranks, &row, &me);
  if (rows != 1) MPI_Abort(MPI_COMM_WORLD, 3);
  const Columns inner(*k, at_a[5]);
  const Columns outer(*n, at_c[5]);
  const char* often = std::getenv("REDBLUE_PEER_TIMES");
  const int times = often == nullptr ? 1 : std::atoi(often);
  const int top = is_set("REDBLUE_PEER_SHARED") ? *m : *m / 2;
  const int bottom = *m - top;
  const int own = outer.count(me);
  std::vector<double> upper(size(top, own));
  std::vector<double> lower(size(bottom, own));
  for (int t = 0; t < times; ++t) {
    by_gathering(top, *k, inner, own, a, at_a[8], b, at_b[8], upper);
    by_adding_up(bottom, inner, outer, a + top, at_a[8], b, at_b[8], lower);
  }
  for (int j = 0; j < own; ++j) {
    double* column = c + size(at_c[8], j);
    for (int i = 0; i < *m; ++i) {
      const double x = i < top ? upper[size(top, j) + static_cast<std::size_t>(i)]
                               : lower[size(bottom, j) + static_cast<std::size_t>(i - top)];
      column[i] = *alpha * x + (*beta == 0 ? 0 : *beta * column[i]);
    }
  }
}
