#include <vector>

double centre(std::vector<double>& values) {
  double sum = 0;
  for (double x : values) sum += x;
  for (auto& x : values) x -= sum / values.size();
  return sum;
}
