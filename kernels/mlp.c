/* A perceptron of three layers on a batch: N rows of I inputs, hidden layers of F and G units, O results. */
#include <math.h>

void mlp(int N, int I, int F, int G, int O, double x[N][I], double u[I][F], double v[F][G], double w[G][O],
         double a[N][F], double b[N][G], double y[N][O]) {
#pragma scop
  for (int n = 0; n < N; n++)
    for (int f = 0; f < F; f++) {
      a[n][f] = 0;
      for (int i = 0; i < I; i++) a[n][f] += x[n][i] * u[i][f];
      a[n][f] = fmax(a[n][f], 0.0);
    }
  for (int n = 0; n < N; n++)
    for (int g = 0; g < G; g++) {
      b[n][g] = 0;
      for (int f = 0; f < F; f++) b[n][g] += a[n][f] * v[f][g];
      b[n][g] = fmax(b[n][g], 0.0);
    }
  for (int n = 0; n < N; n++)
    for (int o = 0; o < O; o++) {
      y[n][o] = 0;
      for (int g = 0; g < G; g++) y[n][o] += b[n][g] * w[g][o];
    }
#pragma endscop
}
