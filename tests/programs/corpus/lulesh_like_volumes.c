void volumes(int nodes, int cells, const double *x, const double *y, double *area) {
  for (int i = 0; i < cells; i++)
    for (int j = 0; j < cells; j++) {
      double dx = x[(i + 1) * nodes + j] - x[i * nodes + j];
      double dy = y[i * nodes + j + 1] - y[i * nodes + j];
      area[i * cells + j] = dx * dy;
    }
}
