/* The same with a loop over the colours and rows with a stride of 2. */
void smooth(int n, int sweeps, double *u, const double *rhs) {
  for (int sweep = 0; sweep < sweeps; sweep++)
    for (int colour = 0; colour < 2; colour++)
      for (int i = 1; i < n - 1; i++)
        for (int j = 1 + (i + colour) % 2; j < n - 1; j += 2)
          u[i * n + j] = 0.25 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1] + rhs[i * n + j]);
}
