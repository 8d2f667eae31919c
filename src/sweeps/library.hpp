// SPDX-License-Identifier: BSD-3-Clause
// A compiled stencil program, loaded into this process.
#pragma once

#include <string>

#include "redblue/stencil_source.hpp"

namespace redblue::sweeps {

class Library {
 public:
  // `bytes`: what compiled() returned, here or in another process. Throws Error where they cannot
  // be loaded.
  explicit Library(const std::string& bytes);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  using SweepFunction = void (*)(const void* part, long long step, const void* fields,
                                 const void* target, void* const* inputs, const double* scalars);
  SweepFunction sweep(std::size_t number) const;

  // Runs the loops as they are, on a stack with room for the arrays that they declare.
  void run_sequentially(const StencilSource& source, void* const* fields,
                        void* const* inputs) const;

 private:
  void* function(const std::string& name) const;

  void* handle_ = nullptr;
};

}  // namespace redblue::sweeps
