// SPDX-License-Identifier: BSD-3-Clause
// A limit on how long isl may think.
#pragma once

#include <isl/ctx.h>

#include "program/program.hpp"

namespace redblue::program {

// While it lives, isl gives up (isl::exception) after so many operations: the same ones on every
// machine. An inner limit holds inside an outer one, whose count begins anew after it.
class OperationLimit {
 public:
  explicit OperationLimit(unsigned long most = 300'000) : before_(allowed()) { begin(most); }
  ~OperationLimit() { begin(before_); }
  OperationLimit(const OperationLimit&) = delete;
  OperationLimit& operator=(const OperationLimit&) = delete;

  // Whether there is a limit.
  static bool active() { return allowed() != 0; }

  // Throws isl::exception where isl gave up since and nobody noticed: functions of C only return
  // null, and a list that is null has no elements.
  static void check() {
    if (isl_ctx_last_error(context().get()) == isl_error_quota)
      isl::exception::throw_error(isl_error_quota, "too many operations", __FILE__, __LINE__);
  }

 private:
  static unsigned long allowed() { return isl_ctx_get_max_operations(context().get()); }
  static void begin(unsigned long most) {
    isl_ctx_reset_error(context().get());
    isl_ctx_reset_operations(context().get());
    isl_ctx_set_max_operations(context().get(), most);
  }

  unsigned long before_;  // operations the limit around this one allows; 0 for none
};

}  // namespace redblue::program
