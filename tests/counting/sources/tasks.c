/* OpenMP: tasks, which threads take when they are free, and sections. */
void each(int n, int m, double *a) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; i++) {
#pragma omp task
    for (int j = 0; j < m; j++) a[i] += j;
  }
}

/* Tasks of different length. */
void uneven(int n, double *a) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; i++) {
#pragma omp task
    for (int j = 0; j < i; j++) a[i] += j;
  }
}

void loop(int n, int m, double *a) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i] += j;
}

/* Nobody knows how often this creates a task: each thread does. */
void by_all(int n, double *a) {
#pragma omp parallel
  {
#pragma omp task
    for (int j = 0; j < n; j++) a[j] += j;
  }
}

void sections(int n, int m, double *a, double *b) {
#pragma omp parallel sections
  {
#pragma omp section
    for (int i = 0; i < n; i++) a[i] += 1;
#pragma omp section
    for (int i = 0; i < m; i++) b[i] += 1;
#pragma omp section
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) a[i] += b[j];
  }
}
