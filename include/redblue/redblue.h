/* SPDX-License-Identifier: BSD-3-Clause */
/* redblue for C programs that use ScaLAPACK: the same matrices, descriptors and submatrix indices.
 *
 * Link with -lredblue_scalapack in front of ScaLAPACK, or preload libredblue_scalapack.so: it then
 * takes over
 *   p{s,d,c,z}gemm_, p{s,d,c,z}symm_, p{c,z}hemm_, p{s,d,c,z}syrk_, p{c,z}herk_,
 *   p{s,d,c,z}syr2k_, p{c,z}her2k_, p{s,d,c,z}potrf_, p{s,d,c,z}getrf_, p{s,d}tran_,
 *   p{c,z}tranu_, p{c,z}tranc_, p{s,d,c,z}trsm_, p{s,d,c,z}trsv_, p{s,d,c,z}potrs_,
 *   p{s,d,c,z}getrs_, p{s,d,c,z}geqrf_, p{s,d}orgqr_, p{c,z}ungqr_, p{s,d}ormqr_ and p{c,z}unmqr_
 *   (from the left),
 *   p{s,d,c,z,i}gemr2d_ and Cp{s,d,c,z,i}gemr2d.
 * Calls it cannot serve go to the ScaLAPACK behind it: wrong arguments (which ScaLAPACK reports
 * through PXERBLA), descriptors other than types 1 and 2, replicated matrices, alpha = 0, empty
 * products, calls too small to gain (multiplications of products, updates, solves: 16777216, and
 * 268435456 for a call unlike all recent ones and for factorizations, but 4194304 for QR; elements:
 * 262144 of p?tran, 4096 of p?gemr2d), and calls that ScaLAPACK is faster at: of each kind of call
 * both are timed (the third goes to ScaLAPACK), and the faster one serves the rest. Calls from
 * within a call that was passed on are ScaLAPACK's own.
 *
 * Environment variables:
 *   REDBLUE_MIN_WORK  so many multiplications, or elements: calls with fewer go to ScaLAPACK, all
 *                     others are served, without comparing times. 0: all.
 *   REDBLUE_MEMORY    what a call may take on a process beyond the matrices: bytes (4000000, 512M,
 *                     2G) or a share of what is free when a grid is first served (25%), divided by
 *                     its processes there. A call that needs more is done in rounds or goes to
 *                     ScaLAPACK. Between calls no more is kept; without it, a sixteenth of what is
 *                     free.
 *   REDBLUE_OFF       routines that are never served: gemm,potrf
 *   REDBLUE_REPORT    1 prints at exit, on the grid's first process, how many calls of each routine
 *                     were served, what they moved, and the bytes they took beyond the matrices;
 *                     calls also prints a line for every call: its words beside the lower bound, or
 *                     why it went to ScaLAPACK; html (html:FILE) instead writes a page at
 *                     MPI_Finalize, redblue-report.html (FILE). All processes must have the same.
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

/* Whether redblue serves calls from now on (1, as at the start) or all go on to ScaLAPACK (0). On
 * all processes of a grid alike. */
void redblue_serve(int serves);

#ifdef __cplusplus
}
#endif

#endif
