/* OpenMP: every way to share a loop. */
#include <omp.h>
void shared(int n, int m, double* a, double* b) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i] += b[j];
  double s = 0;
#pragma omp parallel
  {
    int p = omp_get_num_threads(), me = omp_get_thread_num();
#pragma omp for schedule(static, 4) reduction(+ : s)
    for (int i = 2; i < n; i += 3) s += a[i];
#pragma omp for schedule(dynamic, 2) nowait
    for (int i = 0; i < n; i++) b[i] = s;
#pragma omp for schedule(guided) collapse(2)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) a[i] += j;
    for (int i = me; i < n; i += p) b[i] += 1;
  }
}

/* Two loops shared as one; a sum. */
void collapsed(int n, int m, double *x) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) x[i * m + j] += 1;
}

double summed(int n, double *x) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += x[i];
  return sum;
}
