/* Data give one thread iterations, and that thread is not the one that has most of the inner loop. */
#include <omp.h>
#include <stdlib.h>
int d[64];
double a[64];
int main(void) {
  int n = 100;
  for (int i = 0; i < 64; i++) d[i] = i == 1 ? n : 0;
#pragma omp parallel
  {
    double b[64];
    for (int j = 0; j < 64; j++) b[j] = 0;
    int r = omp_get_thread_num();
    for (int i = 0; i < d[r]; i++) for (int j = 0; j < r; j++) b[j] += d[i % 7];
    a[r] = b[0];
  }
  return 0;
}
