#include <cstddef>
#include <vector>

class Heat {
 public:
  void run(int steps) {
    for (int t = 0; t < steps; ++t) {
      for (int i = 1; i < n_ - 1; ++i)
        for (int j = 1; j < n_ - 1; ++j)
          next_[i * n_ + j] =
              u(i, j) + 0.1 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j));
      for (int i = 1; i < n_ - 1; ++i)
        for (int j = 1; j < n_ - 1; ++j) u(i, j) = next_[i * n_ + j];
    }
  }

 private:
  double& u(int i, int j) { return u_[i * n_ + j]; }
  int n_;
  std::vector<double> u_, next_;
};
