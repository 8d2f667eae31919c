// SPDX-License-Identifier: BSD-3-Clause
#include "cli/compare/peer.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <complex>
#include <vector>

#include "comm/number.hpp"
#include "redblue/error.hpp"
#include "scalapack/element.hpp"

namespace redblue::cli {

namespace {

using Get = void (*)(int context, int what, int* value);
using GridInit = void (*)(int* context, const char* order, int rows, int columns);
using GridInfo = void (*)(int context, int* rows, int* columns, int* row, int* column);
using GridExit = void (*)(int context);

}  // namespace

Peer::Peer(const std::string& path, int rows, int columns) {
  std::vector<std::string> tried = {"libscalapack-openmpi.so.2.2", "libscalapack-openmpi.so",
                                    "libscalapack.so.2.2", "libscalapack.so"};
  if (!path.empty()) tried = {path};
  for (const std::string& candidate : tried) {
    // Global: redblue's own ScaLAPACK surface, where it is loaded too, finds the BLACS there.
    library_ = dlopen(candidate.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library_ != nullptr) {
      name_ = candidate;
      break;
    }
  }
  if (library_ == nullptr) {
    std::string names;
    for (const std::string& t : tried) names += (names.empty() ? "" : ", ") + t;
    throw Error("ScaLAPACK", "none of " + names + " can be loaded",
                "install libscalapack-openmpi2.2 or pass --scalapack FILE");
  }
  reinterpret_cast<Get>(symbol("Cblacs_get"))(0, 0, &context_);
  reinterpret_cast<GridInit>(symbol("Cblacs_gridinit"))(&context_, "Row", rows, columns);
  int shape[2];
  int place[2];
  reinterpret_cast<GridInfo>(symbol("Cblacs_gridinfo"))(context_, &shape[0], &shape[1], &place[0],
                                                        &place[1]);
  inside_ = context_ >= 0 && place[0] >= 0;
}

Peer::~Peer() {
  if (inside_) reinterpret_cast<GridExit>(symbol("Cblacs_gridexit"))(context_);
}

void* Peer::symbol(const std::string& name) const {
  void* found = dlsym(library_, name.c_str());
  if (found == nullptr) {
    throw Error("ScaLAPACK in " + name_, name + " is missing", "pass --scalapack FILE");
  }
  return found;
}

std::array<int, 9> Peer::descriptor(const BlockCyclic& layout) const {
  const auto as_int = [](std::int64_t x) { return static_cast<int>(x); };
  return {1,
          context_,
          as_int(layout.rows),
          as_int(layout.columns),
          as_int(layout.down.block),
          as_int(layout.across.block),
          layout.down.source,
          layout.across.source,
          as_int(layout.leading)};
}

template <class T>
void Peer::gemm(const GemmLayouts& layouts, const GemmShape& shape, T alpha, const T* a, const T* b,
                T beta, T* c) const {
  if (!inside_) return;
  const auto call =
      reinterpret_cast<scalapack::Pgemm<T>>(symbol(scalapack::routine<T>("gemm") + "_"));
  const auto of = [this](const Layout& l) { return descriptor(std::get<BlockCyclic>(l)); };
  const std::array<int, 9> da = of(layouts.a);
  const std::array<int, 9> db = of(layouts.b);
  const std::array<int, 9> dc = of(layouts.c);
  const int sizes[] = {static_cast<int>(shape.m), static_cast<int>(shape.n),
                       static_cast<int>(shape.k)};
  const char ops[] = {letter(layouts.op_a), letter(layouts.op_b)};
  const int one = 1;
  call(&ops[0], &ops[1], &sizes[0], &sizes[1], &sizes[2], &alpha, a, &one, &one, da.data(), b, &one,
       &one, db.data(), &beta, c, &one, &one, dc.data());
}

template <class T>
void Peer::syrk(const BlockCyclic& at_a, const BlockCyclic& at_c, const T* a, T* c) const {
  if (!inside_) return;
  using Call =
      void (*)(const char*, const char*, const int*, const int*, const T*, const T*, const int*,
               const int*, const int*, const T*, T*, const int*, const int*, const int*);
  const auto call = reinterpret_cast<Call>(symbol(scalapack::routine<T>("syrk") + "_"));
  const std::array<int, 9> da = descriptor(at_a);
  const std::array<int, 9> dc = descriptor(at_c);
  const int n = static_cast<int>(at_a.rows);
  const int k = static_cast<int>(at_a.columns);
  const int one = 1;
  const T alpha(1);
  const T beta(0);
  call("L", "N", &n, &k, &alpha, a, &one, &one, da.data(), &beta, c, &one, &one, dc.data());
}

template <class T>
void Peer::syr2k(const BlockCyclic& at_a, const BlockCyclic& at_c, const T* a, const T* b,
                 T* c) const {
  if (!inside_) return;
  using Call = void (*)(const char*, const char*, const int*, const int*, const T*, const T*,
                        const int*, const int*, const int*, const T*, const int*, const int*,
                        const int*, const T*, T*, const int*, const int*, const int*);
  const auto call = reinterpret_cast<Call>(symbol(scalapack::routine<T>("syr2k") + "_"));
  const std::array<int, 9> da = descriptor(at_a);
  const std::array<int, 9> dc = descriptor(at_c);
  const int n = static_cast<int>(at_a.rows);
  const int k = static_cast<int>(at_a.columns);
  const int one = 1;
  const T alpha(1);
  const T beta(0);
  call("L", "N", &n, &k, &alpha, a, &one, &one, da.data(), b, &one, &one, da.data(), &beta, c, &one,
       &one, dc.data());
}

template <class T>
void Peer::symm(const BlockCyclic& at_a, const BlockCyclic& at_b, const T* a, const T* b,
                T* c) const {
  if (!inside_) return;
  using Call = void (*)(const char*, const char*, const int*, const int*, const T*, const T*,
                        const int*, const int*, const int*, const T*, const int*, const int*,
                        const int*, const T*, T*, const int*, const int*, const int*);
  const auto call = reinterpret_cast<Call>(symbol(scalapack::routine<T>("symm") + "_"));
  const std::array<int, 9> da = descriptor(at_a);
  const std::array<int, 9> db = descriptor(at_b);
  const int m = static_cast<int>(at_b.rows);
  const int n = static_cast<int>(at_b.columns);
  const int one = 1;
  const T alpha(1);
  const T beta(0);
  call("L", "L", &m, &n, &alpha, a, &one, &one, da.data(), b, &one, &one, db.data(), &beta, c, &one,
       &one, db.data());
}

template <class T>
void Peer::cholesky(const BlockCyclic& layout, T* a) const {
  if (!inside_) return;
  using Call = void (*)(const char*, const int*, T*, const int*, const int*, const int*, int*);
  const auto call = reinterpret_cast<Call>(symbol(scalapack::routine<T>("potrf") + "_"));
  const std::array<int, 9> d = descriptor(layout);
  const int n = static_cast<int>(layout.rows);
  const int one = 1;
  int info = 0;
  call("L", &n, a, &one, &one, d.data(), &info);
}

template <class T>
void Peer::trsm(const BlockCyclic& at_l, const BlockCyclic& at_b, const T* l, T* b) const {
  if (!inside_) return;
  using Call = void (*)(const char*, const char*, const char*, const char*, const int*, const int*,
                        const T*, const T*, const int*, const int*, const int*, T*, const int*,
                        const int*, const int*);
  const auto call = reinterpret_cast<Call>(symbol(scalapack::routine<T>("trsm") + "_"));
  const std::array<int, 9> dl = descriptor(at_l);
  const std::array<int, 9> db = descriptor(at_b);
  const int n = static_cast<int>(at_b.rows);
  const int m = static_cast<int>(at_b.columns);
  const int one = 1;
  const T alpha(1);
  call("L", "L", "N", "N", &n, &m, &alpha, l, &one, &one, dl.data(), b, &one, &one, db.data());
}

template <class T>
void Peer::trsv(Triangle triangle, Op op, bool unit, const BlockCyclic& at_t,
                const BlockCyclic& at_x, const T* t, T* x) const {
  if (!inside_) return;
  using Call = void (*)(const char*, const char*, const char*, const int*, const T*, const int*,
                        const int*, const int*, T*, const int*, const int*, const int*, const int*);
  const auto call = reinterpret_cast<Call>(symbol(scalapack::routine<T>("trsv") + "_"));
  const std::array<int, 9> dt = descriptor(at_t);
  const std::array<int, 9> dx = descriptor(at_x);
  const int n = static_cast<int>(at_t.rows);
  const int one = 1;
  const char letter_of_op = letter(op);
  call(triangle == Triangle::lower ? "L" : "U", &letter_of_op, unit ? "U" : "N", &n, t, &one, &one,
       dt.data(), x, &one, &one, dx.data(), &one);
}

template <class T>
std::vector<int> Peer::lu(const BlockCyclic& layout, T* a) const {
  if (!inside_) return {};
  using Call = void (*)(const int*, const int*, T*, const int*, const int*, const int*, int*, int*);
  const auto call = reinterpret_cast<Call>(symbol(scalapack::routine<T>("getrf") + "_"));
  const std::array<int, 9> d = descriptor(layout);
  const int m = static_cast<int>(layout.rows);
  const int n = static_cast<int>(layout.columns);
  const int one = 1;
  int info = 0;
  std::vector<int> pivots(static_cast<std::size_t>(layout.leading + layout.down.block));
  call(&m, &n, a, &one, &one, d.data(), pivots.data(), &info);
  return pivots;
}

template <class T>
std::vector<T> Peer::qr(const BlockCyclic& layout, T* a) const {
  if (!inside_) return {};
  using Call = void (*)(const int*, const int*, T*, const int*, const int*, const int*, T*, T*,
                        const int*, int*);
  const auto call = reinterpret_cast<Call>(symbol(scalapack::routine<T>("geqrf") + "_"));
  const std::array<int, 9> d = descriptor(layout);
  const int m = static_cast<int>(layout.rows);
  const int n = static_cast<int>(layout.columns);
  const int one = 1;
  int info = 0;
  const std::int64_t columns = layout.columns / layout.across.processes + 2 * layout.across.block;
  std::vector<T> tau(static_cast<std::size_t>(columns));
  std::vector<T> work(static_cast<std::size_t>(layout.across.block *
                                               (layout.leading + columns + layout.across.block)));
  const int size = static_cast<int>(work.size());
  call(&m, &n, a, &one, &one, d.data(), tau.data(), work.data(), &size, &info);
  return tau;
}

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_INSTANTIATE(T)                                                                     \
  template void Peer::gemm(const GemmLayouts&, const GemmShape&, T, const T*, const T*, T, T*)     \
      const;                                                                                       \
  template void Peer::syrk(const BlockCyclic&, const BlockCyclic&, const T*, T*) const;            \
  template void Peer::syr2k(const BlockCyclic&, const BlockCyclic&, const T*, const T*, T*) const; \
  template void Peer::symm(const BlockCyclic&, const BlockCyclic&, const T*, const T*, T*) const;  \
  template void Peer::trsm(const BlockCyclic&, const BlockCyclic&, const T*, T*) const;            \
  template void Peer::trsv(Triangle, Op, bool, const BlockCyclic&, const BlockCyclic&, const T*,   \
                           T*) const;                                                              \
  template void Peer::cholesky(const BlockCyclic&, T*) const;                                      \
  template std::vector<T> Peer::qr(const BlockCyclic&, T*) const;                                  \
  template std::vector<int> Peer::lu(const BlockCyclic&, T*) const;
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_FOR_ALL_NUMBERS(REDBLUE_INSTANTIATE)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::cli
