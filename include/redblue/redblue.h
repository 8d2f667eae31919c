/* SPDX-License-Identifier: BSD-3-Clause */
/* redblue for C programs that use ScaLAPACK: the same matrices, descriptors and submatrix indices.
 *
 * Link with -lredblue_scalapack in front of ScaLAPACK, or preload libredblue_scalapack.so: it then
 * takes over
 *   p{s,d,c,z}gemm_, p{s,d,c,z}symm_, p{c,z}hemm_, p{s,d,c,z}syrk_, p{c,z}herk_,
 *   p{s,d,c,z}syr2k_, p{c,z}her2k_, p{s,d,c,z}potrf_, p{s,d,c,z}getrf_, p{s,d}tran_,
 *   p{c,z}tranu_, p{c,z}tranc_, p{s,d,c,z}trsm_, p{s,d,c,z}trsv_, p{s,d,c,z}potrs_,
 *   p{s,d,c,z}getrs_,
 *   p{s,d,c,z,i}gemr2d_ and Cp{s,d,c,z,i}gemr2d.
 * Calls it cannot serve go to the ScaLAPACK behind it: wrong arguments (which ScaLAPACK reports
 * through PXERBLA), descriptors other than types 1 and 2, replicated matrices, alpha = 0, empty
 * products, and calls too small to gain (the environment variable REDBLUE_MIN_WORK: multiplications
 * of p?gemm, p?symm and the updates, default 16777216, and 268435456 for a call unlike all recent
 * ones and for factorizations; elements of the others, default 4096).
 *
 * The environment variable REDBLUE_REPORT=1 prints at exit, on the grid's first process, how many
 * calls of each routine were served and what they moved; REDBLUE_REPORT=calls also prints a line
 * for every call, its words beside the lower bound.
 */
#ifndef REDBLUE_REDBLUE_H
#define REDBLUE_REDBLUE_H

#ifdef __cplusplus
extern "C" {
#endif

/* sub(C) = alpha op(sub(A)) op(sub(B)) + beta sub(C), as ScaLAPACK's P?GEMM: op is none ('N'),
 * transpose ('T') or conjugate transpose ('C'); sub(C) is m x n, op(sub(A)) m x k, op(sub(B))
 * k x n; ia, ja .. count from 1; desc* are array descriptors of 9 or 11 ints. Complex numbers and
 * arrays are passed by address, real and imaginary part next to each other. Collective over the
 * process grid. A null array where the process holds part of the submatrix is reported through
 * PXERBLA. */
void redblue_psgemm(char transa, char transb, int m, int n, int k, float alpha, const float* a,
                    int ia, int ja, const int* desca, const float* b, int ib, int jb,
                    const int* descb, float beta, float* c, int ic, int jc, const int* descc);
void redblue_pdgemm(char transa, char transb, int m, int n, int k, double alpha, const double* a,
                    int ia, int ja, const int* desca, const double* b, int ib, int jb,
                    const int* descb, double beta, double* c, int ic, int jc, const int* descc);
void redblue_pcgemm(char transa, char transb, int m, int n, int k, const void* alpha, const void* a,
                    int ia, int ja, const int* desca, const void* b, int ib, int jb,
                    const int* descb, const void* beta, void* c, int ic, int jc, const int* descc);
void redblue_pzgemm(char transa, char transb, int m, int n, int k, const void* alpha, const void* a,
                    int ia, int ja, const int* desca, const void* b, int ib, int jb,
                    const int* descb, const void* beta, void* c, int ic, int jc, const int* descc);

/* How many calls this process has had served by redblue, and how many went on to ScaLAPACK. */
void redblue_served(long* served, long* passed_on);

#ifdef __cplusplus
}
#endif

#endif
