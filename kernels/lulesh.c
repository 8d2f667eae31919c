/* What a step of Lagrangian shock hydrodynamics moves per element of an I x J x K mesh: corner positions
   and velocities in, volume and strain rates out, then pressure and energy (arithmetic reduced to the
   values it reads and writes). */
#include <math.h>

void lulesh(int I, int J, int K, double x[I + 1][J + 1][K + 1], double y[I + 1][J + 1][K + 1],
            double z[I + 1][J + 1][K + 1], double u[I + 1][J + 1][K + 1], double v[I + 1][J + 1][K + 1],
            double w[I + 1][J + 1][K + 1], double mass[I][J][K], double reference[I][J][K], double volume[I][J][K],
            double change[I][J][K], double length[I][J][K], double dxx[I][J][K], double dyy[I][J][K],
            double dzz[I][J][K], double energy[I][J][K], double pressure[I][J][K], double viscosity[I][J][K],
            double sound[I][J][K]) {
#pragma scop
  for (int i = 0; i < I; i++)
    for (int j = 0; j < J; j++)
      for (int k = 0; k < K; k++) {
        double a = x[i + 1][j][k] - x[i][j][k] + x[i + 1][j + 1][k + 1] - x[i][j + 1][k + 1];
        double b = y[i][j + 1][k] - y[i][j][k] + y[i + 1][j + 1][k + 1] - y[i + 1][j][k + 1];
        double c = z[i][j][k + 1] - z[i][j][k] + z[i + 1][j + 1][k + 1] - z[i + 1][j + 1][k];
        double now = a * b * c / reference[i][j][k];
        change[i][j][k] = now - volume[i][j][k];
        volume[i][j][k] = now;
        length[i][j][k] = sqrt(a * b + b * c + c * a);
        dxx[i][j][k] = (u[i + 1][j][k] - u[i][j][k] + u[i + 1][j + 1][k + 1] - u[i][j + 1][k + 1]) / a;
        dyy[i][j][k] = (v[i][j + 1][k] - v[i][j][k] + v[i + 1][j + 1][k + 1] - v[i + 1][j][k + 1]) / b;
        dzz[i][j][k] = (w[i][j][k + 1] - w[i][j][k] + w[i + 1][j + 1][k + 1] - w[i + 1][j + 1][k]) / c;
        viscosity[i][j][k] = fmin(0.0, dxx[i][j][k] + dyy[i][j][k] + dzz[i][j][k]) * length[i][j][k];
        energy[i][j][k] -= change[i][j][k] * (pressure[i][j][k] + viscosity[i][j][k]) / mass[i][j][k];
        pressure[i][j][k] = energy[i][j][k] * mass[i][j][k] / volume[i][j][k];
        sound[i][j][k] = sqrt(pressure[i][j][k] * volume[i][j][k]);
      }
#pragma endscop
}
