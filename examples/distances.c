/* SPDX-License-Identifier: BSD-3-Clause */
/* Squared distances between all pairs of N points with M coordinates each. */
void distances(int N, int M, double X[N][M], double D[N][N]) {
#pragma scop
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      for (int k = 0; k < M; k++) D[i][j] += (X[i][k] - X[j][k]) * (X[i][k] - X[j][k]);
    }
  }
#pragma endscop
}
