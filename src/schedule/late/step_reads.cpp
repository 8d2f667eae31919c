// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/late/step_reads.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>
#include <set>

#include "dataflow/dependences.hpp"
#include "schedule/c_text.hpp"
#include "schedule/order.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule {

using program::Access;
using program::Program;
using program::Source;
using program::Span;
using program::Statement;

namespace {

// Whether one of the formulas depends on the iterator.
bool depends(const std::vector<isl::aff>& formulas, std::size_t iterator) {
  return std::any_of(formulas.begin(), formulas.end(), [iterator](const isl::aff& f) {
    return isl_aff_involves_dims(f.get(), isl_dim_in, static_cast<unsigned>(iterator), 1) !=
           isl_bool_false;
  });
}

// The name that the source has for an iterator's value; none where no counter has just that value.
std::string counter_of(const Statement& s, std::size_t iterator) {
  const isl::set all = isl::manage(isl_set_reset_tuple_id(s.domain.copy()));
  for (const program::Counter& c : s.counters) {
    const isl::map value = isl::manage(isl_map_from_pw_aff(c.value.copy()));
    isl_map* own = isl_set_identity(all.copy());
    const auto count = static_cast<unsigned>(s.iterators.size());
    const auto at = static_cast<unsigned>(iterator);
    own = isl_map_project_out(own, isl_dim_out, at + 1, count - at - 1);
    own = isl_map_project_out(own, isl_dim_out, 0, at);
    if (isl::manage(own).is_subset(value)) return c.name;
  }
  return "";
}

class Finder {
 public:
  explicit Finder(const Program& program) : program_(program) {}

  std::optional<std::vector<Version>> found() {
    if (!fits()) return std::nullopt;
    for (std::size_t s = 0; s < program_.statements.size(); ++s)
      for (std::size_t r = 0; r < program_.statements[s].reads.size(); ++r)
        if (!add_versions(s, r)) return std::nullopt;
    name();
    return versions_;
  }

 private:
  // Statements in one outermost loop, that write one array where the source says so, and times of
  // places and counters by turns.
  bool fits() const {
    for (const Statement& s : program_.statements) {
      const auto depth = static_cast<int>(s.iterators.size());
      const bool plain = depth > 0 && s.writes.size() == 1 && !s.source.empty() &&
                         isl_map_dim(s.schedule.get(), isl_dim_out) > 2 * depth;
      if (!plain || s.writes.front().array != program_.statements.front().writes.front().array)
        return false;
      for (int d = 0; d < isl_map_dim(s.schedule.get(), isl_dim_out); ++d)
        if ((d % 2 == 0 || d > 2 * depth) && !fixed_value(s.schedule, d)) return false;
      if (fixed_value(s.schedule, 0) != fixed_value(program_.statements.front().schedule, 0))
        return false;
      const isl::set negative(program::context(), "{ [k] : k < 0 }");
      isl_set* steps = isl_set_reset_tuple_id(s.domain.copy());
      steps = isl_set_project_out(steps, isl_dim_set, 1, static_cast<unsigned>(depth) - 1);
      if (!isl::manage(steps).intersect(negative).is_empty()) return false;
    }
    return !program_.statements.empty() && program_.region.can_be_written();
  }

  // False where a read would need copies, and cannot have them.
  bool add_versions(std::size_t statement, std::size_t read) {
    const Statement& s = program_.statements[statement];
    const Access& access = s.reads[read];
    if (access.array != s.writes.front().array ||
        access.elements.is_equal(s.writes.front().elements))
      return true;
    const std::vector<isl::aff> formulas = program::single_formulas(access.elements);
    if (formulas.empty()) return false;
    StepRead of{statement, read, {}, {}, text(s, access)};
    for (std::size_t d = 0; d < s.iterators.size(); ++d)
      if (d == 0 || depends(formulas, d)) of.iterators.push_back(d);
    if (of.iterators.size() == s.iterators.size()) return true;
    for (const std::size_t d : of.iterators) {
      of.counters.push_back(counter_of(s, d));
      if (of.counters.back().empty() || may_be_negative(s, d)) return false;
    }
    isl::union_map now = nothing(), earlier = nothing();
    isl::set after = s.domain.subtract(s.domain);
    for (const Source& source : dataflow::sources(program_, s, access)) {
      if (source.statement.empty()) continue;
      const isl::map same =
          isl::manage(isl_map_equate(source.values.copy(), isl_dim_in, 0, isl_dim_out, 0));
      now = now.unite(isl::union_map(same));
      earlier = earlier.unite(isl::union_map(source.values.subtract(same)));
      after = after.unite(same.domain());
    }
    const isl::set before = s.domain.subtract(after);
    if (!before.is_empty()) versions_.push_back({of, true, before.coalesce(), earlier});
    if (!after.is_empty()) versions_.push_back({of, false, after.coalesce(), now});
    return true;
  }

  static bool may_be_negative(const Statement& s, std::size_t iterator) {
    isl_set* values =
        isl_set_upper_bound_si(s.domain.copy(), isl_dim_set, static_cast<unsigned>(iterator), -1);
    return !isl::manage(values).is_empty();
  }

  static std::string text(const Statement& s, const Access& access) {
    if (access.where.empty()) return "";
    const Span& span = access.where.front();
    return s.source.substr(span.begin, span.end - span.begin);
  }

  // "D_ik_before", of D[i][k]; "D_1_before" where subscripts are no names.
  void name() {
    std::set<std::string> used;
    int number = 0;
    const auto taken = [&](const std::string& name) {
      return used.count(name) != 0 || program_.arrays.count(name) != 0 ||
             program_.region.text.find(name) != std::string::npos;
    };
    for (Version& v : versions_) {
      const std::string& text = v.of.element;
      std::string letters;
      bool simple = true;
      for (const char c : text.substr(std::min(text.find('['), text.size()))) {
        if (in_word(c)) letters += c;
        simple = simple && (in_word(c) || c == '[' || c == ']');
      }
      const std::string array = program_.statements[v.of.statement].writes.front().array;
      const std::string when = v.before ? "_before" : "_after";
      v.name = array + "_" + letters + when;
      while (!simple || letters.empty() || taken(v.name)) {
        v.name = array + "_" + std::to_string(++number) + when;
        if (!taken(v.name)) break;
      }
      used.insert(v.name);
    }
  }

  const Program& program_;
  std::vector<Version> versions_;
};

}  // namespace

std::optional<std::vector<Version>> step_versions(const Program& program) {
  return Finder(program).found();
}

}  // namespace redblue::schedule
