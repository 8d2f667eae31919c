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
static long* table_of_thread(void) {
  if (!mine) {
    struct table* t = malloc(sizeof *t);
    mine = t->counts = calloc(2 * (redblue_loops + 1), sizeof(long));
    t->next = __atomic_load_n(&tables, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&tables, &t->next, t, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {}
  }
  return mine;
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
