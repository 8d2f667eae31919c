#include <cmath>
#include <vector>

struct Bodies {
  std::vector<double> x, y, fx, fy;
  void forces(int n) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const double dx = x[j] - x[i], dy = y[j] - y[i];
        const double r = std::sqrt(dx * dx + dy * dy + 1e-9);
        fx[i] += dx / (r * r * r);
        fy[i] += dy / (r * r * r);
      }
  }
};
