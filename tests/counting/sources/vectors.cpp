// Templates, range-for, lambdas, iterators.
#include <algorithm>
#include <vector>
template <class T>
T dot(const std::vector<T>& a, const std::vector<T>& b, int n) {
  T s = 0;
  for (int i = 0; i < n; ++i) s += a[i] * b[i];
  return s;
}
double templates(const std::vector<double>& a, int n, int m) {
  double s = 0;
  for (int k = 0; k < m; ++k) s += dot(a, a, n);
  return s;
}
double range(const std::vector<double>& v) {
  double s = 0;
  for (double x : v) s += x;
  return s;
}
void iterators(std::vector<double>& v) {
  for (auto it = v.begin(); it != v.end(); ++it) *it *= 2;
  std::for_each(v.begin(), v.end(), [](double& x) { x += 1; });
}
struct Grid {
  int nx, ny;
  double* u;
  template <class F>
  void each(F f) {
    for (int i = 0; i < nx; i++)
      for (int j = 0; j < ny; j++) f(i, j);
  }
};
void lambda(Grid& g, int m) {
  g.each([&](int i, int j) {
    for (int k = 0; k < m; k++) g.u[i * g.ny + j] += k;
  });
}
