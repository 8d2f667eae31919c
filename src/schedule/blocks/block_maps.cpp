// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/blocks/block_maps.hpp"

#include <isl/aff.h>
#include <isl/map.h>

#include <algorithm>

#include "schedule/order.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule::codegen {

using program::Statement;

std::string tile(const std::string& x, std::int64_t size) {
  const std::string n = std::to_string(size);
  return size == 0 ? "0" : n + "*floor((" + x + ")/" + n + ")";
}

std::string list(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::vector<std::string> names(const std::string& prefix, std::size_t count) {
  std::vector<std::string> result;
  for (std::size_t n = 0; n < count; ++n) result.push_back(prefix + std::to_string(n));
  return result;
}

isl::map map(const std::string& text) {
  return isl::map(program::context(), text);
}

std::vector<int> members_of(const Statement& s, const LeafBand& band) {
  const std::optional<isl::map> own = of_statement(band.loops, s.name);
  if (!own) return {};
  std::vector<int> result(s.iterators.size(), -1);
  const isl::pw_multi_aff values = isl::manage(isl_pw_multi_aff_from_map(own->copy()));
  for (int m = 0; m < band.members; ++m) {
    const auto pieces =
        program::pieces_of(isl::manage(isl_pw_multi_aff_get_pw_aff(values.get(), m)));
    if (pieces.size() != 1) return {};
    for (int d = 0; d < static_cast<int>(result.size()); ++d) {
      isl_aff* variable =
          isl_aff_var_on_domain(isl_aff_get_domain_local_space(pieces.front().value.get()),
                                isl_dim_set, static_cast<unsigned>(d));
      const bool same =
          isl_aff_plain_is_equal(variable, pieces.front().value.get()) == isl_bool_true;
      isl_aff_free(variable);
      if (same) result[static_cast<std::size_t>(d)] = m;
    }
  }
  const bool all = std::count(result.begin(), result.end(), -1) == 0;
  return all && static_cast<int>(result.size()) == band.members ? result : std::vector<int>();
}

std::vector<std::string> loop_names(const Statement& s, const Contraction& c, int places) {
  const auto name = [&](int d) { return s.iterators[static_cast<std::size_t>(d)]; };
  std::vector<std::string> result(static_cast<std::size_t>(places), "place");
  for (const int d : c.others) result.push_back(name(d));
  for (const int d : {c.sums.front(), c.columns, c.rows}) result.push_back(name(d) + "_tile");
  for (const std::string& n : {std::string("order"), name(c.columns) + "_block",
                               std::string("part"), name(c.rows) + "_block", std::string("side")})
    result.push_back(n);
  for (const int d : c.sums) result.push_back(name(d));
  result.push_back(name(c.rows));
  result.push_back(name(c.columns));
  return result;
}

std::optional<std::vector<long>> fixed_values(const isl::map& map) {
  std::vector<long> result;
  for (int d = 0; d < static_cast<int>(isl_map_dim(map.get(), isl_dim_out)); ++d) {
    const std::optional<long> value = fixed_value(map, d);
    if (!value) return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

}  // namespace redblue::schedule::codegen
