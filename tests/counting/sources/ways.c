/* Guards, conditions, breaks, steps and memory of all kinds. */
struct grid {
  int nx, ny;
  double* u;
};
int N;
static double dot(const double* x, const double* y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}
void calls(int n, double* a) {
  for (int i = 0; i < n; i++) a[i] = dot(a, a, i) + dot(a, a, n);
}
void members(struct grid* g, double* a) {
  for (int i = 0; i < g->nx; i++)
    for (int j = i; j < g->ny; j++) g->u[j] += a[i] * N;
  for (int i = 0; i < N; i++) a[i] = 0;
}
void conditions(int n, int m, double* a) {
  for (int i = 0; i < n && i < m; i++) {
    if (i % 2 == 0)
      for (int j = 0; j < i; j++) a[j] += 1;
    else
      continue;
    if (i > 10 || m > 7)
      for (int j = 0; j < m; j++) a[j] *= 2;
  }
}
void ends(int n, int m, double* a) {
  for (int i = 0; i < n; i++) {
    if (i * i > n) break;
    for (int j = 0; j < m; j++) a[j] *= 2;
  }
  int i = n;
  do {
    i -= 3;
    a[0] = i;
  } while (i > 0);
}
void wraps(unsigned n, double* a) {
  for (unsigned k = n - 1; k < n; k--) a[k] = 0;
  for (unsigned long k = n; k-- > 0;) a[k] = 0;
  for (unsigned k = n; k > 0; k /= 2) a[k] = 0;
}
void steps(int n, double* a) {
  for (int k = n; k >= 0; k -= 7) a[0] += 1;
  for (long k = 1; k <= n; k *= 3) a[0] += 1;
  for (long k = n; k > 1; k >>= 2) a[0] += 1;
  for (int k = 0; k != n; ++k) a[k] = 0;
}
void choices(int n, double* a) {
  for (int k = 0; k < n; ++k) {
    switch (k) {
      case 1:
        for (int j = 0; j < 4; j++) a[j] = 0;
        break;
      case 2:
        a[0] = 1;
      default:
        for (int j = 0; j < 9; j++) a[j] = 0;
    }
  }
}
void never(int x) {
  while (x > 0) x = x;
}
void never_left(int x) {
  for (;;) x++;
}
