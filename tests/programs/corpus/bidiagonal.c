#include <math.h>

/* LAPACK's gebd2: reflectors from the left and from the right in turn make A bidiagonal. */
void gebd2(int m, int n, double A[m][n], double tauq[n], double taup[n]) {
  for (int k = 0; k < n; k++) {
    double norm2 = 0;
    for (int i = k + 1; i < m; i++) norm2 += A[i][k] * A[i][k];
    double norm = sqrt(A[k][k] * A[k][k] + norm2);
    double head = A[k][k] + norm;
    tauq[k] = 2.0 / (1.0 + norm2 / (head * head));
    A[k][k] = -norm;
    for (int i = k + 1; i < m; i++) A[i][k] /= head;
    for (int j = k + 1; j < n; j++) {
      double sum = A[k][j];
      for (int i = k + 1; i < m; i++) sum += A[i][k] * A[i][j];
      sum *= tauq[k];
      A[k][j] -= sum;
      for (int i = k + 1; i < m; i++) A[i][j] -= A[i][k] * sum;
    }
    norm2 = 0;
    for (int j = k + 2; j < n; j++) norm2 += A[k][j] * A[k][j];
    norm = sqrt(A[k][k + 1] * A[k][k + 1] + norm2);
    head = A[k][k + 1] + norm;
    taup[k] = 2.0 / (1.0 + norm2 / (head * head));
    A[k][k + 1] = -norm;
    for (int j = k + 2; j < n; j++) A[k][j] /= head;
    for (int i = k + 1; i < m; i++) {
      double sum = A[i][k + 1];
      for (int j = k + 2; j < n; j++) sum += A[k][j] * A[i][j];
      sum *= taup[k];
      A[i][k + 1] -= sum;
      for (int j = k + 2; j < n; j++) A[i][j] -= A[k][j] * sum;
    }
  }
}
