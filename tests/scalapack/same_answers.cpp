// SPDX-License-Identifier: BSD-3-Clause
// What ScaLAPACK's routines answer to wrong arguments and to questions for the size of workspace, a
// line per call: the same alone and with redblue preloaded (tests/scalapack/same_answers).
//   mpirun -n 4 same_answers
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void descinit_(int*, const int*, const int*, const int*, const int*, const int*, const int*,
               const int*, const int*, int*);
using D = double;
using I = int;
void pdtrtri_(const char*, const char*, const I*, D*, const I*, const I*, const I*, I*);
void pdpotri_(const char*, const I*, D*, const I*, const I*, const I*, I*);
void pdgetri_(const I*, D*, const I*, const I*, const I*, const I*, D*, const I*, I*, const I*, I*);
void pdpocon_(const char*, const I*, const D*, const I*, const I*, const I*, const D*, D*, D*,
              const I*, I*, const I*, I*);
void pdgecon_(const char*, const I*, const D*, const I*, const I*, const I*, const D*, D*, D*,
              const I*, I*, const I*, I*);
void pdporfs_(const char*, const I*, const I*, const D*, const I*, const I*, const I*, const D*,
              const I*, const I*, const I*, const D*, const I*, const I*, const I*, D*, const I*,
              const I*, const I*, D*, D*, D*, const I*, I*, const I*, I*);
void pdgerfs_(const char*, const I*, const I*, const D*, const I*, const I*, const I*, const D*,
              const I*, const I*, const I*, const I*, const D*, const I*, const I*, const I*, D*,
              const I*, const I*, const I*, D*, D*, D*, const I*, I*, const I*, I*);
}

namespace {

constexpr int n = 40;
constexpr int block = 8;

int rank() {
  int r = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return r;
}

void say(const std::string& call, int info, double work = 0, int integers = 0) {
  if (rank() == 0) std::printf("%s: info %d, %g, %d\n", call.c_str(), info, work, integers);
}

// A call's arguments that can be wrong, one at a time.
struct Wrong {
  std::string name;
  char letter;
  int n, i, work_size, second_size;
  int row_block;  // in the descriptor
  double norm = 1;
};

// ScaLAPACK's refinement and condition numbers then compare variables that they have not set.
bool is_seen_alike(const Wrong& w) {
  return w.name != "size" && w.name != "too large" && w.name != "place 0";
}

struct Arrays {
  std::vector<double> a = std::vector<double>(n * n, 0), b = a, x = a;
  std::vector<double> forward = std::vector<double>(n), backward = forward;
  std::vector<int> pivots = std::vector<int>(4 * n), integers = std::vector<int>(1000);
  std::vector<double> work = std::vector<double>(4000);
  int descriptor[9] = {};

