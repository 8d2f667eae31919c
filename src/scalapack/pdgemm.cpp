// PDGEMM on block-cyclic matrices: redistribute to the plan's native layout, multiply, put C back.
#include <array>
#include <cctype>
#include <cstdlib>
#include <list>
#include <memory>

#include "redblue/error.hpp"
#include "redblue/linalg.hpp"
#include "redblue/redblue.h"
#include "scalapack/blacs.hpp"
#include "scalapack/descriptor.hpp"
#include "scalapack/report.hpp"

namespace redblue::scalapack {

namespace {

// A matrix argument: local array, submatrix position, descriptor.
struct Argument {
  const double* local;
  int i, j;
  const int* descriptor;
};

struct Call {
  char transa, transb;
  int m, n, k;
  double alpha, beta;
  Argument a, b, c;
  double* result;  // c.local, writable
};

using ForwardPdgemm = void (*)(const char*, const char*, const int*, const int*, const int*,
                               const double*, const double*, const int*, const int*, const int*,
                               const double*, const int*, const int*, const int*, const double*,
                               double*, const int*, const int*, const int*);

void pass_on(const Call& call) {
  static const auto forward = reinterpret_cast<ForwardPdgemm>(next_symbol("pdgemm_"));
  if (forward == nullptr) {
    throw Error("pdgemm", "arguments redblue does not serve and no ScaLAPACK behind it",
                "link ScaLAPACK after redblue");
  }
  record_passed_on();
  forward(&call.transa, &call.transb, &call.m, &call.n, &call.k, &call.alpha, call.a.local,
          &call.a.i, &call.a.j, call.a.descriptor, call.b.local, &call.b.i, &call.b.j,
          call.b.descriptor, &call.beta, call.result, &call.c.i, &call.c.j, call.c.descriptor);
}

bool is_transpose(char c) {
  return std::toupper(static_cast<unsigned char>(c)) != 'N';
}

bool is_operation(char c) {
  const int upper = std::toupper(static_cast<unsigned char>(c));
  return upper == 'N' || upper == 'T' || upper == 'C';
}

double least_work() {
  static const double value = [] {
    const char* text = std::getenv("REDBLUE_MIN_WORK");
    return text == nullptr ? 16777216.0 : std::atof(text);
  }();
  return value;
}

// What every process can tell from its own arguments that redblue would serve them.
bool serves(const Call& call, const comm::Grid& grid) {
  if (!is_operation(call.transa) || !is_operation(call.transb)) return false;
  if (call.m < 1 || call.n < 1 || call.k < 1 || call.alpha == 0) return false;
  if (static_cast<double>(call.m) * call.n * call.k < least_work()) return false;
  const int context = call.a.descriptor[1];
  if (call.b.descriptor[1] != context || call.c.descriptor[1] != context) return false;
  const bool ta = is_transpose(call.transa);
  const bool tb = is_transpose(call.transb);
  return holds(descriptor(call.a.descriptor), grid, call.a.i, call.a.j, ta ? call.k : call.m,
               ta ? call.m : call.k) &&
         holds(descriptor(call.b.descriptor), grid, call.b.i, call.b.j, tb ? call.n : call.k,
               tb ? call.k : call.n) &&
         holds(descriptor(call.c.descriptor), grid, call.c.i, call.c.j, call.m, call.n);
}

// Everything about a call but its data; calls with equal keys share a plan.
using Key = std::array<long, 44>;

Key key_of(const Call& call) {
  Key key = {is_transpose(call.transa) ? 1 : 0, is_transpose(call.transb) ? 1 : 0, call.m, call.n,
             call.k};
  std::size_t next = 5;
  for (const Argument* x : {&call.a, &call.b, &call.c}) {
    key[next++] = x->i;
    key[next++] = x->j;
    const Descriptor d = descriptor(x->descriptor);
    for (const int value :
         {d.type, d.context, d.rows, d.columns, d.first_row_block, d.first_column_block,
          d.row_block, d.column_block, d.row_source, d.column_source, d.leading}) {
      key[next++] = value;
    }
  }
  return key;
}

// Plan, redistributions and native copies of one kind of call.
class Prepared {
 public:
  Prepared(const Call& call, std::shared_ptr<ProcessGrid> grid)
      : grid_(std::move(grid)),
        plan_(grid_->communicator, {call.m, call.n, call.k}),
        a_(redistribution(call.a, is_transpose(call.transa), Operand::a)),
        b_(redistribution(call.b, is_transpose(call.transb), Operand::b)),
        c_(redistribution(call.c, false, Operand::c)) {
    for (const Operand o : {Operand::a, Operand::b, Operand::c}) {
      native_[static_cast<std::size_t>(o)].resize(static_cast<std::size_t>(plan_.owned(o).value));
    }
  }

