/* [kwasniewski2021, chapter 2]: the loops of its text and listings. */
void sorting(int n, int p, double* a) {
  for (int x = 0; x < n / p; x++)
    for (int y = 1; y < n; y *= 2) a[0] += 1;
}
void coupled(int y0, int z0, double* a) {
  int y = y0, z = z0;
  while (y < z) {
    y += 2;
    z--;
    a[0] += 1;
  }
}
void nested(long y0, long m, double* a) {
  long y = y0;
  while (y < m) {
    long z = y;
    while (z < m) {
      z++;
      a[0] += 1;
    }
    y *= 2;
  }
}
void multipath(int n, int p, int m, double* a) {
  int x = 1;
  while (x < n / p + 1) {
    int y = x;
    while (y < m) {
      a[0] += 1;
      y = 2 * y;
    }
    int z = x;
    while (z < m) {
      a[1] += 1;
      z = z + x;
    }
    x = 2 * x;
  }
}
void bounded(int s, double* a) {
  int k = 1, l = 2;
  while (k > 0) {
    int m = k;
    while (m < s) {
      m++;
      a[0] += 1;
    }
    k = k + l;
    l--;
  }
}
void linear_reduction(int n, int p, double* a, double* s) {
  for (int i = 0; i < (n + p - 1) / p; i++) s[0] += a[i];
  for (int i = 0; i < p; i++) s[1] += s[i];
}
void tree_reduction(int n, int p, double* a, double* s) {
  for (int i = 0; i < (n + p - 1) / p; i++) s[0] += a[i];
  for (int i = 1; i < p; i *= 2) s[1] += s[i];
}
void half(int n, double* a) {
  for (int i = 1; i <= (n + 1) / 2; i++)
    for (int j = 0; j < i; j++) a[0] += 1;
}
void sparse(int na, int nprows, int* rowstr, int* colidx, double* a, double* p, double* w) {
  int rows = (na + nprows - 1) / nprows;
  for (int j = 0; j < rows; j++) {
    double sum = 0;
    for (int k = rowstr[j]; k < rowstr[j + 1]; k++) sum += a[k] * p[colidx[k]];
    w[j] = sum;
  }
}
