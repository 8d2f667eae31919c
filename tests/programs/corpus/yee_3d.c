/* Maxwell's equations on Yee's grid in three dimensions. */
void yee(int n, int steps, double Ex[n][n][n], double Ey[n][n][n], double Ez[n][n][n], double Hx[n][n][n],
         double Hy[n][n][n], double Hz[n][n][n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++) {
          Ex[i][j][k] += 0.5 * (Hz[i][j][k] - Hz[i][j - 1][k] - Hy[i][j][k] + Hy[i][j][k - 1]);
          Ey[i][j][k] += 0.5 * (Hx[i][j][k] - Hx[i][j][k - 1] - Hz[i][j][k] + Hz[i - 1][j][k]);
          Ez[i][j][k] += 0.5 * (Hy[i][j][k] - Hy[i - 1][j][k] - Hx[i][j][k] + Hx[i][j - 1][k]);
        }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++) {
          Hx[i][j][k] += 0.5 * (Ey[i][j][k + 1] - Ey[i][j][k] - Ez[i][j + 1][k] + Ez[i][j][k]);
          Hy[i][j][k] += 0.5 * (Ez[i + 1][j][k] - Ez[i][j][k] - Ex[i][j][k + 1] + Ex[i][j][k]);
          Hz[i][j][k] += 0.5 * (Ex[i][j + 1][k] - Ex[i][j][k] - Ey[i + 1][j][k] + Ey[i][j][k]);
        }
  }
}
