/* T double sweeps of the explicit heat equation in three dimensions. */
void heat_3d(int T, int N, double A[N][N][N], double B[N][N][N]) {
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          B[i][j][k] = (A[i - 1][j][k] + A[i + 1][j][k] + A[i][j - 1][k] + A[i][j + 1][k] + A[i][j][k - 1] +
                        A[i][j][k + 1] + 2 * A[i][j][k]) / 8;
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          A[i][j][k] = (B[i - 1][j][k] + B[i + 1][j][k] + B[i][j - 1][k] + B[i][j + 1][k] + B[i][j][k - 1] +
                        B[i][j][k + 1] + 2 * B[i][j][k]) / 8;
  }
#pragma endscop
}
