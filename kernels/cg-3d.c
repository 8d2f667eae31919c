// Conjugate gradients for the 7-point Laplacian on an N x N x N grid, T iterations.
void cg_3d(int T, int N, double x[N][N][N], double r[N][N][N], double p[N][N][N],
           double v[N][N][N], double rr[T + 1], double pv[T], double a[T], double g[T]) {
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          v[i][j][k] = 6 * p[i][j][k] - p[i - 1][j][k] - p[i + 1][j][k] - p[i][j - 1][k] -
                       p[i][j + 1][k] - p[i][j][k - 1] - p[i][j][k + 1];
    pv[t] = 0;
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++) pv[t] += p[i][j][k] * v[i][j][k];
    a[t] = rr[t] / pv[t];
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++) {
          x[i][j][k] += a[t] * p[i][j][k];
          r[i][j][k] -= a[t] * v[i][j][k];
        }
    rr[t + 1] = 0;
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++) rr[t + 1] += r[i][j][k] * r[i][j][k];
    g[t] = rr[t + 1] / rr[t];
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++) p[i][j][k] = r[i][j][k] + g[t] * p[i][j][k];
  }
#pragma endscop
}
