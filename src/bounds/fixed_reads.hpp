// SPDX-License-Identifier: BSD-3-Clause
// Reads of what an instance at a fixed distance has computed.
#pragma once

#include <isl/cpp.h>

#include <vector>

#include "dataflow/step.hpp"
#include "program/count.hpp"
#include "program/program.hpp"

namespace redblue::bounds {

// Instance x of `reader` reads what instance x - by of `writer` computed, or inputs instead.
struct FixedRead {
  const program::Statement* reader;
  const program::Statement* writer;
  dataflow::Vector by;
  isl::map values;
  isl::map inputs;
};

// Of statements with two loops and more, those that almost all of a statement's instances make.
// Refers to the program.
class FixedReads {
 public:
  explicit FixedReads(const program::Program& program);

  std::vector<FixedRead> between(const program::Statement& reader,
                                 const program::Statement& writer) const;

 private:
  void add(const program::Statement& reader, const program::Count& instances,
           const program::Access& read);

  const program::Program& program_;
  std::vector<FixedRead> all_;
};

}  // namespace redblue::bounds
