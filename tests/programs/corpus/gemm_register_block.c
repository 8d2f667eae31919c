// SPDX-License-Identifier: BSD-3-Clause
// C += A B in blocks of 6 x 6 that stay in registers.
void gemm(int n, double A[n][n], double B[n][n], double C[n][n]) {
  for (int i = 0; i < n; i += 6)
    for (int j = 0; j < n; j += 6) {
      double c[6][6];
      for (int ii = 0; ii < 6; ii++)
        for (int jj = 0; jj < 6; jj++) c[ii][jj] = C[i + ii][j + jj];
      for (int k = 0; k < n; k++)
        for (int ii = 0; ii < 6; ii++)
          for (int jj = 0; jj < 6; jj++) c[ii][jj] += A[i + ii][k] * B[k][j + jj];
      for (int ii = 0; ii < 6; ii++)
        for (int jj = 0; jj < 6; jj++) C[i + ii][j + jj] = c[ii][jj];
    }
}
