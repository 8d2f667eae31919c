/* redblue for C programs that use ScaLAPACK: the same matrices, descriptors and submatrix indices.
 *
 * Link with -lredblue_scalapack in front of ScaLAPACK, or preload libredblue_scalapack.so: its
 * pdgemm_ then takes over ScaLAPACK's. Calls it cannot serve go to the ScaLAPACK behind it: wrong
 * arguments (which ScaLAPACK reports through PXERBLA), descriptors other than types 1 and 2,
 * replicated matrices, alpha = 0, empty products, and calls too small to gain (fewer than
 * REDBLUE_MIN_WORK multiplications, an environment variable; default 16777216).
 *
 * REDBLUE_REPORT=1 in the environment prints at exit, on the grid's first process, how many calls
 * were served and what they moved.
 */
#ifndef REDBLUE_REDBLUE_H
#define REDBLUE_REDBLUE_H

#ifdef __cplusplus
extern "C" {
#endif

/* sub(C) = alpha op(sub(A)) op(sub(B)) + beta sub(C), as ScaLAPACK's PDGEMM: op is none ('N') or
 * transpose ('T', 'C'); sub(C) is m x n, op(sub(A)) m x k, op(sub(B)) k x n; ia, ja .. count from
 * 1; desc* are array descriptors of 9 or 11 ints. Collective over the process grid. */
void redblue_pdgemm(char transa, char transb, int m, int n, int k, double alpha, const double* a,
                    int ia, int ja, const int* desca, const double* b, int ib, int jb,
                    const int* descb, double beta, double* c, int ic, int jc, const int* descc);

/* How many calls this process has had served by redblue, and how many went on to ScaLAPACK. */
void redblue_served(long* served, long* passed_on);

#ifdef __cplusplus
}
#endif

#endif
