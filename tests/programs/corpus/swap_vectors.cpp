#include <utility>
#include <vector>
void run(int n, int steps, std::vector<double>& u, std::vector<double>& v) {
  for (int t = 0; t < steps; ++t) {
    for (int i = 1; i < n - 1; ++i) v[i] = 0.5 * (u[i - 1] + u[i + 1]);
    std::swap(u, v);
  }
}
