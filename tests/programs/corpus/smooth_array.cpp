#include <array>

template <int N>
using Grid = std::array<std::array<double, N>, N>;

template <int N>
void smooth(Grid<N>& u, Grid<N>& v, int steps) {
  constexpr double w = 0.25;
  for (int t = 0; t < steps; ++t) {
    for (int i = 1; i < N - 1; ++i)
      for (int j = 1; j < N - 1; ++j)
        v[i][j] = w * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    for (int i = 1; i < N - 1; ++i)
      for (int j = 1; j < N - 1; ++j) u[i][j] = v[i][j];
  }
}
