/* Threads that the program begins itself. */
#include <pthread.h>
#include <stdlib.h>

static long n, nthreads;
static double a[1000];

struct part {
  int id;
  double sum;
};

/* Its number is the argument. */
static void *cyclic(void *argument) {
  long me = (long)argument;
  for (long i = me; i < n; i += nthreads) a[i] += 1;
  return 0;
}

/* Its number is a member of one of many structures. */
static void *triangle(void *argument) {
  struct part *part = argument;
  for (long i = part->id * n / nthreads; i < (part->id + 1) * n / nthreads; i++)
    for (long j = 0; j < 10; j++) part->sum += a[j];
  return 0;
}

static void *same(void *argument) {
  for (long i = 0; i < n / nthreads; i++) *(double *)argument += a[i];
  return 0;
}

int main(int argc, char **argv) {
  n = atoi(argv[1]);
  nthreads = atoi(argv[2]);
  pthread_t *threads = malloc(nthreads * sizeof *threads);
  struct part *parts = malloc(nthreads * sizeof *parts);
  for (long t = 0; t < nthreads; t++) pthread_create(&threads[t], 0, cyclic, (void *)t);
  for (long t = 0; t < nthreads; t++) pthread_join(threads[t], 0);
  for (long t = 0; t < nthreads; t++) parts[t].id = t;
  for (long t = 0; t < nthreads; t++) pthread_create(&threads[t], 0, triangle, &parts[t]);
  for (long t = 0; t < nthreads; t++) pthread_join(threads[t], 0);
  /* The first takes part itself. */
  for (long t = 1; t < nthreads; t++) pthread_create(&threads[t], 0, same, &parts[t].sum);
  same(&parts[0].sum);
  for (long t = 1; t < nthreads; t++) pthread_join(threads[t], 0);
  return argc < 3;
}
