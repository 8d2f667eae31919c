// SPDX-License-Identifier: BSD-3-Clause
// C += A B with a micro-kernel of 6 x 6, written out; rows one behind the other.
void gemm(int n, const double *A, const double *B, double *C) {
  for (int i = 0; i < n; i += 6)
    for (int j = 0; j < n; j += 6) {
      double c00 = 0, c01 = 0, c02 = 0, c03 = 0, c04 = 0, c05 = 0;
      double c10 = 0, c11 = 0, c12 = 0, c13 = 0, c14 = 0, c15 = 0;
      double c20 = 0, c21 = 0, c22 = 0, c23 = 0, c24 = 0, c25 = 0;
      double c30 = 0, c31 = 0, c32 = 0, c33 = 0, c34 = 0, c35 = 0;
      double c40 = 0, c41 = 0, c42 = 0, c43 = 0, c44 = 0, c45 = 0;
      double c50 = 0, c51 = 0, c52 = 0, c53 = 0, c54 = 0, c55 = 0;
      for (int k = 0; k < n; k++) {
        double a0 = A[i * n + k], a1 = A[(i + 1) * n + k], a2 = A[(i + 2) * n + k],
               a3 = A[(i + 3) * n + k], a4 = A[(i + 4) * n + k], a5 = A[(i + 5) * n + k];
        double b0 = B[k * n + j], b1 = B[k * n + j + 1], b2 = B[k * n + j + 2],
               b3 = B[k * n + j + 3], b4 = B[k * n + j + 4], b5 = B[k * n + j + 5];
        c00 += a0 * b0; c01 += a0 * b1; c02 += a0 * b2; c03 += a0 * b3; c04 += a0 * b4; c05 += a0 * b5;
        c10 += a1 * b0; c11 += a1 * b1; c12 += a1 * b2; c13 += a1 * b3; c14 += a1 * b4; c15 += a1 * b5;
        c20 += a2 * b0; c21 += a2 * b1; c22 += a2 * b2; c23 += a2 * b3; c24 += a2 * b4; c25 += a2 * b5;
        c30 += a3 * b0; c31 += a3 * b1; c32 += a3 * b2; c33 += a3 * b3; c34 += a3 * b4; c35 += a3 * b5;
        c40 += a4 * b0; c41 += a4 * b1; c42 += a4 * b2; c43 += a4 * b3; c44 += a4 * b4; c45 += a4 * b5;
        c50 += a5 * b0; c51 += a5 * b1; c52 += a5 * b2; c53 += a5 * b3; c54 += a5 * b4; c55 += a5 * b5;
      }
      C[i * n + j] += c00; C[i * n + j + 1] += c01; C[i * n + j + 2] += c02;
      C[i * n + j + 3] += c03; C[i * n + j + 4] += c04; C[i * n + j + 5] += c05;
      C[(i + 1) * n + j] += c10; C[(i + 1) * n + j + 1] += c11; C[(i + 1) * n + j + 2] += c12;
      C[(i + 1) * n + j + 3] += c13; C[(i + 1) * n + j + 4] += c14; C[(i + 1) * n + j + 5] += c15;
      C[(i + 2) * n + j] += c20; C[(i + 2) * n + j + 1] += c21; C[(i + 2) * n + j + 2] += c22;
      C[(i + 2) * n + j + 3] += c23; C[(i + 2) * n + j + 4] += c24; C[(i + 2) * n + j + 5] += c25;
      C[(i + 3) * n + j] += c30; C[(i + 3) * n + j + 1] += c31; C[(i + 3) * n + j + 2] += c32;
      C[(i + 3) * n + j + 3] += c33; C[(i + 3) * n + j + 4] += c34; C[(i + 3) * n + j + 5] += c35;
      C[(i + 4) * n + j] += c40; C[(i + 4) * n + j + 1] += c41; C[(i + 4) * n + j + 2] += c42;
      C[(i + 4) * n + j + 3] += c43; C[(i + 4) * n + j + 4] += c44; C[(i + 4) * n + j + 5] += c45;
      C[(i + 5) * n + j] += c50; C[(i + 5) * n + j + 1] += c51; C[(i + 5) * n + j + 2] += c52;
      C[(i + 5) * n + j + 3] += c53; C[(i + 5) * n + j + 4] += c54; C[(i + 5) * n + j + 5] += c55;
    }
}
