// SPDX-License-Identifier: BSD-3-Clause
// The C side of programs that count their own iterations.
#pragma once

namespace redblue::frontend::llvm_ir {

// Each thread has a table of its own for each way that leads to a parallel region (its context):
// counters, and for each value whether it was noted, what it was and whether it ever differed. At
// the end every table is one line of the file that REDBLUE_COUNTS names, with the process's number
// appended: thread, context, OpenMP's number of the thread, counters, values.
inline constexpr const char* counter_runtime = R"(
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
extern const int redblue_loop_counters, redblue_counters, redblue_values, redblue_forks;
extern int omp_get_thread_num(void) __attribute__((weak));
struct table { struct table *next, *sister; long thread, context, rank; long* counts; };
static struct table* tables;
static long threads;
static __thread struct table* own; /* of this thread, one for each context */
static __thread long number;       /* of this thread, 1, 2, .. */
static __thread long context;      /* the calls that lead here, 0: none */
static __thread long* mine;        /* the table's counts */
static long* new_counts(void) { return calloc(redblue_counters + 3 * redblue_values + 1, sizeof(long)); }
static struct table* new_table(long thread, long rank) {
  struct table* t = malloc(sizeof *t);
  t->counts = new_counts();
  t->thread = thread;
  t->rank = rank;
  t->context = context;
  t->next = __atomic_load_n(&tables, __ATOMIC_ACQUIRE);
  while (!__atomic_compare_exchange_n(&tables, &t->next, t, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {}
  return t;
}
static long* table_of_thread(void) {
  if (mine) return mine;
  if (!number) number = __atomic_add_fetch(&threads, 1, __ATOMIC_ACQ_REL);
  struct table* t = own;
  while (t && t->context != context) t = t->sister;
  if (!t) {
    t = new_table(number, omp_get_thread_num ? omp_get_thread_num() : -1);
    t->sister = own;
    own = t;
  }
  return mine = t->counts;
}
/* A region takes its context from the fork that this thread was at last, others from anyone's. */
enum { most_regions = 64 };
static long forked;
static __thread long own_fork;
static __thread struct { long context; long* counts; } outside[most_regions];
static __thread int regions;
void redblue_fork(int fork) {
  own_fork = context * (redblue_forks + 1) + fork + 1;
  __atomic_store_n(&forked, own_fork, __ATOMIC_RELEASE);
}
void redblue_begin_region(void) {
  if (regions == most_regions) abort();
  outside[regions].context = context;
  outside[regions++].counts = mine;
  context = own_fork ? own_fork : __atomic_load_n(&forked, __ATOMIC_ACQUIRE);
  own_fork = 0;
  mine = 0;
}
void redblue_end_region(void) {
  context = outside[--regions].context;
  mine = outside[regions].counts;
}
/* Each task counts for one of p threads, the one that has least of its kind when it ends: greedy. */
enum { most_kinds = 256, most_threads = 1024, most_tasks_within_tasks = 1000 };
static struct table* of_thread[most_threads];
static long load[most_kinds][most_threads];
static int lock;
static __thread long* left[most_tasks_within_tasks];
static __thread int depth;
void redblue_begin_task(void) {
  table_of_thread();
  if (depth == most_tasks_within_tasks) abort();
  left[depth++] = mine;
  mine = new_counts();
}
void redblue_end_task(int kind) {
  const char* text = getenv("OMP_NUM_THREADS");
  int threads_now = text ? atoi(text) : 1, least = 0;
  if (kind >= most_kinds || threads_now > most_threads) abort();
  while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {}
  for (int t = 1; t < threads_now; t++) if (load[kind][t] < load[kind][least]) least = t;
  if (!of_thread[least]) of_thread[least] = new_table(__atomic_add_fetch(&threads, 1, __ATOMIC_ACQ_REL), -1);
  for (int i = 0; i < redblue_counters; i++) {
    of_thread[least]->counts[i] += mine[i];
    if (i < redblue_loop_counters && i % 2 == 0) load[kind][least] += mine[i];
  }
  __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
  free(mine);
  mine = left[--depth];
}
void redblue_count(int counter) { table_of_thread()[counter]++; }
void redblue_value(int value, long number_now) {
  long* v = table_of_thread() + redblue_counters + 3 * value;
  if (!v[0]) v[1] = number_now;
  else if (v[1] != number_now) v[2] = 1;
  v[0] = 1;
}
void* redblue_memory(void) {
  char* m = mmap(0, 1L << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (m == MAP_FAILED) { fputs("no memory\n", stderr); exit(1); }
  return m + (1 << 20);
}
__attribute__((constructor)) static void start(void) { alarm(300); }
__attribute__((destructor)) static void finish(void) {
  char name[4096];
  snprintf(name, sizeof name, "%s.%d", getenv("REDBLUE_COUNTS"), (int)getpid());
  FILE* f = fopen(name, "w");
  for (struct table* t = tables; f && t; t = t->next) {
    fprintf(f, "%ld %ld %ld ", t->thread, t->context, t->rank);
    for (int i = 0; i < redblue_counters + 3 * redblue_values; i++) fprintf(f, "%ld ", t->counts[i]);
    fputc('\n', f);
  }
  if (f) fclose(f);
}
)";

}  // namespace redblue::frontend::llvm_ir
