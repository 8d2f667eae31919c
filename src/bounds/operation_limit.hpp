// A limit on how long isl may think, and what is said where that was too short.
#pragma once

#include <isl/ctx.h>

#include <string>

#include "bounds/bound.hpp"
#include "program/program.hpp"

namespace redblue::bounds {

// While it lives, isl gives up (isl::exception) after so many operations: the same ones on every
// machine.
class OperationLimit {
 public:
  OperationLimit() : before_(isl_ctx_get_max_operations(program::context().get())) {
    isl_ctx_reset_operations(program::context().get());
    isl_ctx_set_max_operations(program::context().get(), most_operations);
  }
  ~OperationLimit() {
    isl_ctx_reset_operations(program::context().get());
    isl_ctx_set_max_operations(program::context().get(), before_);
  }
  OperationLimit(const OperationLimit&) = delete;
  OperationLimit& operator=(const OperationLimit&) = delete;

 private:
  static constexpr unsigned long most_operations = 300'000;
  unsigned long before_;  // the limit around this one; 0 for none
};

// Notes that a method gave up on a statement, for isl gave up.
inline void note_limit(const Sizes& sizes, const std::string& method,
                       const std::string& statement) {
  sizes.gave_up->push_back(
      {method, statement, "its dependences are too intricate to follow in the steps allowed"});
}

// Likewise where sets it needs have points that no formula counts.
inline void note_uncountable(const Sizes& sizes, const std::string& method,
                             const std::string& statement) {
  sizes.gave_up->push_back({method, statement, "no formula counts the instances it needs"});
}

}  // namespace redblue::bounds
