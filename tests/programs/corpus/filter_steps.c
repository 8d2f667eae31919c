void filter(int n, int T, double u[n][n], double v[n][n], double w[3][3]) {
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        v[i][j] = 0;
        for (int a = 0; a < 3; a++)
          for (int b = 0; b < 3; b++) v[i][j] += w[a][b] * u[i + a - 1][j + b - 1];
      }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) u[i][j] = v[i][j];
  }
}
