/* [kwasniewski2021, chapter 2]: what each of p threads runs. */
#include <omp.h>

void sorting(int n, double* a) {
#pragma omp parallel
  {
    int p = omp_get_num_threads(), id = omp_get_thread_num();
    for (int x = 0; x < n / p; x++)
      for (int y = 1; y < n; y *= 2) a[id] += 1;
  }
}

void linear_reduction(int n, double* a, double* s) {
#pragma omp parallel
  {
    int p = omp_get_num_threads(), id = omp_get_thread_num();
    for (int i = id * n / p; i < (id + 1) * n / p; i++) s[id] += a[i];
#pragma omp barrier
    double sum = 0;
    for (int j = 0; j < p; j++) sum += s[j];
    a[id] = sum;
  }
}

void tree_reduction(int n, double* a, double* s) {
#pragma omp parallel
  {
    int p = omp_get_num_threads(), id = omp_get_thread_num();
    for (int i = id * n / p; i < (id + 1) * n / p; i++) s[id] += a[i];
    for (int j = 1; j < p; j *= 2) {
#pragma omp barrier
      double other = id % (2 * j) == 0 && id + j < p ? s[id + j] : 0;
      s[id] += other;
    }
  }
}

void listing_2_2(int n, int m, double* a) {
#pragma omp parallel
  {
    int p = omp_get_num_threads(), id = omp_get_thread_num();
    int x = 1;
    while (x < n / p + 1) {
      int y = x;
      while (y < m) {
        a[id] += 1; /* S1 */
        y = 2 * y;
      }
      int z = x;
      while (z < m) {
        a[id] += 1; /* S2 */
        z = z + x;
      }
      x = 2 * x;
    }
  }
}
