/* SPDX-License-Identifier: BSD-3-Clause
 * redblue from C: C = A B with ScaLAPACK's descriptors.
 *   mpirun -n 4 gemm_c */
#include <mpi.h>
#include <redblue/redblue.h>
#include <stdio.h>
#include <stdlib.h>

/* The BLACS, which make grids of processes, and two tools of ScaLAPACK. */
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
int numroc_(const int* n, const int* block, const int* process, const int* source, const int* p);
void descinit_(int* descriptor, const int* m, const int* n, const int* mb, const int* nb,
               const int* row_source, const int* column_source, const int* context,
               const int* leading, int* info);

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks, me, context, grid[2], place[2], zero = 0, info, descriptor[9];
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  int down = 1;
  while ((down + 1) * (down + 1) <= ranks) ++down;
  while (ranks % down != 0) --down;
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "Row", down, ranks / down);
  Cblacs_gridinfo(context, &grid[0], &grid[1], &place[0], &place[1]);

  /* Three n x n matrices in blocks of 64 x 64. All of A is 2 and all of B is 3: C is 6 n. */
  const int n = 700, block = 64;
  const int rows = numroc_(&n, &block, &place[0], &zero, &grid[0]);
  const int columns = numroc_(&n, &block, &place[1], &zero, &grid[1]);
  const int leading = rows > 1 ? rows : 1, words = rows * columns;
  descinit_(descriptor, &n, &n, &block, &block, &zero, &zero, &context, &leading, &info);
  double* a = malloc(sizeof(double) * (size_t)(words + 1));
  double* b = malloc(sizeof(double) * (size_t)(words + 1));
  double* c = malloc(sizeof(double) * (size_t)(words + 1));
  for (int i = 0; i < words; ++i) a[i] = 2, b[i] = 3;
  redblue_pdgemm('N', 'N', n, n, n, 1.0, a, 1, 1, descriptor, b, 1, 1, descriptor, 0.0, c, 1, 1,
                 descriptor);

  int wrong = 0;
  for (int i = 0; i < words; ++i) wrong += c[i] != 6.0 * n;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  long served, passed_on;
  redblue_served(&served, &passed_on);
  if (me == 0) printf("%d elements are wrong; redblue served %ld call\n", wrong, served);
  free(a), free(b), free(c);
  Cblacs_gridexit(context);
  MPI_Finalize();
  return info == 0 && wrong == 0 && served == 1 ? 0 : 1;
}
