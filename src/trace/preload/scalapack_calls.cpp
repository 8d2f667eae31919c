// SPDX-License-Identifier: BSD-3-Clause
// ScaLAPACK's routines, whose calls a trace names: each stands in front of ScaLAPACK's, or of
// redblue's where that is preloaded behind it. Fortran passes addresses, and behind them the
// lengths of character arguments, which are as large as addresses; the numbers below count both.
#include "loader/symbols.hpp"
#include "trace/recorder.hpp"

namespace {

using Word = void*;

template <class Function>
Function behind(const char* name) {
  return reinterpret_cast<Function>(redblue::loader::next_symbol(name));
}

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): parameters and arguments
#define PARAMETERS_8 Word x1, Word x2, Word x3, Word x4, Word x5, Word x6, Word x7, Word x8
#define ARGUMENTS_8 x1, x2, x3, x4, x5, x6, x7, x8
#define PARAMETERS_10 \
  Word x1, Word x2, Word x3, Word x4, Word x5, Word x6, Word x7, Word x8, Word x9, Word x10
#define ARGUMENTS_10 x1, x2, x3, x4, x5, x6, x7, x8, x9, x10
#define PARAMETERS_11                                                                        \
  Word x1, Word x2, Word x3, Word x4, Word x5, Word x6, Word x7, Word x8, Word x9, Word x10, \
      Word x11
#define ARGUMENTS_11 x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11
#define PARAMETERS_12                                                                        \
  Word x1, Word x2, Word x3, Word x4, Word x5, Word x6, Word x7, Word x8, Word x9, Word x10, \
      Word x11, Word x12
#define ARGUMENTS_12 x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12
#define PARAMETERS_13                                                                        \
  Word x1, Word x2, Word x3, Word x4, Word x5, Word x6, Word x7, Word x8, Word x9, Word x10, \
      Word x11, Word x12, Word x13
#define ARGUMENTS_13 x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13
#define PARAMETERS_14                                                                        \
  Word x1, Word x2, Word x3, Word x4, Word x5, Word x6, Word x7, Word x8, Word x9, Word x10, \
      Word x11, Word x12, Word x13, Word x14
#define ARGUMENTS_14 x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14
#define PARAMETERS_15                                                                        \
  Word x1, Word x2, Word x3, Word x4, Word x5, Word x6, Word x7, Word x8, Word x9, Word x10, \
      Word x11, Word x12, Word x13, Word x14, Word x15
#define ARGUMENTS_15 x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15
#define PARAMETERS_16                                                                        \
  Word x1, Word x2, Word x3, Word x4, Word x5, Word x6, Word x7, Word x8, Word x9, Word x10, \
      Word x11, Word x12, Word x13, Word x14, Word x15, Word x16
#define ARGUMENTS_16 x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16
#define PARAMETERS_17                                                                        \
  Word x1, Word x2, Word x3, Word x4, Word x5, Word x6, Word x7, Word x8, Word x9, Word x10, \
      Word x11, Word x12, Word x13, Word x14, Word x15, Word x16, Word x17
#define ARGUMENTS_17 x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16, x17
#define PARAMETERS_18                                                                        \
  Word x1, Word x2, Word x3, Word x4, Word x5, Word x6, Word x7, Word x8, Word x9, Word x10, \
      Word x11, Word x12, Word x13, Word x14, Word x15, Word x16, Word x17, Word x18
#define ARGUMENTS_18 x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16, x17, x18
#define PARAMETERS_19                                                                        \
  Word x1, Word x2, Word x3, Word x4, Word x5, Word x6, Word x7, Word x8, Word x9, Word x10, \
      Word x11, Word x12, Word x13, Word x14, Word x15, Word x16, Word x17, Word x18, Word x19
#define ARGUMENTS_19 \
  x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16, x17, x18, x19
#define PARAMETERS_21                                                                           \
  Word x1, Word x2, Word x3, Word x4, Word x5, Word x6, Word x7, Word x8, Word x9, Word x10,    \
      Word x11, Word x12, Word x13, Word x14, Word x15, Word x16, Word x17, Word x18, Word x19, \
      Word x20, Word x21
#define ARGUMENTS_21 \
  x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16, x17, x18, x19, x20, x21

#define REGION(name, n)                                             \
  void name##_(PARAMETERS_##n) {                                    \
    static const auto next = behind<decltype(&name##_)>(#name "_"); \
    const redblue::trace::Region region(#name);                     \
    next(ARGUMENTS_##n);                                            \
  }
#define REAL(name, n) REGION(ps##name, n) REGION(pd##name, n)
#define COMPLEX(name, n) REGION(pc##name, n) REGION(pz##name, n)
#define ANY(name, n) REAL(name, n) COMPLEX(name, n)

// The entry for C takes numbers as they are.
#define REGION_GEMR2D(name)                                                                        \
  void C##name(int m, int n, Word a, int ia, int ja, Word at_a, Word b, int ib, int jb, Word at_b, \
               int context) {                                                                      \
    static const auto next = behind<decltype(&C##name)>("C" #name);                                \
    const redblue::trace::Region region(#name);                                                    \
    next(m, n, a, ia, ja, at_a, b, ib, jb, at_b, context);                                         \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {
ANY(gemm, 19)
ANY(symm, 18)
COMPLEX(hemm, 18)
ANY(syrk, 14)
COMPLEX(herk, 14)
ANY(syr2k, 18)
COMPLEX(her2k, 18)
ANY(trmm, 15)
ANY(trsm, 15)
REAL(tran, 12)
COMPLEX(tranu, 12)
COMPLEX(tranc, 12)
ANY(gemv, 19)
ANY(trsv, 13)
ANY(potrf, 8)
ANY(potrs, 13)
ANY(potri, 8)
ANY(posv, 13)
ANY(getrf, 8)
ANY(getrs, 14)
ANY(getri, 11)
ANY(gesv, 12)
ANY(trtri, 10)
ANY(geqrf, 10)
REAL(orgqr, 11)
COMPLEX(ungqr, 11)
REAL(ormqr, 19)
COMPLEX(unmqr, 19)
ANY(gels, 16)
REAL(syev, 17)
REAL(syevd, 19)
COMPLEX(heevd, 21)
ANY(gemr2d, 11)
REGION(pigemr2d, 11)
REGION_GEMR2D(psgemr2d)
REGION_GEMR2D(pdgemr2d)
REGION_GEMR2D(pcgemr2d)
REGION_GEMR2D(pzgemr2d)
REGION_GEMR2D(pigemr2d)
}
