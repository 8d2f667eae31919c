#define AT(i, j) ((i) * (n + 2) + (j))
void jacobi(int n, int steps, double *u, double *v) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i <= n; i++)
      for (int j = 1; j <= n; j++)
        v[AT(i, j)] = 0.25 * (u[AT(i - 1, j)] + u[AT(i + 1, j)] + u[AT(i, j - 1)] + u[AT(i, j + 1)]);
    for (int i = 1; i <= n; i++)
      for (int j = 1; j <= n; j++) u[AT(i, j)] = v[AT(i, j)];
  }
}