  Arrays(int context, const Wrong& w) {
    const int zero = 0;
    int info = 0;
    descinit_(descriptor, &n, &n, &block, &block, &zero, &zero, &context, &n, &info);
    descriptor[4] = w.row_block;
    for (int i = 0; i < n; ++i) {
      a[static_cast<std::size_t>(i + i * n)] = 1;
      // no row is exchanged
      pivots[static_cast<std::size_t>(i)] = (i / block * 2 + rank() / 2) * block + i % block + 1;
    }
  }
};

void inverses(int context, const Wrong& w) {
  const int one = 1;
  int info = 77;
  {
    Arrays r(context, w);
    pdtrtri_(&w.letter, "N", &w.n, r.a.data(), &w.i, &one, r.descriptor, &info);
    say(std::string("pdtrtri ") + w.name, info);
  }
  {
    Arrays r(context, w);
    pdpotri_(&w.letter, &w.n, r.a.data(), &w.i, &one, r.descriptor, &info);
    say(std::string("pdpotri ") + w.name, info);
  }
  {
    Arrays r(context, w);
    pdgetri_(&w.n, r.a.data(), &w.i, &one, r.descriptor, r.pivots.data(), r.work.data(),
             &w.work_size, r.integers.data(), &w.second_size, &info);
    say(std::string("pdgetri ") + w.name, info, r.work[0], r.integers[0]);
  }
}

void conditions(int context, const Wrong& w) {
  const int one = 1;
  int info = 77;
  double result = 0;
  for (const bool definite : {true, false}) {
    Arrays r(context, w);
    const char letter = definite || w.letter == 'X' ? w.letter : '1';
    (definite ? pdpocon_ : pdgecon_)(&letter, &w.n, r.a.data(), &w.i, &one, r.descriptor, &w.norm,
                                     &result, r.work.data(), &w.work_size, r.integers.data(),
                                     &w.second_size, &info);
    say(std::string(definite ? "pdpocon " : "pdgecon ") + w.name, info, r.work[0], r.integers[0]);
  }
}

void refinements(int context, const Wrong& w) {
  const int one = 1;
  const int columns = 2;
  int info = 77;
  {
    Arrays r(context, w);
    pdporfs_(&w.letter, &w.n, &columns, r.a.data(), &w.i, &one, r.descriptor, r.a.data(), &w.i,
             &one, r.descriptor, r.b.data(), &w.i, &one, r.descriptor, r.x.data(), &w.i, &one,
             r.descriptor, r.forward.data(), r.backward.data(), r.work.data(), &w.work_size,
             r.integers.data(), &w.second_size, &info);
    say(std::string("pdporfs ") + w.name, info, r.work[0], r.integers[0]);
  }
  {
    Arrays r(context, w);
    const char letter = w.letter == 'X' ? 'X' : 'N';
    pdgerfs_(&letter, &w.n, &columns, r.a.data(), &w.i, &one, r.descriptor, r.a.data(), &w.i, &one,
             r.descriptor, r.pivots.data(), r.b.data(), &w.i, &one, r.descriptor, r.x.data(), &w.i,
             &one, r.descriptor, r.forward.data(), r.backward.data(), r.work.data(), &w.work_size,
             r.integers.data(), &w.second_size, &info);
    say(std::string("pdgerfs ") + w.name, info, r.work[0], r.integers[0]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int context = -1;
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "Row", 2, 2);
  for (const Wrong& w :
       {Wrong{"letter", 'X', n, 1, 4000, 1000, block}, Wrong{"size", 'L', -1, 1, 4000, 1000, block},
        Wrong{"too large", 'L', n + 1, 1, 4000, 1000, block},
        Wrong{"place", 'L', n - 8, 3, 4000, 1000, block},
        Wrong{"place 0", 'L', n - 8, 0, 4000, 1000, block},
        Wrong{"block", 'L', n, 1, 4000, 1000, 4},
        Wrong{"short workspace", 'L', n, 1, 3, 1000, block},
        Wrong{"short second workspace", 'L', n, 1, 4000, 1, block},
        Wrong{"question", 'L', n, 1, -1, 1000, block},
        Wrong{"second question", 'L', n, 1, 4000, -1, block},
        Wrong{"norm", 'L', n, 1, 4000, 1000, block, -1.0},
        Wrong{"norm 0", 'L', n, 1, 4000, 1000, block, 0.0}}) {
    const bool of_workspace = w.work_size != 4000 || w.second_size != 1000;
    const bool of_norm = w.norm != 1;
    if (!of_norm && !of_workspace) inverses(context, w);
    // a triangle's inverse has no workspace
    if (of_workspace) {
      Arrays r(context, w);
      const int one = 1;
      int info = 77;
      pdgetri_(&w.n, r.a.data(), &w.i, &one, r.descriptor, r.pivots.data(), r.work.data(),
               &w.work_size, r.integers.data(), &w.second_size, &info);
      say(std::string("pdgetri ") + w.name, info, r.work[0], r.integers[0]);
    }
    if (w.name != "block" && is_seen_alike(w)) conditions(context, w);  // which is none to them
    if (!of_norm && is_seen_alike(w)) refinements(context, w);
  }
  inverses(context, {"nothing", 'L', n, 1, 4000, 1000, block});
  MPI_Finalize();
  return 0;
}
