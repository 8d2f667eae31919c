// A limit on how long isl may think.
#pragma once

#include <isl/ctx.h>

#include "program/program.hpp"

namespace redblue::bounds {

// While it lives, isl gives up (isl::exception) after so many operations: the same ones on every
// machine.
class OperationLimit {
 public:
  OperationLimit() {
    isl_ctx_reset_operations(program::context().get());
    isl_ctx_set_max_operations(program::context().get(), most_operations);
  }
  ~OperationLimit() { isl_ctx_set_max_operations(program::context().get(), 0); }
  OperationLimit(const OperationLimit&) = delete;
  OperationLimit& operator=(const OperationLimit&) = delete;

 private:
  static constexpr unsigned long most_operations = 300'000;
};

}  // namespace redblue::bounds
