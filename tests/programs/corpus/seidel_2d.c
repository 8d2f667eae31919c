void seidel(int n, int steps, double *u) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i * n + j] = (u[(i - 1) * n + j] + u[i * n + j - 1] + u[i * n + j] + u[i * n + j + 1] + u[(i + 1) * n + j]) / 5;
}