  void multiply(const Call& call) {
    Traffic moved;
    a_.to_native(call.a.local, native_[0].data(), moved);
    b_.to_native(call.b.local, native_[1].data(), moved);
    if (call.beta != 0) c_.to_native(call.c.local, native_[2].data(), moved);
    plan_.execute(call.alpha, native_[0].data(), native_[1].data(), call.beta, native_[2].data());
    c_.from_native(native_[2].data(), call.result, moved);
    record_served(moved, plan_.traffic().total(), grid_->own->rank().value == 0);
  }

  bool belongs_to(const std::shared_ptr<ProcessGrid>& grid) const { return grid_ == grid; }

 private:
  comm::Redistribution redistribution(const Argument& x, bool transposed, Operand operand) {
    std::vector<std::vector<OwnedPart>> parts;
    parts.reserve(static_cast<std::size_t>(grid_->own->size()));
    for (int r = 0; r < grid_->own->size(); ++r) parts.push_back(plan_.parts(operand, Rank{r}));
    return {*grid_->own, grid_->grid,
            view(descriptor(x.descriptor), grid_->grid, x.i, x.j, transposed), std::move(parts)};
  }

  std::shared_ptr<ProcessGrid> grid_;
  GemmPlan plan_;
  comm::Redistribution a_, b_, c_;
  std::array<std::vector<double>, 3> native_;
};

// The most recent kinds of calls, newest first. All processes of a grid see the same calls in the
// same order, so they keep and drop the same plans.
Prepared& prepared(const Call& call, const std::shared_ptr<ProcessGrid>& grid) {
  constexpr std::size_t kept = 4;
  static std::list<std::pair<Key, Prepared>> recent;
  const Key key = key_of(call);
  for (auto it = recent.begin(); it != recent.end(); ++it) {
    if (it->first != key || !it->second.belongs_to(grid)) continue;
    recent.splice(recent.begin(), recent, it);
    return recent.front().second;
  }
  recent.emplace_front(std::piecewise_construct, std::forward_as_tuple(key),
                       std::forward_as_tuple(call, grid));
  if (recent.size() > kept) recent.pop_back();
  return recent.front().second;
}

void pdgemm(const Call& call) {
  const std::shared_ptr<ProcessGrid> grid = process_grid(call.a.descriptor[1]);
  if (grid == nullptr || !grid->own->all(serves(call, grid->grid))) return pass_on(call);
  prepared(call, grid).multiply(call);
}

}  // namespace
}  // namespace redblue::scalapack

using redblue::scalapack::Call;

extern "C" {

void redblue_pdgemm(char transa, char transb, int m, int n, int k, double alpha, const double* a,
                    int ia, int ja, const int* desca, const double* b, int ib, int jb,
                    const int* descb, double beta, double* c, int ic, int jc, const int* descc) {
  redblue::scalapack::pdgemm({transa,
                              transb,
                              m,
                              n,
                              k,
                              alpha,
                              beta,
                              {a, ia, ja, desca},
                              {b, ib, jb, descb},
                              {c, ic, jc, descc},
                              c});
}

// ScaLAPACK's Fortran entry.
void pdgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
             const double* alpha, const double* a, const int* ia, const int* ja, const int* desca,
             const double* b, const int* ib, const int* jb, const int* descb, const double* beta,
             double* c, const int* ic, const int* jc, const int* descc) {
  redblue_pdgemm(*transa, *transb, *m, *n, *k, *alpha, a, *ia, *ja, desca, b, *ib, *jb, descb,
                 *beta, c, *ic, *jc, descc);
}

void redblue_served(long* served, long* passed_on) {
  *served = redblue::scalapack::served_calls();
  *passed_on = redblue::scalapack::passed_on_calls();
}
}
