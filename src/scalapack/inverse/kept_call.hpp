// SPDX-License-Identifier: BSD-3-Clause
// Calls that are kept with all their arguments as ScaLAPACK passes them: structs with name(), and a
// function forward_to(routine, call) that makes the call of a routine of that kind.
#pragma once

#include "loader/symbols.hpp"
#include "scalapack/inverse/scratch.hpp"
#include "scalapack/serving/report.hpp"

namespace redblue::scalapack {

// The call goes on to ScaLAPACK.
template <class Call>
void pass_on_kept(const Call& call) {
  void* const behind = symbol_behind(call.name(), call.name() + "_");
  const PassingOn now;
  forward_to(behind, call);
}

// The sizes of scratch that ScaLAPACK wants; zeros where none is behind. As collective as the
// routine's own check of arguments.
template <class T, class Call>
ScratchSizes<T, Second<T>> sizes_of(Call call) {
  ScratchSizes<T, Second<T>> sizes;
  void* const ask = loader::next_symbol((call.name() + "_").c_str());
  if (ask == nullptr) return sizes;
  const int question = -1;
  call.scratch = {&sizes.work, &question, &sizes.second, &question};
  call.info = &sizes.info;
  forward_to(ask, call);
  return sizes;
}

}  // namespace redblue::scalapack
