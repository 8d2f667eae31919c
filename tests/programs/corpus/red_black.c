/* Gauss-Seidel for Poisson's equation, red points first, then black ones. */
void red_black(int n, int sweeps, double h2, double u[n][n], const double f[n][n]) {
  for (int sweep = 0; sweep < sweeps; sweep++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        if ((i + j) % 2 == 0)
          u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - h2 * f[i][j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        if ((i + j) % 2 == 1)
          u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - h2 * f[i][j]);
  }
}
