#include <numeric>
#include <vector>
void total(const std::vector<double>& v, double* out) {
  out[0] = std::accumulate(v.begin(), v.end(), 0.0);
}
