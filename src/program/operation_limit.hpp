// SPDX-License-Identifier: BSD-3-Clause
// A limit on how long isl may think.
#pragma once

#include <isl/ctx.h>
#include <isl/val.h>

#include <limits>

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

// How many operations isl does, a measure of its work that is the same on every machine. Not while
// a limit is active.
class OperationCount {
 public:
  OperationCount() { allow(without_end); }
  ~OperationCount() { allow(0); }
  OperationCount(const OperationCount&) = delete;
  OperationCount& operator=(const OperationCount&) = delete;

  // Since this began. isl tells its count only by refusing what goes beyond a limit: the limit is
  // found by bisection, each step of which is one operation more.
  unsigned long done() const {
    unsigned long low = 0, high = 1;
    while (passed(high)) {
      low = high;
      high *= 2;
    }
    for (int step = 0; step < digits && high - low > 1; ++step) {
      const unsigned long middle = low + (high - low) / 2;
      (passed(middle) ? low : high) = middle;
    }
    isl_ctx_set_max_operations(context().get(), without_end);
    return low;
  }

 private:
  static constexpr unsigned long without_end = std::numeric_limits<unsigned long>::max();
  static constexpr int digits = 7;  // of two: within a hundredth

  static void allow(unsigned long most) {
    isl_ctx_reset_operations(context().get());
    isl_ctx_set_max_operations(context().get(), most);
  }
  static bool passed(unsigned long limit) {
    isl_ctx_set_max_operations(context().get(), limit);
    isl_val* probe = isl_val_zero(context().get());
    isl_val_free(probe);
    if (probe != nullptr) return false;
    isl_ctx_reset_error(context().get());
    return true;
  }
};

}  // namespace redblue::program
