// SPDX-License-Identifier: BSD-3-Clause
#include "program/program.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/options.h>

namespace redblue::program {

isl::ctx context() {
  static isl_ctx* const ctx = [] {
    isl_ctx* made = isl_ctx_alloc();
    isl_options_set_on_error(made, ISL_ON_ERROR_CONTINUE);
    return made;
  }();
  return isl::ctx(ctx);
}

isl::set outputs(const Array& array, const isl::set& written) {
  return array.read_after ? written.intersect(*array.read_after) : written;
}

Array dead_array(const std::string& name, int dimensions) {
  isl_space* space = isl_space_set_alloc(context().get(), 0, static_cast<unsigned>(dimensions));
  space = isl_space_set_tuple_name(space, isl_dim_set, name.c_str());
  return {dimensions, {}, isl::manage(isl_set_empty(space)), {}, {}};
}

std::vector<AffinePiece> pieces_of(const isl::pw_aff& function) {
  std::vector<AffinePiece> result;
  isl_pw_aff_foreach_piece(
      function.get(),
      [](isl_set* where, isl_aff* value, void* user) {
        static_cast<std::vector<AffinePiece>*>(user)->push_back(
            {isl::manage(where), isl::manage(value)});
        return isl_stat_ok;
      },
      &result);
  return result;
}

std::vector<isl::aff> single_formulas(const isl::map& map) {
  const isl::pw_multi_aff all = isl::manage(isl_pw_multi_aff_from_map(map.copy()));
  std::vector<isl::aff> result;
  for (int d = 0; d < static_cast<int>(isl_map_dim(map.get(), isl_dim_out)); ++d) {
    const auto pieces = pieces_of(isl::manage(isl_pw_multi_aff_get_pw_aff(all.get(), d)));
    if (pieces.size() != 1) return {};
    result.push_back(pieces.front().value);
  }
  return result;
}

namespace {

Subscript classify(const isl::aff& f) {
  if (isl_aff_dim(f.get(), isl_dim_div) > 0) return {Subscript::Kind::mixed, -1};
  Subscript result;
  for (int i = 0; i < static_cast<int>(isl_aff_dim(f.get(), isl_dim_in)); ++i) {
    if (isl_aff_coefficient_sgn(f.get(), isl_dim_in, i) == 0) continue;
    if (result.kind == Subscript::Kind::coordinate) return {Subscript::Kind::mixed, -1};
    result = {Subscript::Kind::coordinate, i};
  }
  return result;
}

Subscript classify(const isl::pw_aff& value) {
  const std::vector<AffinePiece> pieces = pieces_of(value);
  for (const AffinePiece& piece : pieces) {
    if (!isl_aff_plain_is_equal(piece.value.get(), pieces.front().value.get())) {
      return {Subscript::Kind::mixed, -1};
    }
  }
  return pieces.empty() ? Subscript{Subscript::Kind::mixed, -1} : classify(pieces.front().value);
}

}  // namespace

std::vector<Subscript> subscripts(const isl::map& map) {
  const isl::pw_multi_aff values = isl::manage(isl_pw_multi_aff_from_map(map.copy()));
  const int dimensions = static_cast<int>(isl_map_dim(map.get(), isl_dim_out));
  std::vector<Subscript> result;
  for (int d = 0; d < dimensions; ++d) {
    result.push_back(classify(isl::manage(isl_pw_multi_aff_get_pw_aff(values.get(), d))));
  }
  return result;
}

}  // namespace redblue::program
