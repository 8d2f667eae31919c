// SPDX-License-Identifier: BSD-3-Clause
#include "dataflow/dependences.hpp"

#include <isl/flow.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>

namespace redblue::dataflow {

using program::Access;
using program::Program;
using program::Statement;

namespace {

constexpr int after_all = 1 << 20;  // later than any place in the text

std::vector<isl::map> maps_of(const isl::union_map& all) {
  std::vector<isl::map> result;
  isl_union_map_foreach_map(
      all.get(),
      [](isl_map* map, void* user) {
        static_cast<std::vector<isl::map>*>(user)->push_back(isl::manage(map));
        return isl_stat_ok;
      },
      &result);
  return result;
}

}  // namespace

const program::Statement* statement_named(const program::Program& program,
                                          const std::string& name) {
  for (const program::Statement& s : program.statements)
    if (s.name == name) return &s;
  return nullptr;
}

std::vector<Source> sources(const Program& program, const Statement& reader, const Access& read) {
  if (read.sources) return *read.sources;
  isl::union_map writes = isl::manage(isl_union_map_empty_ctx(program::context().get()));
  isl::union_map schedule(reader.schedule);
  for (const Statement& s : program.statements) {
    for (const Access& w : s.writes) {
      if (w.array != read.array) continue;
      writes = writes.unite(isl::union_map(w.elements));
      schedule = schedule.unite(isl::union_map(s.schedule));
    }
  }
  isl_union_access_info* info =
      isl_union_access_info_from_sink(isl::union_map(read.elements).release());
  info = isl_union_access_info_set_must_source(info, writes.release());
  info = isl_union_access_info_set_schedule_map(info, schedule.release());
  isl_union_flow* flow = isl_union_access_info_compute_flow(info);
  const isl::union_map computed = isl::manage(isl_union_flow_get_must_dependence(flow));
  const isl::union_map inputs = isl::manage(isl_union_flow_get_must_no_source(flow));
  isl_union_flow_free(flow);
  std::vector<Source> result;
  for (const isl::map& from : maps_of(computed)) {
    const isl::map values = from.reverse();
    result.push_back({isl_map_get_tuple_name(values.get(), isl_dim_out), values});
  }
  for (const isl::map& elements : maps_of(inputs)) result.push_back({"", elements});
  return result;
}

bool has_sources(const Program& program) {
  return std::all_of(program.statements.begin(), program.statements.end(), [](const auto& s) {
    return std::all_of(s.reads.begin(), s.reads.end(),
                       [](const Access& read) { return read.sources != nullptr; });
  });
}

void derive_sources(Program& program) {
  for (Statement& s : program.statements) {
    for (Access& read : s.reads) {
      read.sources = nullptr;
      read.sources = std::make_shared<const std::vector<Source>>(sources(program, s, read));
    }
  }
}

Statement final_reader(const Program& program, const std::string& array) {
  std::optional<isl::set> written;
  int length = 0;
  for (const Statement& s : program.statements) {
    length = static_cast<int>(isl_map_dim(s.schedule.get(), isl_dim_out));
    for (const Access& w : s.writes) {
      if (w.array != array) continue;
      const isl::set range = w.elements.range();
      written = written ? written->unite(range) : range;
    }
  }
  if (!written) return {};
  written = program::outputs(program.arrays.at(array), *written);
  if (written->is_empty()) return {};
  Statement end;
  end.name = "END";
  end.domain = isl::manage(isl_set_set_tuple_name(written->copy(), end.name.c_str()));
  const isl::map identity = isl::manage(isl_set_identity(end.domain.copy()));
  isl_map* elements = isl_map_set_tuple_name(identity.copy(), isl_dim_out, array.c_str());
  end.reads.push_back({array, array, isl::manage(elements)});
  isl_map* time = isl_map_from_domain(end.domain.copy());
  time = isl_map_add_dims(time, isl_dim_out, static_cast<unsigned>(length));
  for (int d = 0; d < length; ++d) {
    time = isl_map_fix_si(time, isl_dim_out, static_cast<unsigned>(d), d == 0 ? after_all : 0);
  }
  end.schedule = isl::manage(time);
  return end;
}

std::vector<FinalValues> final_values(const Program& program) {
  std::vector<FinalValues> result;
  for (const auto& [name, array] : program.arrays) {
    const Statement end = final_reader(program, name);
    if (end.reads.empty()) continue;
    for (const Source& source : sources(program, end, end.reads.front()))
      result.push_back({source.statement, source.values.range()});
  }
  return result;
}

}  // namespace redblue::dataflow
