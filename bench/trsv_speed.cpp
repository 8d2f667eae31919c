// SPDX-License-Identifier: BSD-3-Clause
// Speed of solves with one right-hand side where T lies, in blocks on the squarest grid, against
// ScaLAPACK's and against what reading T's half once takes, all in one run.
//   mpirun -n 4 trsv_speed [SIZE [TURNS [BLOCK [STEP]]]]
// Alternates, for every triangle and op: all ranks read half of their part of T (matrix times
// vector), redblue solves, ScaLAPACK solves. Prints medians.
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "linalg/blas/blas.hpp"
#include "redblue/solve.hpp"
#include "timing.hpp"

namespace {

using redblue::bench::median;
using redblue::bench::slowest;

using namespace redblue;

template <class Call>
double timed(Call call) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  call();
  return slowest(MPI_Wtime() - start);
}

// ScaLAPACK's pdtrsv on a grid of its own; nothing where there is no ScaLAPACK.
class Peer {
 public:
  Peer(int rows, int columns) {
    for (const char* name : {"libscalapack-openmpi.so.2.2", "libscalapack.so"}) {
      library_ = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
      if (library_ != nullptr) break;
    }
    if (library_ == nullptr) return;
    reinterpret_cast<void (*)(int, int, int*)>(dlsym(library_, "Cblacs_get"))(0, 0, &context_);
    reinterpret_cast<void (*)(int*, const char*, int, int)>(dlsym(library_, "Cblacs_gridinit"))(
        &context_, "Row", rows, columns);
    trsv_ = reinterpret_cast<Trsv>(dlsym(library_, "pdtrsv_"));
  }
  bool exists() const { return trsv_ != nullptr; }
  void solve(const TrsvLayouts& l, const double* t, double* x) const {
    const auto& at = std::get<BlockCyclic>(l.t);
    const auto as_int = [](std::int64_t value) { return static_cast<int>(value); };
    const int n = as_int(at.rows);
    const int block = as_int(at.down.block);
    const int leading = as_int(at.leading);
    const int dt[9] = {1, context_, n, n, block, block, 0, 0, leading};
    const int dx[9] = {1, context_, n, 1, block, block, 0, 0, leading};
    const int one = 1;
    const char op = letter(l.op);
    trsv_(l.triangle == Triangle::lower ? "L" : "U", &op, "N", &n, t, &one, &one, dt, x, &one, &one,
          dx, &one);
  }

 private:
  using Trsv = void (*)(const char*, const char*, const char*, const int*, const double*,
                        const int*, const int*, const int*, double*, const int*, const int*,
                        const int*, const int*);
  void* library_ = nullptr;
  int context_ = 0;
  Trsv trsv_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  blas::use_one_thread();
  const auto argument = [&](int i, long otherwise) {
    return argc > i ? std::atol(argv[i]) : otherwise;
  };
  const std::int64_t n = argument(1, 4096);
  const long turns = argument(2, 7);
  const std::int64_t block = argument(3, 64);
  TrsvOptions options;
  if (argc > 4) options.step = argument(4, 0);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  {
    const int rows = squarest_grid_rows(ranks);
    const BlockCyclic at_t = block_cyclic(n, n, block, rows, ranks / rows, Rank{rank});
    const BlockCyclic at_x = block_cyclic(n, 1, block, rows, ranks / rows, Rank{rank});
    const Peer peer(rows, ranks / rows);
    const std::int64_t columns = array_words(at_t, Rank{rank}).value / at_t.leading;
    // small elements, and a diagonal that dominates them
    std::vector<double> t(static_cast<std::size_t>(at_t.leading * columns),
                          1 / static_cast<double>(n));
    for (std::int64_t i = 0; i < n; ++i) {
      const bool mine = at_t.down.owner(i) == rank / (ranks / rows) &&
                        at_t.across.owner(i) == rank % (ranks / rows);
      if (mine) {
        t[static_cast<std::size_t>(at_t.down.local(i) + at_t.across.local(i) * at_t.leading)] = 2;
      }
    }
    const std::vector<double> ones(static_cast<std::size_t>(std::max(at_t.leading, columns)), 1);
    std::vector<double> y(ones.size());
    std::vector<double> x(ones.size());
    if (rank == 0) {
      std::printf("trsv %ld on %d ranks, blocks of %ld: seconds, medians of %ld\n",
                  static_cast<long>(n), ranks, static_cast<long>(block), turns);
      std::printf("%-8s %12s %12s %12s %8s %10s  %s\n", "", "read half", "redblue", "ScaLAPACK",
                  "speedup", "of limit", "");
    }
    for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
      for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
        const TrsvLayouts layouts{triangle, op, false, at_t, at_x};
        TrsvPlan<double> plan(MPI_COMM_WORLD, layouts, options);
        plan.execute(t.data(), x.data());
        std::vector<double> reads, mine, theirs;
        for (long turn = 0; turn < turns; ++turn) {
          reads.push_back(timed([&] {
            blas::gemv<double>(at_t.leading, columns / 2, 1, {t.data(), at_t.leading}, ones.data(),
                               0, y.data());
          }));
          std::fill(x.begin(), x.end(), 1.0);
          mine.push_back(timed([&] { plan.execute(t.data(), x.data()); }));
          if (!peer.exists()) continue;
          std::fill(x.begin(), x.end(), 1.0);
          theirs.push_back(timed([&] { peer.solve(layouts, t.data(), x.data()); }));
        }
        const double seconds = median(mine);
        const double other = theirs.empty() ? 0 : median(theirs);
        if (rank == 0) {
          std::printf("%s %c %4s %12.5f %12.5f %12.5f %8.2f %10.3f  %s\n",
                      triangle == Triangle::lower ? "L" : "U", letter(op), "", median(reads),
                      seconds, other, other / seconds, median(reads) / seconds,
                      plan.decomposition().name().c_str());
        }
      }
    }
  }
  MPI_Finalize();
}
