#include <stdlib.h>

struct boxes {
  int n;
  int* atoms;
};
struct simulation {
  struct boxes* boxes;
  double* values;
};

/* Members of what is allocated here, by pointers that are stored and loaded again. */
void allocated(int n, int m) {
  struct simulation* s = malloc(sizeof *s);
  s->boxes = malloc(sizeof *s->boxes);
  s->values = malloc(64 * sizeof(double));
  s->boxes->atoms = malloc(64 * sizeof(int));
  s->boxes->n = n;
  for (int t = 0; t < m; t++)
    for (int i = 0; i < s->boxes->n; i++) {
      s->boxes->atoms[i % 64] = t;
      s->values[i % 64] = t;
    }
}

/* The last store that is sure to come first is to another element. */
void element(int n, int k) {
  int bounds[8] = {3, 3, 3, 3, 3, 3, 3, 3};
  volatile int sum = 0;
  bounds[k] = n;
  for (int i = 0; i < bounds[2]; i++) sum += i;
}

void grow(struct simulation* s, int depth) {
  s->boxes->n = depth;
  if (depth > 0) grow(s, depth - 1);
}

/* A function that calls itself changes what the caller allocated. */
void changed(int n) {
  struct simulation* s = malloc(sizeof *s);
  volatile int sum = 0;
  s->boxes = malloc(sizeof *s->boxes);
  s->boxes->n = n;
  grow(s, 2);
  for (int i = 0; i < s->boxes->n; i++) sum += i;
}

/* Another pointer to the same object. */
void renamed(int n, int m) {
  struct boxes* both[2];
  volatile int sum = 0;
  both[0] = malloc(sizeof *both[0]);
  both[1] = both[0];
  both[0]->n = n;
  both[m % 2]->n = 5;
  for (int i = 0; i < both[0]->n; i++) sum += i;
}

int last;

/* One of two stores comes first; no loop changes what they leave. */
void either(int n, int m) {
  volatile int sum = 0;
  if (n > m)
    last = n;
  else
    last = m + 1;
  for (int t = 0; t < m; t++)
    for (int i = 0; i < last; i++) sum += i;
}
