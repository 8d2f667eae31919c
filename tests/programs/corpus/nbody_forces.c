#include <math.h>
void forces(int n, const double *x, const double *y, double *fx, double *fy) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double dx = x[j] - x[i], dy = y[j] - y[i];
      double r = sqrt(dx * dx + dy * dy + 1e-9);
      fx[i] += dx / (r * r * r);
      fy[i] += dy / (r * r * r);
    }
}
