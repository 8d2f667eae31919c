#include <vector>

struct Particle {
  double x, v, f;
};

void step(std::vector<Particle>& p, int n, int steps, double dt) {
  for (int t = 0; t < steps; ++t)
    for (int i = 0; i < n; ++i) {
      auto& q = p[i];
      q.v += dt * q.f;
      q.x += dt * q.v;
    }
}
