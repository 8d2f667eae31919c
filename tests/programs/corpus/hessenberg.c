#include <math.h>

/* LAPACK's gehd2: A to upper Hessenberg form by reflectors from both sides. */
void gehd2(int n, double A[n][n], double tau[n]) {
  for (int k = 0; k < n - 2; k++) {
    double norm2 = 0;
    for (int i = k + 2; i < n; i++) norm2 += A[i][k] * A[i][k];
    double norm = sqrt(A[k + 1][k] * A[k + 1][k] + norm2);
    double head = A[k + 1][k] + norm;
    tau[k] = 2.0 / (1.0 + norm2 / (head * head));
    A[k + 1][k] = -norm;
    for (int i = k + 2; i < n; i++) A[i][k] /= head;
    for (int j = k + 1; j < n; j++) {
      double sum = A[k + 1][j];
      for (int i = k + 2; i < n; i++) sum += A[i][k] * A[i][j];
      sum *= tau[k];
      A[k + 1][j] -= sum;
      for (int i = k + 2; i < n; i++) A[i][j] -= A[i][k] * sum;
    }
    for (int i = 0; i < n; i++) {
      double sum = A[i][k + 1];
      for (int j = k + 2; j < n; j++) sum += A[i][j] * A[j][k];
      sum *= tau[k];
      A[i][k + 1] -= sum;
      for (int j = k + 2; j < n; j++) A[i][j] -= sum * A[j][k];
    }
  }
}
