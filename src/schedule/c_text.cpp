// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/c_text.hpp"

#include <isl/aff.h>
#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <cctype>
#include <cstdlib>
#include <regex>

namespace redblue::schedule {

namespace {

std::string take(char* text) {
  const std::string result = text == nullptr ? "" : text;
  std::free(text);
  return result;
}

}  // namespace

std::string numbered(const std::string& prefix, std::size_t count) {
  std::string text;
  for (std::size_t d = 0; d < count; ++d) {
    text += (d == 0 ? "" : ", ") + prefix + std::to_string(d);
  }
  return text;
}

std::string in_parameters(const isl::pw_aff& value, const isl::set& context) {
  isl_ast_build* build = isl_ast_build_from_context(context.copy());
  isl_ast_expr* made = isl_ast_build_expr_from_pw_aff(build, value.copy());
  const std::string text = take(isl_ast_expr_to_C_str(made));
  isl_ast_expr_free(made);
  isl_ast_build_free(build);
  return "(" + text + ")";
}

std::string expression(const isl::pw_aff& value, const isl::set& where) {
  const auto count = static_cast<std::size_t>(isl_set_dim(where.get(), isl_dim_set));
  const std::string names = numbered("redblue_", count);
  const isl::multi_aff dimensions(program::context(),
                                  "[" + names + "] -> { [] -> [" + names + "] }");
  isl_set* here =
      isl_set_preimage_multi_aff(isl_set_reset_tuple_id(where.copy()), dimensions.copy());
  isl_pw_aff* f = isl_pw_aff_reset_tuple_id(value.copy(), isl_dim_in);
  f = isl_pw_aff_project_domain_on_params(isl_pw_aff_pullback_multi_aff(f, dimensions.copy()));
  return in_parameters(isl::manage(f), isl::manage(isl_set_params(here)));
}

Aligned aligned(const isl::union_map& times, const isl::set& known) {
  const isl::set all =
      isl::manage(isl_set_align_params(known.copy(), isl_union_map_get_space(times.get())));
  return {isl::manage(isl_union_map_align_params(times.copy(), isl_set_get_space(all.get()))), all};
}

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string renamed(std::string text) {
  for (const char* name : {"floord", "min", "max"}) {
    text = std::regex_replace(text, std::regex(std::string("\\b") + name + "\\("),
                              std::string("redblue_") + name + "(");
  }
  return text;
}

}  // namespace redblue::schedule
