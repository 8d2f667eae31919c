#include "cli/peer.hpp"

#include <dlfcn.h>

#include <complex>
#include <vector>

#include "redblue/error.hpp"
#include "scalapack/element.hpp"

namespace redblue::cli {

namespace {

using Get = void (*)(int context, int what, int* value);
using GridInit = void (*)(int* context, const char* order, int rows, int columns);
using GridInfo = void (*)(int context, int* rows, int* columns, int* row, int* column);
using GridExit = void (*)(int context);

char letter(Op op) {
  return op == Op::none ? 'N' : op == Op::transpose ? 'T' : 'C';
}

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

template void Peer::gemm(const GemmLayouts&, const GemmShape&, float, const float*, const float*,
                         float, float*) const;
template void Peer::gemm(const GemmLayouts&, const GemmShape&, double, const double*, const double*,
                         double, double*) const;
template void Peer::gemm(const GemmLayouts&, const GemmShape&, std::complex<float>,
                         const std::complex<float>*, const std::complex<float>*,
                         std::complex<float>, std::complex<float>*) const;
template void Peer::gemm(const GemmLayouts&, const GemmShape&, std::complex<double>,
                         const std::complex<double>*, const std::complex<double>*,
                         std::complex<double>, std::complex<double>*) const;

}  // namespace redblue::cli
