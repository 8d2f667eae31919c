// SPDX-License-Identifier: BSD-3-Clause
#include "program/live_in.hpp"

#include <isl/flow.h>
#include <isl/map.h>
#include <isl/union_map.h>

namespace redblue::program {

std::map<std::string, isl::set> live_in(const Program& program) {
  isl::union_map writes = isl::manage(isl_union_map_empty_ctx(context().get()));
  isl::union_map reads = writes;
  isl::union_map schedule = writes;
  for (const Statement& s : program.statements) {
    schedule = schedule.unite(isl::union_map(s.schedule));
    for (const Access& w : s.writes) writes = writes.unite(isl::union_map(w.elements));
    for (const Access& r : s.reads) reads = reads.unite(isl::union_map(r.elements));
  }
  isl_union_access_info* info = isl_union_access_info_from_sink(reads.release());
  info = isl_union_access_info_set_must_source(info, writes.release());
  info = isl_union_access_info_set_schedule_map(info, schedule.release());
  isl_union_flow* flow = isl_union_access_info_compute_flow(info);
  const isl::union_set unwritten = isl::manage(isl_union_flow_get_must_no_source(flow)).range();
  isl_union_flow_free(flow);
  std::map<std::string, isl::set> result;
  isl_union_set_foreach_set(
      unwritten.get(),
      [](isl_set* set, void* user) {
        static_cast<std::map<std::string, isl::set>*>(user)->emplace(isl_set_get_tuple_name(set),
                                                                     isl::manage(set));
        return isl_stat_ok;
      },
      &result);
  return result;
}

}  // namespace redblue::program
