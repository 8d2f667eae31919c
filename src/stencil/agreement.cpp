// SPDX-License-Identifier: BSD-3-Clause
#include "stencil/agreement.hpp"

#include <algorithm>

namespace redblue::stencil {

using comm::Communicator;

namespace {

// A double as two whole numbers that are the same only where it is.
std::int64_t exactly(double x) {
  std::int64_t bits = 0;
  static_assert(sizeof bits == sizeof x);
  std::copy_n(reinterpret_cast<const char*>(&x), sizeof x, reinterpret_cast<char*>(&bits));
  return bits;
}

}  // namespace

std::vector<std::int64_t> as_numbers(const StencilProgram& p, const StencilOptions& o) {
  std::vector<std::int64_t> all = {p.dimensions, p.fields, static_cast<std::int64_t>(p.boundary),
                                   static_cast<std::int64_t>(p.sweeps.size())};
  const auto add = [&all](const MeshIndex& i) { all.insert(all.end(), i.begin(), i.end()); };
  add(p.extents);
  for (const StencilSweep& s : p.sweeps) {
    all.push_back(s.field);
    all.push_back(static_cast<std::int64_t>(s.reads.size()));
    add(s.interior.begin);
    add(s.interior.end);
    for (const StencilRead& r : s.reads) {
      all.push_back(r.field);
      all.push_back(r.star ? 1 : 0);
      add(r.below);
      add(r.above);
    }
  }
  const Machine& m = o.machine;
  all.insert(
      all.end(),
      {o.steps, o.scheme ? static_cast<std::int64_t>(*o.scheme) : -1, o.depth.value_or(-1),
       o.side.value_or(-1), o.memory.value_or(Words(-1)).value, o.overlap ? 1 : 0,
       exactly(m.flops_per_second), exactly(m.latency_seconds), exactly(m.bytes_per_second),
       exactly(m.copy_bytes_per_second), exactly(m.exchange_seconds), exactly(m.waiting_seconds),
       m.cached_bytes, exactly(o.seconds_per_update.value_or(-1)), o.decomposition ? 1 : 0});
  if (o.decomposition) {
    const StencilDecomposition& d = *o.decomposition;
    all.insert(all.end(), {static_cast<std::int64_t>(d.scheme), d.ranks, d.grid[0], d.grid[1],
                           d.grid[2], d.depth});
    add(d.side);
  }
  return all;
}

bool same_lists(Communicator& communicator, const std::vector<std::int64_t>& list) {
  const auto length = static_cast<std::int64_t>(list.size());
  return communicator.same_everywhere({length}) && communicator.same_everywhere(list);
}

}  // namespace redblue::stencil
