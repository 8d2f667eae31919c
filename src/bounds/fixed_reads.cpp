// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/fixed_reads.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <iterator>

#include "bounds/roles.hpp"
#include "dataflow/dependences.hpp"

namespace redblue::bounds {

using program::Statement;

FixedReads::FixedReads(const program::Program& program) : program_(program) {
  for (const Statement& reader : program.statements) {
    if (reader.iterators.size() < 2) continue;
    const program::Count instances = program::count(reader.domain);
    for (const program::Access& read : reader.reads) {
      if (!read.conditional) add(reader, instances, read);
    }
  }
}

std::vector<FixedRead> FixedReads::between(const Statement& reader, const Statement& writer) const {
  std::vector<FixedRead> result;
  std::copy_if(all_.begin(), all_.end(), std::back_inserter(result), [&](const FixedRead& read) {
    return read.reader == &reader && read.writer == &writer;
  });
  return result;
}

void FixedReads::add(const Statement& reader, const program::Count& instances,
                     const program::Access& read) {
  const std::vector<program::Source> all = dataflow::sources(program_, reader, read);
  isl::map inputs = isl::manage(isl_map_empty(isl_map_get_space(read.elements.get())));
  for (const program::Source& source : all) {
    if (source.statement.empty()) inputs = source.values;
  }
  for (const program::Source& source : all) {
    for (const Statement& writer : program_.statements) {
      if (writer.name != source.statement) continue;
      const auto by = dataflow::translation(source.values);
      if (by && is_few(reader.domain.subtract(source.values.domain()), instances))
        all_.push_back({&reader, &writer, *by, source.values, inputs});
    }
  }
}

}  // namespace redblue::bounds
