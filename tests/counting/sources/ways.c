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

struct bin {
  int length, depth;
};

struct shelf {
  struct bin *first;
};

/* Two names for one thing: the pointer that was stored, and the one loaded again. */
void renamed(struct shelf *s, double *x) {
  struct bin *b = __builtin_malloc(sizeof *b);
  b->length = 5;
  b->depth = 3;
  s->first = b;
  s->first->length = 7;
  for (int i = 0; i < b->length; i++) x[i] += 1;
  for (int i = 0; i < b->depth; i++) x[i] += 1;
}

/* Bounds chosen in the guard. */
void chosen(int n, int m, double *x) {
  for (int i = 1; i < n; i++)
    for (int j = 1; j < (i == 1 ? m - 1 : m); j++) x[j] += 1;
}

/* A list: nobody knows its length. */
struct list {
  struct list *next;
  int length;
};

int listed(struct list *head, int n, double *x) {
  int count = 0;
  for (struct list *q = head; q; q = q->next) count++;
  for (int i = 0; i < n; i++) x[0] += 1;
  return count;
}

static void once(double *x, int n) {
  for (int i = 0; i < n; i++) x[i] += 1;
}

static void twice(double *x, int n) {
  for (int i = 0; i < 2 * n; i++) x[i / 2] += 1;
}

/* A call through a pointer, of one of two functions; a loop in a loop that the program may end in. */
void chosen_call(int n, int m, int which, double *x) {
  void (*f)(double *, int) = which > 3 ? once : twice;
  for (int i = 0; i < n; i++) {
    f(x, m);
    for (int j = 0; j < m; j++) {
      x[j] += 1;
      if (x[j] < 0) __builtin_trap();
    }
  }
}

/* The inner loop may leave both: what stands behind it runs once less. */
void left(int n, int m, int* a) {
  volatile int sum = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      if (a[j] == i) return;
      sum += j;
    }
    for (int k = 0; k < 3; k++) sum += k;
  }
}
