#include <vector>
void evens(int n, const std::vector<double>& x, std::vector<double>& out) {
  for (int i = 0; i < n; i += 2) out.push_back(x[i]);
}
