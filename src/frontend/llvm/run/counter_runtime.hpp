// SPDX-License-Identifier: BSD-3-Clause
// The C side of programs that count their own iterations.
#pragma once

namespace redblue::frontend::llvm_ir {

// Each thread has a table of its own: for each loop its iterations, and how often it was entered.
// At the end every table is one line of the file that
// REDBLUE_COUNTS names, with the process's number appended.
inline constexpr const char* counter_runtime = R"(
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
extern const int redblue_loops;
struct table { struct table* next; long* counts; };
static struct table* tables;
static __thread long* mine;
static struct table* new_table(void) {
  struct table* t = malloc(sizeof *t);
  t->counts = calloc(2 * (redblue_loops + 1), sizeof(long));
  t->next = __atomic_load_n(&tables, __ATOMIC_ACQUIRE);
  while (!__atomic_compare_exchange_n(&tables, &t->next, t, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {}
  return t;
}
static long* table_of_thread(void) {
  if (!mine) mine = new_table()->counts;
  return mine;
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
  mine = calloc(2 * (redblue_loops + 1), sizeof(long));
}
void redblue_end_task(int kind) {
  const char* text = getenv("OMP_NUM_THREADS");
  int threads = text ? atoi(text) : 1, least = 0;
  if (kind >= most_kinds || threads > most_threads) abort();
  while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {}
  for (int t = 1; t < threads; t++) if (load[kind][t] < load[kind][least]) least = t;
  if (!of_thread[least]) of_thread[least] = new_table();
  for (int i = 0; i < 2 * (redblue_loops + 1); i++) {
    of_thread[least]->counts[i] += mine[i];
    if (i % 2 == 0) load[kind][least] += mine[i];
  }
  __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
  free(mine);
  mine = left[--depth];
}
void redblue_count(int loop) { table_of_thread()[2 * loop]++; }
void redblue_enter(int loop) { table_of_thread()[2 * loop + 1]++; }
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
    for (int i = 0; i < 2 * (redblue_loops + 1); i++) fprintf(f, "%ld ", t->counts[i]);
    fputc('\n', f);
  }
  if (f) fclose(f);
}
)";

}  // namespace redblue::frontend::llvm_ir
