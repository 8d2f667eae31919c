// SPDX-License-Identifier: BSD-3-Clause
#include "program/straighten.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>

#include <algorithm>

namespace redblue::program {

namespace {

using Row = std::vector<long>;  // a subscript's coefficients, one per loop

// Nothing where it is no integer combination of loops.
std::optional<Row> row_of(const isl::aff& f, int loops) {
  if (isl_aff_dim(f.get(), isl_dim_div) != 0) return std::nullopt;
  Row row;
  for (int t = 0; t < loops; ++t) {
    const isl::val c = isl::manage(isl_aff_get_coefficient_val(f.get(), isl_dim_in, t));
    if (!c.is_int()) return std::nullopt;
    row.push_back(isl_val_get_num_si(c.get()));
  }
  return row;
}

// Of all accesses, or those to arrays that are no temporaries.
std::vector<Row> rows_of(const Program& program, const Statement& s, bool temporaries) {
  std::vector<Row> rows;
  for (const auto* accesses : {&s.reads, &s.writes}) {
    for (const Access& access : *accesses) {
      const auto array = program.arrays.find(access.array);
      if (!temporaries && array != program.arrays.end() && array->second.dead()) continue;
      for (const isl::aff& f : single_formulas(access.elements)) {
        const auto row = row_of(f, static_cast<int>(s.iterators.size()));
        if (row && std::count(rows.begin(), rows.end(), *row) == 0) rows.push_back(*row);
      }
    }
  }
  return rows;
}

bool is_mixed(const Row& row) {
  return std::count_if(row.begin(), row.end(), [](long c) { return c != 0; }) > 1;
}

// Loop t becomes by, in which it has the coefficient 1.
struct Change {
  std::size_t t = 0;
  Row by;
};

Row changed(Row row, const Change& change) {
  const long c = row[change.t];
  for (std::size_t o = 0; o < row.size(); ++o) {
    if (o != change.t) row[o] -= c * change.by[o];
  }
  return row;
}

long mixed_after(const std::vector<Row>& rows, const Change& change) {
  return std::count_if(rows.begin(), rows.end(),
                       [&](const Row& row) { return is_mixed(changed(row, change)); });
}

std::optional<Change> best_change(const std::vector<Row>& rows) {
  std::optional<Change> best;
  long fewest = std::count_if(rows.begin(), rows.end(), is_mixed);
  for (const Row& row : rows) {
    if (!is_mixed(row)) continue;
    for (std::size_t t = 0; t < row.size(); ++t) {
      if (row[t] != 1 && row[t] != -1) continue;
      Change change{t, row};
      for (long& c : change.by) c *= row[t];
      const long mixed = mixed_after(rows, change);
      if (mixed >= fewest) continue;
      fewest = mixed;
      best = change;
    }
  }
  return best;
}

// Old instance -> new one.
isl::map map_of(const isl::set& domain, const Change& change) {
  isl_multi_aff* result =
      isl_multi_aff_identity(isl_space_map_from_set(isl_set_get_space(domain.get())));
  isl_aff* by = isl_multi_aff_get_aff(result, static_cast<int>(change.t));
  for (std::size_t o = 0; o < change.by.size(); ++o) {
    by = isl_aff_set_coefficient_si(by, isl_dim_in, static_cast<int>(o),
                                    static_cast<int>(change.by[o]));
  }
  return isl::manage(
      isl_map_from_multi_aff(isl_multi_aff_set_aff(result, static_cast<int>(change.t), by)));
}

std::string text_of(const Change& change, const std::vector<std::string>& iterators) {
  std::string text = iterators[change.t];
  for (std::size_t o = 0; o < iterators.size(); ++o) {
    const long c = change.by[o];
    if (o == change.t || c == 0) continue;
    text += (c < 0 ? "-" : "+") + (std::abs(c) == 1 ? "" : std::to_string(std::abs(c)) + "*") +
            iterators[o];
  }
  return text;
}

isl::map unnamed(const isl::map& map) {
  return isl::manage(
      isl_map_reset_tuple_id(isl_map_reset_tuple_id(map.copy(), isl_dim_in), isl_dim_out));
}

void apply(Statement& s, const Change& change) {
  const isl::map to_new = map_of(s.domain, change);
  s.domain = s.domain.apply(to_new);
  s.schedule = s.schedule.apply_domain(to_new);
  for (auto* accesses : {&s.reads, &s.writes}) {
    for (Access& access : *accesses) {
      access.elements = access.elements.apply_domain(to_new);
      access.sources = nullptr;
    }
  }
  for (Counter& counter : s.counters) {
    const isl::map value = isl::manage(isl_map_from_pw_aff(counter.value.copy()));
    isl_pw_multi_aff* moved =
        isl_pw_multi_aff_from_map(value.apply_domain(unnamed(to_new)).release());
    counter.value = isl::manage(isl_pw_multi_aff_get_pw_aff(moved, 0));
    isl_pw_multi_aff_free(moved);
  }
  s.iterators[change.t] = text_of(change, s.iterators);
}

Program straightened(const Program& program, bool temporaries) {
  Program result = program;
  for (Statement& s : result.statements) {
    while (const auto change = best_change(rows_of(program, s, temporaries))) apply(s, *change);
  }
  return result;
}

}  // namespace

Program straighten(const Program& program) {
  return straightened(program, true);
}

Program straighten_outputs(const Program& program) {
  return straightened(program, false);
}

}  // namespace redblue::program
