// SPDX-License-Identifier: BSD-3-Clause
// Seconds of one ScaLAPACK routine by redblue and by ScaLAPACK, in turn within one run.
//   mpirun -n 4 inverse_speed LIBREDBLUE_SCALAPACK.SO ROUTINE N ROWS COLUMNS BLOCK [TURNS]
// ROUTINE: trtri, lauum, potri, getri, trmm (n x n), trmm-few (n x n times n x n/10), porfs, gerfs,
// pocon, gecon (from factors that ScaLAPACK made), sygst, sygst-product (its second type, in which
// ScaLAPACK hangs now and then), gemv or symv (redblue's by gemm and symm). Real doubles; prints
// medians and their ratio.
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "timing.hpp"

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void descinit_(int*, const int*, const int*, const int*, const int*, const int*, const int*,
               const int*, const int*, int*);
int numroc_(const int*, const int*, const int*, const int*, const int*);
void pdpotrf_(const char*, const int*, double*, const int*, const int*, const int*, int*);
void pdgetrf_(const int*, const int*, double*, const int*, const int*, const int*, int*, int*);
void pdpotrs_(const char*, const int*, const int*, const double*, const int*, const int*,
              const int*, double*, const int*, const int*, const int*, int*);
void pdgetrs_(const char*, const int*, const int*, const double*, const int*, const int*,
              const int*, const int*, double*, const int*, const int*, const int*, int*);
}

namespace {

using redblue::bench::median;

constexpr int one = 1;
constexpr int two = 2;
constexpr int zero = 0;

struct Grid {
  int context = -1, rows, columns, row = -1, column = -1;
};

struct Matrix {
  int n = 0, columns = 0;
  int descriptor[9] = {};
  std::vector<double> values;

