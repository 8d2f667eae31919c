// SPDX-License-Identifier: BSD-3-Clause
// Variables of an emitted region: what the source declares inside, and storage of families.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "schedule/codegen/ast_text.hpp"
#include "schedule/codegen/statement_text.hpp"

namespace redblue::schedule::codegen {

class Storage {
 public:
  Storage(const program::Program& program, const std::vector<Family>& families);

  // All but the source's arrays that loops declare.
  void declare(const std::set<std::string>& in_loops, Lines& lines) const;
  // Elements that must end in their array from the families' storage, which ends here.
  void copy_out(Lines& lines) const;

  // Names that loops must not have: every word of the file but its region's loop variables.
  const std::set<std::string>& names() const { return names_; }

  // The type of loop variables: "int" where all counters of the source have it, else "long".
  std::string counter_type() const;

 private:
  void copy_out(const Family& family, const isl::map& last, Lines& lines) const;

  const program::Program& program_;
  const std::vector<Family>& families_;
  std::set<std::string> names_;
};

// `base`, else base_2, base_3, ..: neither it nor the name of a loop's bound, NAME_end, is used.
std::string free_name(const std::string& base, const std::set<std::string>& used);

}  // namespace redblue::schedule::codegen
