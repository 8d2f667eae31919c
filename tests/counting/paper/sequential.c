/* [kwasniewski2021, chapter 2]: loops of its text and listings that one process runs. */

/* while (y < z): one variable rises, the other falls. */
void towards_each_other(int y0, int z0, double* a) {
  int y = y0, z = z0;
  while (y < z) {
    a[0] += 1;
    y += 2;
    z--;
  }
}

void listing_2_3(long y0, long m, double* a) {
  long y = y0;
  while (y < m) {
    long z = y;
    while (z < m) {
      a[0] += 1;
      z++;
    }
    y = 2 * y;
  }
}

void bounded_sums(int s, double* a) {
  int k = 1, l = 2;
  while (k > 0) {
    int m = k;
    while (m < s) {
      a[0] += 1;
      m++;
    }
    k = k + l;
    l--;
  }
}

/* i <= ceil(n / 2) */
void sum_to_half(int n, double* a) {
  for (int i = 1; i <= (n + 1) / 2; i++)
    for (int j = 0; j < i; j++) a[0] += 1;
}

/* NAS CG: a process's rows of a sparse matrix; how many entries they have, the data say. */
void fragment_of_cg(int na, int nprows, const int* rowstr, const int* colidx, const double* a,
                    const double* p, double* w) {
  int rows = (na + nprows - 1) / nprows;
  for (int j = 0; j < rows; j++) {
    double sum = 0;
    for (int k = rowstr[j]; k < rowstr[j + 1]; k++) sum += a[k] * p[colidx[k]];
    w[j] = sum;
  }
}
