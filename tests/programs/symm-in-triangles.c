// SPDX-License-Identifier: BSD-3-Clause
// symm of 4 H rows in an order that keeps triangles of A: its first and last 2 H rows, and between
// them two halves of a square, each for all columns before the next.
void symm_in_triangles(int H, int N, double alpha, double beta, double A[4 * H][4 * H],
                       double B[4 * H][N], double C[4 * H][N], double dot[4 * H][N]) {
#pragma scop
  for (int j = 0; j < N; j++)
    for (int i = 0; i < 2 * H; i++) {
      dot[i][j] = 0;
      for (int k = 0; k < i; k++) {
        C[k][j] += alpha * B[i][j] * A[i][k];
        dot[i][j] += B[k][j] * A[i][k];
      }
      C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * dot[i][j];
    }
  for (int j = 0; j < N; j++)
    for (int i = 2 * H; i < 4 * H; i++) {
      dot[i][j] = 0;
      for (int k = 0; k < H; k++) {
        C[k][j] += alpha * B[i][j] * A[i][k];
        dot[i][j] += B[k][j] * A[i][k];
      }
    }
  for (int j = 0; j < N; j++)
    for (int i = 2 * H; i < 4 * H; i++)
      for (int k = H; k < 2 * H; k++) {
        C[k][j] += alpha * B[i][j] * A[i][k];
        dot[i][j] += B[k][j] * A[i][k];
      }
  for (int j = 0; j < N; j++)
    for (int i = 2 * H; i < 4 * H; i++) {
      for (int k = 2 * H; k < i; k++) {
        C[k][j] += alpha * B[i][j] * A[i][k];
        dot[i][j] += B[k][j] * A[i][k];
      }
      C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * dot[i][j];
    }
#pragma endscop
}
