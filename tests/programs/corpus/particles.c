struct particle { double x, v, f; };
void step(int n, int steps, struct particle *p, double dt) {
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n; i++) {
      p[i].v += dt * p[i].f;
      p[i].x += dt * p[i].v;
    }
}
