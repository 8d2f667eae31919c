/* A loop that threads share, in a function that a parallel region calls and that is called without
   one, too: there one thread runs all of its iterations. */
#include <stdio.h>

static double a[1000];

static void fill(int n, double x) {
#pragma omp for
  for (int i = 0; i < n; i++) a[i] += x;
}

int main(void) {
  fill(100, 1);
#pragma omp parallel
  fill(90, 2);
  printf("%f\n", a[0]);
  return 0;
}
