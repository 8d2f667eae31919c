// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/choice/block_sizes.hpp"

#include <algorithm>
#include <set>

namespace redblue::schedule::codegen {

using program::Access;
using program::Program;
using program::Statement;

BlockSizes block_sizes(const Program& program, const LeafBand& band, const std::string& element,
                       const Processor& processor) {
  const std::int64_t wide = processor.vector_bytes / bytes_of(element);
  BlockSizes sizes;
  sizes.rows = processor.vector_bytes >= 64 ? 8 : 4;
  sizes.columns = 3 * wide;
  std::set<std::string> written;
  for (const std::size_t s : band.statements)
    written.insert(program.statements[s].writes.front().array);
  const bool reads_what_it_writes =
      std::any_of(band.statements.begin(), band.statements.end(), [&](std::size_t s) {
        const Statement& statement = program.statements[s];
        return std::any_of(statement.reads.begin(), statement.reads.end(), [&](const Access& read) {
          return written.count(read.array) != 0 &&
                 !read.elements.is_equal(statement.writes.front().elements);
        });
      });
  if (band.statements.size() == 1 && !reads_what_it_writes) {
    // Threads share the tiles of rows.
    if (processor.threads > 1) sizes.row_tile = 12 * sizes.rows;
    return sizes;
  }
  const std::int64_t side = 4 * sizes.columns;
  sizes.row_tile = sizes.column_tile = sizes.sum_tile = side;
  return sizes;
}

}  // namespace redblue::schedule::codegen
