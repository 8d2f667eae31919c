void jacobi(int n, int T, double u[T + 1][n]) {
  for (int t = 0; t < T; t++)
    for (int i = 1; i < n - 1; i++) u[t + 1][i] = (u[t][i - 1] + u[t][i] + u[t][i + 1]) / 3;
}
