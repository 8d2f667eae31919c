// SPDX-License-Identifier: BSD-3-Clause
// Run under mpirun, with redblue in front of ScaLAPACK: what a library in somebody else's program
// must not do. Grids are made and left thousands of times without running out of communicators;
// calls on several grids mix; no thread is started and no signal handled; a child that the program
// forks says nothing; results are right in a program of one thread and of many.
//   manners_ranks_test GRIDS [multiple]
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "redblue/layout.hpp"
#include "redblue/redblue.h"

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridmap(int* context, const int* map, int leading, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
}

namespace {

int failures = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr, "rank %d: %s\n", rank, what.c_str());
  ++failures;
}

// A grid of these processes, in this order.
int grid_of(const std::vector<int>& processes, int rows) {
  int context = 0;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridmap(&context, processes.data(), rows, rows, static_cast<int>(processes.size()) / rows);
  return context;
}

// n x n products of matrices of ones: every element is n.
void multiply(int context, int n) {
  constexpr int block = 8;
  int rows = 0, columns = 0, row = -1, column = -1;
  Cblacs_gridinfo(context, &rows, &columns, &row, &column);
  if (row < 0 || column < 0) return;
  const redblue::Cyclic down = {block, 0, rows, block};
  const redblue::Cyclic across = {block, 0, columns, block};
  const std::int64_t height = down.count(n, row);
  const int leading = static_cast<int>(std::max<std::int64_t>(1, height));
  const std::int64_t words = leading * across.count(n, column);
  const std::vector<double> ones(static_cast<std::size_t>(words) + 1, 1);
  std::vector<double> c(static_cast<std::size_t>(words) + 1, -1);
  const int d[9] = {1, context, n, n, block, block, 0, 0, leading};
  redblue_pdgemm('N', 'N', n, n, n, 1, ones.data(), 1, 1, d, ones.data(), 1, 1, d, 0, c.data(), 1,
                 1, d);
  for (std::int64_t j = 0; j < across.count(n, column); ++j) {
    for (std::int64_t i = 0; i < height; ++i) {
      if (c[static_cast<std::size_t>(i + j * leading)] != n) return expect(false, "wrong product");
    }
  }
}

std::ptrdiff_t threads() {
  const auto all = std::filesystem::directory_iterator("/proc/self/task");
  return std::distance(begin(all), end(all));
}

using Handlers = std::vector<void (*)(int)>;
Handlers handlers() {
  Handlers all;
  for (int signal = 1; signal < SIGRTMAX; ++signal) {
    struct sigaction now = {};
    sigaction(signal, nullptr, &now);
    all.push_back(now.sa_handler);
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const int grids = argc > 1 ? std::atoi(argv[1]) : 100;
  const bool many_threads = argc > 2 && std::string(argv[2]) == "multiple";
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, many_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  int size = 1;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<int> all(static_cast<std::size_t>(size));
  for (int r = 0; r < size; ++r) all[static_cast<std::size_t>(r)] = r;

  const Handlers handled = handlers();
  const std::ptrdiff_t threads_before = threads();
  const int whole = grid_of(all, 1);
  multiply(whole, 40);
  expect(threads() == threads_before, "a thread was started");
  expect(handlers() == handled, "a signal is handled");

  // two halves at once, a different number of calls in each, and the whole in between
  const std::size_t half = std::max<std::size_t>(1, all.size() / 2);
  const std::vector<int> lower(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(half));
  const std::vector<int> upper(all.begin() + static_cast<std::ptrdiff_t>(half), all.end());
  const int first = grid_of(lower, 1);
  const int second = upper.empty() ? -1 : grid_of(upper, 1);
  const bool is_lower = rank < static_cast<int>(half);
  for (int round = 0; round < 10; ++round) {
    for (int call = 0; call < (is_lower ? 3 : 5); ++call) {
      multiply(is_lower ? first : second, 30 + call + (is_lower ? 0 : 11));
    }
    multiply(whole, 33);
  }

  for (int i = 0; i < grids; ++i) {
    std::rotate(all.begin(), all.begin() + 1, all.end());
    const int rows = size % 2 == 0 && i % 2 == 0 ? 2 : 1;
    const int context = grid_of(all, rows);
    multiply(context, 20);
    Cblacs_gridexit(context);
  }

  const pid_t child = fork();
  if (child == 0) std::exit(0);  // with the destructors of the libraries
  int status = 0;
  waitpid(child, &status, 0);
  expect(status == 0, "a forked child failed");
  multiply(whole, 40);

  long served = 0;
  long passed_on = 0;
  redblue_served(&served, &passed_on);
  expect(served > grids, "calls were not served");
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
