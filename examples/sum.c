/* SPDX-License-Identifier: BSD-3-Clause */
/* The sum of x: each thread adds up its part, and the parts are added by one after the other. */
double sum(int n, const double *x) {
  double total = 0;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < n; i++) total += x[i];
  return total;
}
