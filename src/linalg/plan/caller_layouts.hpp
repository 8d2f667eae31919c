// SPDX-License-Identifier: BSD-3-Clause
// Checks of the layouts and arrays that a caller passes, before anything moves; plans' memory;
// layouts as arrangements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/transfer.hpp"
#include "layout/arrangement.hpp"
#include "linalg/blas/blas.hpp"
#include "linalg/blas/buffer.hpp"
#include "redblue/error.hpp"
#include "redblue/factor_model.hpp"
#include "redblue/op.hpp"

namespace redblue::linalg {

// Throws Error on all ranks together, naming `what` ("A"), where the layout is invalid for the
// communicator, on any rank, or not the same on all of them.
void check_layout(comm::Communicator& communicator, const std::string& what, const Layout& layout);

// Only a rank itself knows the offsets and leading dimensions of its patches: tells them to all
// ranks (an allreduce).
void tell_places(comm::Communicator& communicator, layout::Arrangement& arrangement);

// Throws Error on all ranks together unless `missing` is empty on all of them.
void refuse_missing(comm::Communicator& communicator, const std::string& what,
                    const std::string& missing);

// Throws Error on all ranks together where one passes no array for a matrix of which it stores a
// part; the arrays are A, B, C in this order.
template <class T, std::size_t count>
void check_arrays(comm::Communicator& communicator, const std::string& what,
                  const T* const (&arrays)[count], const Words (&words)[count]) {
  std::string missing;
  for (std::size_t x = 0; x < count; ++x) {
    if (arrays[x] == nullptr && words[x].value > 0) missing += static_cast<char>('A' + x);
  }
  refuse_missing(communicator, what, missing);
}

// Runs `build`, which makes a plan and its buffers; where a rank has no memory for them, throws
// Error on all ranks together. Also sets up BLAS.
template <class T, class Build>
void allocate(comm::Communicator& communicator, const std::string& what, const std::string& lacks,
              const std::string& remedy, Build build) {
  bool allocated = true;
  try {
    build();
  } catch (const std::bad_alloc&) {
    allocated = false;
  }
  if (!communicator.all(allocated)) throw Error(what, lacks, remedy);
  blas::warm_up<T>();
}

// Throws Error on all ranks together where a plan needs more words on some rank than the limit,
// naming how many.
void refuse_beyond(comm::Communicator& communicator, const std::string& what,
                   std::optional<Words> limit, Words needed);

// Doubles `rounds` until the words that the plan needs on the busiest rank are within the limit, or
// there are `most` rounds, or more rounds hardly save words. needed(): those words, the same on all
// ranks; `least` is lowered to them. Returns whether they are within the limit.
template <class Needed>
bool fits_in_rounds(std::int64_t& rounds, std::int64_t most, Words limit, std::int64_t& least,
                    Needed needed) {
  for (std::int64_t before = std::numeric_limits<std::int64_t>::max();;) {
    const std::int64_t words = needed();
    least = std::min(least, words);
    if (words <= limit.value) return true;
    if (rounds >= most || words > before - before / 64) return false;
    before = words;
    rounds = std::min(2 * rounds, most);
  }
}

// Makes the engine of a plan, by make(), and the workspace it asks for, under these rules.
template <class T, class Engine, class Make>
void reserve(comm::Communicator& communicator, const std::string& what, std::optional<Words> limit,
             std::optional<Engine>& engine, Buffer<T>& workspace, Make make) {
  const std::string lacks = "a rank has no memory for its part";
  allocate<T>(communicator, what, lacks, "use more ranks", make);
  refuse_beyond(communicator, what, limit, Words(engine->workspace()));
  allocate<T>(communicator, what, lacks, "use more ranks",
              [&] { workspace.resize(engine->workspace()); });
}

// Throws Error on all ranks together where they pass different blocks, memories, objectives or
// machines, or other values.
void require_same(comm::Communicator& communicator, const std::string& what,
                  const FactorOptions& options, std::vector<std::int64_t> others);

// This rank's patches of a layout.
std::vector<layout::Patch> local_patches(const Layout& layout,
                                         const comm::Communicator& communicator);

// op(X) for X in this layout.
layout::Arrangement arrangement_of(const Layout& layout, Op op, int ranks);

// The transfer of B = alpha op(A) + beta B. Throws Error where they have different sizes.
template <class T>
comm::Transfer<T> transfer_between(const comm::Communicator& communicator, Op op, const Layout& a,
                                   const Layout& b);

}  // namespace redblue::linalg
