#include <math.h>
void cholesky(int n, double *A) {
  for (int i = 0; i < n; i++) {
    double *a = A + i * n;
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++) a[j] -= a[k] * A[j * n + k];
      a[j] /= A[j * n + j];
    }
    for (int k = 0; k < i; k++) a[i] -= a[k] * a[k];
    a[i] = sqrt(a[i]);
  }
}
