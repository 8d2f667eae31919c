#define AT(a, i, j, k) a[((i) * ny + (j)) * nz + (k)]
void heat(int steps, int nx, int ny, int nz, double *u, double *v) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < nx - 1; i++)
      for (int j = 1; j < ny - 1; j++)
        for (int k = 1; k < nz - 1; k++)
          AT(v, i, j, k) = 0.4 * AT(u, i, j, k) + 0.1 * (AT(u, i - 1, j, k) + AT(u, i + 1, j, k) +
                           AT(u, i, j - 1, k) + AT(u, i, j + 1, k) + AT(u, i, j, k - 1) + AT(u, i, j, k + 1));
    for (int i = 1; i < nx - 1; i++)
      for (int j = 1; j < ny - 1; j++)
        for (int k = 1; k < nz - 1; k++) AT(u, i, j, k) = AT(v, i, j, k);
  }
}
