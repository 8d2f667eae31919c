#include <vector>

static double squared(int d, const double* a, const double* b) {
  double s = 0;
  for (int k = 0; k < d; ++k) s += (a[k] - b[k]) * (a[k] - b[k]);
  return s;
}

void distances(int n, int c, int d, const std::vector<double>& X, const std::vector<double>& M,
               std::vector<double>& D) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < c; ++j) D[i * c + j] = squared(d, &X[i * d], &M[j * d]);
}
