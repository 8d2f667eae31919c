// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/busiest/apart.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <map>
#include <set>

#include "dataflow/dependences.hpp"
#include "dataflow/step.hpp"
#include "program/count.hpp"
#include "program/touched.hpp"

namespace redblue::bounds {

using program::Program;
using program::Statement;

namespace {

constexpr const char* part_parameter = "redblue_part";

// A read, on one branch of a choice or always: by a statement, of a statement's value or an input.
struct Read {
  std::string reader, value;
  isl::map values;
};

std::vector<Read> all_reads(const Program& program) {
  std::vector<Read> result;
  for (const Statement& s : program.statements) {
    for (const program::Access& access : s.reads) {
      for (const dataflow::Source& source : dataflow::sources(program, s, access)) {
        const bool input = source.statement.empty();
        if (!source.values.is_empty())
          result.push_back(
              {s.name, input ? "input " + access.array : source.statement, source.values});
      }
    }
  }
  return result;
}

// A tuple of the space -> its entry at `position`, less `distance`.
isl::map entry(const isl::set& of, int position, long distance) {
  isl_space* space = isl_set_get_space(of.get());
  isl_aff* value = isl_aff_var_on_domain(isl_local_space_from_space(space), isl_dim_set,
                                         static_cast<unsigned>(position));
  value = isl_aff_add_constant_si(value, static_cast<int>(-distance));
  return isl::manage(isl_map_from_aff(value));
}

// The part, a map's argument, as a parameter of its own.
isl::map as_parameter(const isl::map& of_part) {
  const auto last = static_cast<unsigned>(isl_map_dim(of_part.get(), isl_dim_param));
  isl_map* moved = isl_map_move_dims(of_part.copy(), isl_dim_param, last, isl_dim_in, 0, 1);
  return isl::manage(isl_map_set_dim_name(moved, isl_dim_param, last, part_parameter));
}

// The parts themselves, as values of that parameter.
isl::set as_parameter(const isl::set& parts) {
  const auto last = static_cast<unsigned>(isl_set_dim(parts.get(), isl_dim_param));
  isl_set* moved = isl_set_move_dims(parts.copy(), isl_dim_param, last, isl_dim_set, 0, 1);
  moved = isl_set_set_dim_name(moved, isl_dim_param, last, part_parameter);
  return isl::manage(isl_set_params(moved));
}

// The parts of what reads connect with one statement, told apart by one of its loops.
class Parts {
 public:
  Parts(const Program& program, const std::vector<Read>& reads, const Statement& first, int loop)
      : program_(program), reads_(reads) {
    part_of_.emplace(first.name, entry(first.domain, loop, 0));
    while (name_more()) {
    }
  }

  // What is connected, but for nothing.
  bool has(const std::string& name) const { return part_of_.count(name) != 0; }

  bool hold() const {
    return std::all_of(reads_.begin(), reads_.end(), [this](const Read& read) {
      const bool reader = has(read.reader), value = has(read.value);
      if (!reader && !value) return true;
      return reader && value &&
             read.values.apply_range(part_of_.at(read.value)).is_subset(part_of_.at(read.reader));
    });
  }

  // Whether each part has as many instances of each connected statement.
  bool alike(const isl::set& parts) const {
    return std::all_of(program_.statements.begin(), program_.statements.end(),
                       [&](const Statement& s) {
                         if (!has(s.name)) return true;
                         return alike(part_of_.at(s.name).intersect_domain(s.domain), parts);
                       });
  }

 private:
  // Whether one number counts what each of the parts has.
  static bool alike(const isl::map& part_of, const isl::set& parts) {
    const program::Count number = program::count(as_parameter(part_of.reverse()).range());
    isl::set counted = as_parameter(parts);
    for (const program::CountPiece& piece : number.pieces) {
      if (piece.count.has(symbolic::symbol(part_parameter)) ||
          !piece.count.is_equal(number.pieces.front().count))
        return false;
      counted = counted.subtract(piece.where);
    }
    return counted.is_empty();
  }

  // Parts of one more statement or array that a read connects with known ones; whether there is
  // one.
  bool name_more() {
    for (const Read& read : reads_) {
      if (has(read.reader) == has(read.value)) continue;
      const bool up = has(read.value);
      const isl::map parts = up ? read.values.apply_range(part_of_.at(read.value))
                                : read.values.reverse().apply_range(part_of_.at(read.reader));
      const auto named = named_by_entry(parts);
      if (!named) continue;
      part_of_.emplace(up ? read.reader : read.value, *named);
      return true;
    }
    return false;
  }

  static std::optional<isl::map> named_by_entry(const isl::map& parts) {
    const isl::set of = parts.domain();
    for (int d = 0; d < static_cast<int>(isl_set_dim(of.get(), isl_dim_set)); ++d) {
      const isl::map link = entry(of, d, 0).reverse().apply_range(parts);
      if (const auto distance = dataflow::translation(link)) return entry(of, d, distance->front());
    }
    return std::nullopt;
  }

  const Program& program_;
  const std::vector<Read>& reads_;
  std::map<std::string, isl::map> part_of_;  // by statement or array: -> the part
};

std::vector<Apart> parts_of(const Program& program) {
  const std::vector<Read> reads = all_reads(program);
  std::vector<const Statement*> order;  // those with many loops first
  for (const Statement& s : program.statements) order.push_back(&s);
  std::stable_sort(order.begin(), order.end(), [](const Statement* a, const Statement* b) {
    return a->iterators.size() > b->iterators.size();
  });
  std::vector<Apart> result;
  std::set<std::string> done;
  for (const Statement* first : order) {
    if (done.count(first->name) != 0) continue;
    const auto known = result.size();
    for (int loop = 0; loop < static_cast<int>(first->iterators.size()); ++loop) {
      const Parts parts(program, reads, *first, loop);
      if (!parts.hold()) continue;
      const isl::set all = program::values_along(first->domain, loop);
      result.push_back(
          {first->name, first->iterators[static_cast<std::size_t>(loop)], all, parts.alike(all)});
      for (const Statement& s : program.statements) {
        if (parts.has(s.name)) done.insert(s.name);
      }
      break;
    }
    if (result.size() == known) return {};
  }
  return result;
}

}  // namespace

const std::vector<Apart>& apart(const Facts& facts) {
  static const std::vector<Apart> none;
  try {
    return facts.once("apart", [&facts] { return parts_of(facts.program()); });
  } catch (const program::Uncountable&) {
    return none;
  } catch (const isl::exception&) {
    return none;
  }
}

}  // namespace redblue::bounds
