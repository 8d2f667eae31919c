// A limit on how long isl may think.
#pragma once

#include <isl/ctx.h>

#include "program/program.hpp"

namespace redblue::program {

// While it lives, isl gives up (isl::exception) after so many operations: the same ones on every
// machine. Inside another limit that one goes on to hold, and this one does nothing.
class OperationLimit {
 public:
  explicit OperationLimit(unsigned long most = 300'000)
      : outermost_(isl_ctx_get_max_operations(context().get()) == 0) {
    if (!outermost_) return;
    isl_ctx_reset_error(context().get());
    isl_ctx_reset_operations(context().get());
    isl_ctx_set_max_operations(context().get(), most);
  }
  ~OperationLimit() {
    if (outermost_) isl_ctx_set_max_operations(context().get(), 0);
  }
  OperationLimit(const OperationLimit&) = delete;
  OperationLimit& operator=(const OperationLimit&) = delete;

  bool outermost() const { return outermost_; }

  // Throws isl::exception where isl gave up since and nobody noticed: functions of C only return
  // null, and a list that is null has no elements.
  void check() const {
    if (isl_ctx_last_error(context().get()) == isl_error_quota)
      isl::exception::throw_error(isl_error_quota, "too many operations", __FILE__, __LINE__);
  }

 private:
  bool outermost_;
};

}  // namespace redblue::program
