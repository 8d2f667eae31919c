// What can be wrong with layouts a caller passes, found before anything moves.
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
#include "linalg/blas.hpp"
#include "linalg/buffer.hpp"
#include "redblue/error.hpp"
#include "redblue/linalg.hpp"

namespace redblue::linalg {

// Throws Error on all ranks together, naming `what` ("A"), where the layout is invalid for the
// communicator, on any rank, or not the same on all of them.
void check_layout(comm::Communicator& communicator, const std::string& what, const Layout& layout);

// Where patches stand in their rank's array is known to that rank alone, as leading dimensions are:
// tells it to all. Collective.
void tell_places(comm::Communicator& communicator, layout::Arrangement& arrangement);

// Throws Error on all ranks together unless `missing` is empty on all of them.
void refuse_missing(comm::Communicator& communicator, const std::string& what,
                    const std::string& missing);

// Throws Error on all ranks together where one passes no array for a matrix it holds some of; the
// arrays are A, B, C in this order.
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

// Throws Error on all ranks together where the words a plan would hold on some rank are beyond the
// limit, naming how many they are.
void refuse_beyond(comm::Communicator& communicator, const std::string& what,
                   std::optional<Words> limit, Words needed);

// Whether the words a plan holds on the busiest rank stay within the limit in so many rounds, or in
// twice as many again until there are `most` or more hardly save any. needed(): those words, the
// same on all ranks; `least` is lowered to them.
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

// The patches of this rank.
std::vector<layout::Patch> held_patches(const Layout& layout,
                                        const comm::Communicator& communicator);

// op(X) for X in this layout.
layout::Arrangement arrangement_of(const Layout& layout, Op op, int ranks);

// What moves op(A), scaled and added, to B. Throws Error where they have different sizes.
template <class T>
comm::Transfer<T> transfer_between(const comm::Communicator& communicator, Op op, const Layout& a,
                                   const Layout& b);

}  // namespace redblue::linalg
