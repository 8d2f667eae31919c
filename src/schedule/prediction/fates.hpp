// SPDX-License-Identifier: BSD-3-Clause
// What becomes of the values that a walk through a part of an order touches.
#pragma once

#include <vector>

#include "program/instances.hpp"
#include "schedule/prediction/last_touches.hpp"
#include "schedule/prediction/part.hpp"
#include "schedule/prediction/value_readers.hpp"

namespace redblue::schedule {

constexpr std::int64_t one_by_one = 1'000'000'000;  // instances counted so where need be

// What a smaller problem tells of values whose next touch no walk sees.
struct Learned {
  LastTouches last;
  bool alike;  // as many tiles, as much smaller; else fewer, where values die that others read here
};

// `all`: instances at these sizes. Where as small a problem as usual would have tiles too small to
// be alike, a larger one tells; where none is, smaller sizes in the same order do. Loops are those
// of the order's times or, as usual, those of its tree: what loops end tells what dies.
Learned learned(const SizedOrder& order, const program::InstanceCount& instances,
                const program::Sizes& sizes, double all, bool by_times = false);

struct Fates {
  std::vector<Fate> values;   // by touch: what becomes of its value
  std::vector<bool> results;  // by instance: what it computes is stored once, whenever it leaves
};

// Of the values of a part, as its walk shows. Where it does not: by `readers` where these are known
// and few, and else as `last` tells.
Fates fates(const Part& part, const std::vector<Box>& arrays, const LastTouches& last,
            ValueReaders* readers);

}  // namespace redblue::schedule
