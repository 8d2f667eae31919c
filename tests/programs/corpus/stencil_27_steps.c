void smooth(int n, int T, double u[n][n][n], double v[n][n][n], double c[3][3][3]) {
  for (int t = 0; t < T; t++) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      for (int k = 1; k < n - 1; k++) {
        double s = 0;
        for (int a = -1; a <= 1; a++)
          for (int b = -1; b <= 1; b++)
            for (int d = -1; d <= 1; d++) s += c[a + 1][b + 1][d + 1] * u[i + a][j + b][k + d];
        v[i][j][k] = s;
      }
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      for (int k = 1; k < n - 1; k++) u[i][j][k] = v[i][j][k];
  }
}
