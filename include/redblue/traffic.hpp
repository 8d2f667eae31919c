// SPDX-License-Identifier: BSD-3-Clause
// What one rank of a parallel run moved, in words and messages. No MPI, no data.
//
// Words between a fast and a slow memory are another thing: MemoryTraffic in redblue/schedule.hpp.
#pragma once

#include "redblue/units.hpp"

namespace redblue {

// What one rank moved, exactly: payload words of point-to-point messages.
struct Traffic {
  Words words_received;
  Words words_sent;
  Messages messages_received;
  Messages messages_sent;

  constexpr Traffic& operator+=(const Traffic& other) {
    words_received += other.words_received;
    words_sent += other.words_sent;
    messages_received += other.messages_received;
    messages_sent += other.messages_sent;
    return *this;
  }
  friend constexpr Traffic operator+(Traffic a, const Traffic& b) { return a += b; }
};

}  // namespace redblue
