// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/codegen/loop_names.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <map>
#include <vector>

namespace redblue::schedule::codegen {

using program::Program;
using program::Statement;

namespace {

// Nothing where the time depends on several iterators, or on none.
std::string iterator_name(const Statement& s, const isl::map& times, int depth) {
  const isl::pw_multi_aff all = isl::manage(isl_pw_multi_aff_from_map(times.copy()));
  const isl::pw_aff value = isl::manage(isl_pw_multi_aff_get_pw_aff(all.get(), depth));
  std::map<std::size_t, int> pieces;  // iterator -> those that step through it alone
  bool several = false, divided = false;
  value.foreach_piece([&](const isl::set&, const isl::multi_aff& part) {
    const isl::aff aff = isl::manage(isl_multi_aff_get_aff(part.get(), 0));
    divided = divided || isl_aff_dim(aff.get(), isl_dim_div) > 0;
    std::vector<std::size_t> involved;
    for (std::size_t d = 0; d < s.iterators.size(); ++d) {
      if (isl_aff_involves_dims(aff.get(), isl_dim_in, static_cast<unsigned>(d), 1) ==
          isl_bool_true)
        involved.push_back(d);
    }
    several = several || involved.size() > 1;
    if (involved.size() == 1) ++pieces[involved.front()];
  });
  if (several || pieces.empty()) return "";
  // A piece at one step may say it by another iterator: "j = k".
  const auto most =
      std::max_element(pieces.begin(), pieces.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::string& name = s.iterators[most->first];
  return divided ? name + "_tile" : name;
}

}  // namespace

std::string loop_name(const Program& program, const isl::union_map& times, int depth) {
  std::string name;
  times.foreach_map([&](const isl::map& m) {
    if (!name.empty() || static_cast<int>(isl_map_dim(m.get(), isl_dim_out)) <= depth) return;
    const std::string statement = isl_map_get_tuple_name(m.get(), isl_dim_in);
    for (const Statement& s : program.statements)
      if (s.name == statement) name = iterator_name(s, m, depth);
  });
  return name.empty() ? "t" + std::to_string(depth) : name;
}

}  // namespace redblue::schedule::codegen
