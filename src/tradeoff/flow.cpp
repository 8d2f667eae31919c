// SPDX-License-Identifier: BSD-3-Clause
// Which values statements read from one another.
#include <algorithm>

#include "dataflow/dependences.hpp"
#include "tradeoff/chain.hpp"

namespace redblue::tradeoff {

using program::Access;
using program::Program;
using program::Statement;

std::vector<Flow> flows_of(const Program& program) {
  std::vector<Flow> result;
  for (const Statement& reader : program.statements) {
    for (const Access& read : reader.reads) {
      if (read.conditional) continue;
      const bool same_element =
          std::any_of(reader.writes.begin(), reader.writes.end(),
                      [&](const Access& write) { return write.elements.is_equal(read.elements); });
      for (const program::Source& source : dataflow::sources(program, reader, read)) {
        if (source.statement.empty()) continue;
        result.push_back({&reader, source.statement, source.values,
                          same_element && source.statement == reader.name, read.array,
                          read.elements.intersect_domain(source.values.domain())});
      }
    }
  }
  return result;
}

}  // namespace redblue::tradeoff