  double* data() { return values.data(); }
};

Matrix matrix(const Grid& grid, int n, int columns, int block) {
  Matrix m;
  m.n = n;
  m.columns = columns;
  const int local_rows = numroc_(&n, &block, &grid.row, &zero, &grid.rows);
  const int local_columns = numroc_(&columns, &block, &grid.column, &zero, &grid.columns);
  const int leading = std::max(1, local_rows);
  int info = 0;
  descinit_(m.descriptor, &n, &columns, &block, &block, &zero, &zero, &grid.context, &leading,
            &info);
  m.values.resize(static_cast<std::size_t>(leading) *
                  static_cast<std::size_t>(std::max(1, local_columns)));
  for (int c = 0; c < local_columns; ++c) {
    for (int r = 0; r < local_rows; ++r) {
      const int i = (r / block * grid.rows + grid.row) * block + r % block;
      const int j = (c / block * grid.columns + grid.column) * block + c % block;
      const double x = std::sin(1.0 + 12.9898 * std::min(i, j) + 78.233 * std::max(i, j)) * 43758.5;
      m.values[static_cast<std::size_t>(r) +
               static_cast<std::size_t>(c) * static_cast<std::size_t>(leading)] =
          (x - std::floor(x) - 0.5) + (i == j ? n : 0);
    }
  }
  return m;
}

template <class Function>
Function entry(void* library, const std::string& name) {
  void* found = dlsym(library, name.c_str());
  if (found == nullptr) throw std::runtime_error(name + " is not there");
  return reinterpret_cast<Function>(found);
}

// All that the routines are called with.
struct Problem {
  Matrix a, factors, b, x;
  std::vector<int> pivots, integers;
  std::vector<double> work, forward, backward;
  int work_size = 0, integers_size = 0, info = 0;
};

// Makes what the routine changes anew, and calls it.
struct Routine {
  std::function<void()> prepare;
  std::function<void(void*)> call;
};

Routine inverse_of(const std::string& name, Problem& p) {
  using Trtri = void (*)(const char*, const char*, const int*, double*, const int*, const int*,
                         const int*, int*);
  using Lauum = void (*)(const char*, const int*, double*, const int*, const int*, const int*);
  using Potri =
      void (*)(const char*, const int*, double*, const int*, const int*, const int*, int*);
  using Getri = void (*)(const int*, double*, const int*, const int*, const int*, const int*,
                         double*, const int*, int*, const int*, int*);
  Routine r;
  r.prepare = [&p] { p.a.values = p.factors.values; };
  const int* n = &p.a.n;
  const int* d = p.a.descriptor;
  if (name == "trtri") {
    r.call = [&p, n, d](void* l) {
      entry<Trtri>(l, "pdtrtri_")("L", "N", n, p.a.data(), &one, &one, d, &p.info);
    };
  } else if (name == "lauum") {
    r.call = [&p, n, d](void* l) {
      entry<Lauum>(l, "pdlauum_")("L", n, p.a.data(), &one, &one, d);
    };
  } else if (name == "potri") {
    r.call = [&p, n, d](void* l) {
      entry<Potri>(l, "pdpotri_")("L", n, p.a.data(), &one, &one, d, &p.info);
    };
  } else {
    r.call = [&p, n, d](void* l) {
      entry<Getri>(l, "pdgetri_")(n, p.a.data(), &one, &one, d, p.pivots.data(), p.work.data(),
                                  &p.work_size, p.integers.data(), &p.integers_size, &p.info);
    };
  }
  return r;
}

Routine product_of(Problem& p) {
  using Trmm = void (*)(const char*, const char*, const char*, const char*, const int*, const int*,
                        const double*, const double*, const int*, const int*, const int*, double*,
                        const int*, const int*, const int*);
  Routine r;
  r.prepare = [&p] { p.x.values = p.b.values; };
  r.call = [&p](void* l) {
    const double alpha = 1.0 / p.a.n;
    entry<Trmm>(l, "pdtrmm_")("L", "L", "N", "N", &p.b.n, &p.b.columns, &alpha, p.a.data(), &one,
                              &one, p.a.descriptor, p.x.data(), &one, &one, p.b.descriptor);
  };
  return r;
}

Routine refinement_of(const std::string& name, Problem& p) {
  using Porfs =
      void (*)(const char*, const int*, const int*, const double*, const int*, const int*,
               const int*, const double*, const int*, const int*, const int*, const double*,
               const int*, const int*, const int*, double*, const int*, const int*, const int*,
               double*, double*, double*, const int*, int*, const int*, int*);
  using Gerfs =
      void (*)(const char*, const int*, const int*, const double*, const int*, const int*,
               const int*, const double*, const int*, const int*, const int*, const int*,
               const double*, const int*, const int*, const int*, double*, const int*, const int*,
               const int*, double*, double*, double*, const int*, int*, const int*, int*);
  using Pocon = void (*)(const char*, const int*, const double*, const int*, const int*, const int*,
                         const double*, double*, double*, const int*, int*, const int*, int*);
  Routine r;
  const bool definite = name[0] == 'p';
  r.prepare = [&p, definite] {
    p.x.values = p.b.values;
    if (definite) {
      pdpotrs_("L", &p.b.n, &p.b.columns, p.factors.data(), &one, &one, p.factors.descriptor,
               p.x.data(), &one, &one, p.x.descriptor, &p.info);
    } else {
      pdgetrs_("N", &p.b.n, &p.b.columns, p.factors.data(), &one, &one, p.factors.descriptor,
               p.pivots.data(), p.x.data(), &one, &one, p.x.descriptor, &p.info);
    }
  };
  if (name == "porfs") {
    r.call = [&p](void* l) {
      entry<Porfs>(l, "pdporfs_")(
          "L", &p.b.n, &p.b.columns, p.a.data(), &one, &one, p.a.descriptor, p.factors.data(), &one,
          &one, p.factors.descriptor, p.b.data(), &one, &one, p.b.descriptor, p.x.data(), &one,
          &one, p.x.descriptor, p.forward.data(), p.backward.data(), p.work.data(), &p.work_size,
          p.integers.data(), &p.integers_size, &p.info);
    };
  } else if (name == "gerfs") {
    r.call = [&p](void* l) {
      entry<Gerfs>(l, "pdgerfs_")(
          "N", &p.b.n, &p.b.columns, p.a.data(), &one, &one, p.a.descriptor, p.factors.data(), &one,
          &one, p.factors.descriptor, p.pivots.data(), p.b.data(), &one, &one, p.b.descriptor,
          p.x.data(), &one, &one, p.x.descriptor, p.forward.data(), p.backward.data(),
          p.work.data(), &p.work_size, p.integers.data(), &p.integers_size, &p.info);
    };
  } else {
    r.prepare = [] {};
    r.call = [&p, definite](void* l) {
      const double size = 2.0 * p.a.n;
      double result = 0;
      entry<Pocon>(l, definite ? "pdpocon_" : "pdgecon_")(
          definite ? "L" : "1", &p.a.n, p.factors.data(), &one, &one, p.factors.descriptor, &size,
          &result, p.work.data(), &p.work_size, p.integers.data(), &p.integers_size, &p.info);
    };
  }
  return r;
}

// A vector times a matrix: ScaLAPACK's own routine beside redblue's product of one column.
Routine vector_product_of(const std::string& name, Problem& p, void* redblue) {
  using Gemv =
      void (*)(const char*, const int*, const int*, const double*, const double*, const int*,
               const int*, const int*, const double*, const int*, const int*, const int*,
               const int*, const double*, double*, const int*, const int*, const int*, const int*);
  using Symv =
      void (*)(const char*, const int*, const double*, const double*, const int*, const int*,
               const int*, const double*, const int*, const int*, const int*, const int*,
               const double*, double*, const int*, const int*, const int*, const int*);
  using Gemm =
      void (*)(const char*, const char*, const int*, const int*, const int*, const double*,
               const double*, const int*, const int*, const int*, const double*, const int*,
               const int*, const int*, const double*, double*, const int*, const int*, const int*);
  using Symm =
      void (*)(const char*, const char*, const int*, const int*, const double*, const double*,
               const int*, const int*, const int*, const double*, const int*, const int*,
               const int*, const double*, double*, const int*, const int*, const int*);
  Routine r;
  r.prepare = [] {};
  const bool symmetric = name == "symv";
  r.call = [&p, symmetric, redblue](void* l) {
    const int* n = &p.a.n;
    const int* d = p.a.descriptor;
    const int* v = p.b.descriptor;
    const double alpha = 1;
    const double beta = 0;
    const auto a = p.a.data();
    const auto b = p.b.data();
    const auto x = p.x.data();
    if (l == redblue && symmetric) {
      entry<Symm>(l, "pdsymm_")("L", "L", n, &one, &alpha, a, &one, &one, d, b, &one, &one, v,
                                &beta, x, &one, &one, v);
    } else if (l == redblue) {
      entry<Gemm>(l, "pdgemm_")("N", "N", n, &one, n, &alpha, a, &one, &one, d, b, &one, &one, v,
                                &beta, x, &one, &one, v);
    } else if (symmetric) {
      entry<Symv>(l, "pdsymv_")("L", n, &alpha, a, &one, &one, d, b, &one, &one, v, &one, &beta, x,
                                &one, &one, v, &one);
    } else {
      entry<Gemv>(l, "pdgemv_")("N", n, n, &alpha, a, &one, &one, d, b, &one, &one, v, &one, &beta,
                                x, &one, &one, v, &one);
    }
  };
  return r;
}

Routine standard_form_of(const int& type, Problem& p) {
  using Sygst = void (*)(const int*, const char*, const int*, double*, const int*, const int*,
                         const int*, const double*, const int*, const int*, const int*, double*,
                         double*, const int*, int*);
  Routine r;
  const std::vector<double> before = p.a.values;
  r.prepare = [&p, before] { p.a.values = before; };
  r.call = [&p, &type](void* l) {
    double scale = 0;
    entry<Sygst>(l, "pdsyngst_")(&type, "L", &p.a.n, p.a.data(), &one, &one, p.a.descriptor,
                                 p.factors.data(), &one, &one, p.factors.descriptor, &scale,
                                 p.work.data(), &p.work_size, &p.info);
  };
  return r;
}

Routine routine(const std::string& name, Problem& p, void* redblue) {
  if (name == "sygst") return standard_form_of(one, p);
  if (name == "sygst-product") return standard_form_of(two, p);
  if (name == "gemv" || name == "symv") return vector_product_of(name, p, redblue);
  if (name == "trmm" || name == "trmm-few") return product_of(p);
  if (name == "trtri" || name == "lauum" || name == "potri" || name == "getri")
    return inverse_of(name, p);
  return refinement_of(name, p);
}

// Matrices, factors and scratch for the routine.
Problem problem(const Grid& grid, const std::string& name, int n, int block) {
  Problem p;
  const bool refines = name == "porfs" || name == "gerfs";
  p.a = matrix(grid, n, n, block);
  p.factors = p.a;
  p.b = matrix(grid, n, name == "trmm" ? n : refines ? 4 : std::max(1, n / 10), block);
  p.x = p.b;
  p.pivots.resize(static_cast<std::size_t>(n + block));
  const std::size_t scratch =
      8 * static_cast<std::size_t>(n + block) * static_cast<std::size_t>(block);
  p.work.resize(scratch);
  p.integers.resize(scratch);
  p.work_size = p.integers_size = static_cast<int>(scratch);
  p.forward.resize(static_cast<std::size_t>(n + block));
  p.backward = p.forward;
  if (name == "getri" || name == "gerfs" || name == "gecon") {
    pdgetrf_(&n, &n, p.factors.data(), &one, &one, p.a.descriptor, p.pivots.data(), &p.info);
  } else {
    pdpotrf_("L", &n, p.factors.data(), &one, &one, p.a.descriptor, &p.info);
  }
  return p;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) {
    std::fprintf(stderr, "inverse_speed LIBRARY ROUTINE N ROWS COLUMNS BLOCK [TURNS]\n");
    return 2;
  }
  MPI_Init(&argc, &argv);
  const std::string name = argv[2];
  const int n = std::atoi(argv[3]);
  const int block = std::atoi(argv[6]);
  const int turns = argc > 7 ? std::atoi(argv[7]) : 5;
  Grid grid;
  grid.rows = std::atoi(argv[4]);
  grid.columns = std::atoi(argv[5]);
  Cblacs_get(0, 0, &grid.context);
  Cblacs_gridinit(&grid.context, "Row", grid.rows, grid.columns);
  Cblacs_gridinfo(grid.context, &grid.rows, &grid.columns, &grid.row, &grid.column);
  void* const scalapack = dlopen(nullptr, RTLD_NOW);
  void* const redblue = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (redblue == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  Problem p = problem(grid, name, n, block);
  const Routine r = routine(name, p, redblue);
  std::vector<double> seconds[2];
  for (int turn = -1; turn < turns; ++turn) {  // the first warms up
    for (int who = 0; who < 2; ++who) {
      r.prepare();
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      r.call(who == 0 ? redblue : scalapack);
      double took = MPI_Wtime() - start;
      MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (turn >= 0) seconds[who].push_back(took);
    }
  }
  int me = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (me == 0) {
    std::printf("%-8s n %5d on %d x %d, block %3d: redblue %8.4f s, ScaLAPACK %8.4f s, %.2fx\n",
                name.c_str(), n, grid.rows, grid.columns, block, median(seconds[0]),
                median(seconds[1]), median(seconds[1]) / median(seconds[0]));
  }
  MPI_Finalize();
  return 0;
}
