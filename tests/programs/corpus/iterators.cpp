#include <vector>
double sum(const std::vector<double>& v) {
  double s = 0;
  for (auto it = v.begin(); it != v.end(); ++it) s += *it;
  return s;
}
