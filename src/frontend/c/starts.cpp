// SPDX-License-Identifier: BSD-3-Clause
// The part of RegionReader that reads arrays and containers declared with values.
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>

#include "frontend/c/region.hpp"

namespace redblue::frontend::c {

// double t[4] = {0}; and std::vector<double> t(n): their elements are no input, they are computed
// here. Answers whether the variable is an array or a container that lives here.
bool RegionReader::start_elements(const Node& variable, const Place& place) {
  const CXType type = variable.type();
  const bool container = is_container(type) && owns_elements(type);
  if (!container && !is_array(type)) return false;
  if (clang_Cursor_getStorageClass(variable.cursor) == CX_SC_Static) return true;
  const Start start = start_of_elements(variable);
  if (start == Start::unknown)
    throw error_at(variable, "the values '" + variable.name() + "' starts with are not read",
                   "set its elements in a loop");
  if (start == Start::constants)
    started_.push_back({variable.key(), place, position_++, variable.line()});
  return true;
}

// One statement per declaration: it sets each element that is read somewhere.
void RegionReader::add_started() {
  if (looking_for_shapes_) return;
  for (const Started& one : started_) {
    const auto known = array_names_.find(one.array);
    if (known == array_names_.end()) continue;
    const std::string name = known->second;
    std::optional<isl::set> read;
    for (const program::Statement& s : program_.statements) {
      for (const program::Access& access : s.reads) {
        if (access.array != name) continue;
        const isl::set range = access.elements.range();
        read = read ? read->unite(range) : range;
      }
    }
    const int dimensions = program_.arrays.at(name).dimensions;
    if (!read || dimensions == 0) continue;
    Place place = one.place;
    const unsigned depth =
        static_cast<unsigned>(isl_set_dim(place.scope.domain.get(), isl_dim_set));
    place.scope.domain = isl::manage(
        isl_set_flat_product(place.scope.domain.copy(), isl_set_reset_tuple_id(read->copy())));
    for (auto& [key, value] : place.scope.values)
      value = isl::manage(
          isl_pw_aff_add_dims(value.copy(), isl_dim_in, static_cast<unsigned>(dimensions)));
    isl_map* elements = isl_map_from_domain(place.scope.domain.copy());
    isl_local_space* local =
        isl_local_space_from_space(isl_set_get_space(place.scope.domain.get()));
    for (int d = 0; d < dimensions; ++d) {
      elements = isl_map_flat_range_product(
          elements, isl_map_from_aff(isl_aff_var_on_domain(isl_local_space_copy(local), isl_dim_set,
                                                           depth + static_cast<unsigned>(d))));
      place.iterators.push_back("start" + std::to_string(d));
      place.order.push_back(d == 0 ? one.position : 0);
    }
    isl_local_space_free(local);
    elements = isl_map_set_tuple_name(elements, isl_dim_out, name.c_str());
    no_code("the elements of '" + name + "' are set where it is declared");
    add_statement({}, {name, name, isl::manage(elements), false, {}}, place,
                  {name + " = start", 0, one.line});
  }
}

}  // namespace redblue::frontend::c
