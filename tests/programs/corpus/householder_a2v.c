#include <math.h>

/* LAPACK's geqr2: reflectors below the diagonal of A, R above it. */
void geqr2(int m, int n, double A[m][n], double tau[n]) {
  for (int k = 0; k < n; k++) {
    double norm2 = 0;
    for (int i = k + 1; i < m; i++) norm2 += A[i][k] * A[i][k];
    double norm = sqrt(A[k][k] * A[k][k] + norm2);
    double head = A[k][k] > 0 ? A[k][k] + norm : A[k][k] - norm;
    tau[k] = 2.0 / (1.0 + norm2 / (head * head));
    A[k][k] = A[k][k] > 0 ? -norm : norm;
    for (int i = k + 1; i < m; i++) A[i][k] /= head;
    for (int j = k + 1; j < n; j++) {
      double sum = A[k][j];
      for (int i = k + 1; i < m; i++) sum += A[i][k] * A[i][j];
      sum *= tau[k];
      A[k][j] -= sum;
      for (int i = k + 1; i < m; i++) A[i][j] -= A[i][k] * sum;
    }
  }
}
