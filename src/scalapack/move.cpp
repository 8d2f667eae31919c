// SPDX-License-Identifier: BSD-3-Clause
#include "scalapack/move.hpp"

#include <complex>

#include "comm/number.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "scalapack/grid/blacs.hpp"
#include "scalapack/serving/workspace.hpp"

namespace redblue::scalapack {

using namespace linalg;

template <class T>
Traffic move(const comm::Communicator& communicator, Op op, T alpha, const BlockCyclic& at_a,
             const T* a, T beta, const BlockCyclic& at_b, T* b) {
  auto transfer = transfer_between<T>(communicator, op, at_a, at_b);
  Traffic traffic;
  transfer.execute(communicator, alpha, a, beta, b, workspace<T>(transfer.buffer()), traffic);
  return traffic;
}

void require_array(const comm::Communicator& communicator, const MovedArray& x) {
  if (x.array != nullptr) return;
  const layout::Arrangement all = layout::arrangement(x.placed, communicator.size());
  if (all.words_on(communicator.rank()) > 0) report_argument(x.context, x.routine, x.position);
}

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_INSTANTIATE(T)                                                             \
  template Traffic move(const comm::Communicator&, Op, T, const BlockCyclic&, const T*, T, \
                        const BlockCyclic&, T*);
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_INSTANTIATE(int)
REDBLUE_FOR_ALL_NUMBERS(REDBLUE_INSTANTIATE)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::scalapack
