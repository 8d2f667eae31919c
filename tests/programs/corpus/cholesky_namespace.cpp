#include <cmath>
#include <vector>

namespace la::dense {

void cholesky(int n, std::vector<double>& a) {
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k)
      for (int i = j; i < n; ++i) a[i * n + j] -= a[i * n + k] * a[j * n + k];
    a[j * n + j] = std::sqrt(a[j * n + j]);
    for (int i = j + 1; i < n; ++i) a[i * n + j] /= a[j * n + j];
  }
}

}  // namespace la::dense
