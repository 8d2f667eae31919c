// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/late/step_copies.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>

#include "dataflow/dependences.hpp"
#include "schedule/c_text.hpp"
#include "schedule/late/step_reads.hpp"
#include "schedule/order.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule {

using program::Access;
using program::Program;
using program::Source;
using program::Span;
using program::Statement;

namespace {

isl::map named(const isl::map& map, const std::string& from) {
  return isl::manage(isl_map_set_tuple_name(map.copy(), isl_dim_in, from.c_str()));
}

class Copier {
 public:
  explicit Copier(const Program& program) : program_(program) {}

  std::optional<WithCopies> copied() {
    std::optional<std::vector<Version>> versions = step_versions(program_);
    if (!versions || versions->empty()) return std::nullopt;
    versions_ = std::move(*versions);
    for (const Statement& s : program_.statements)
      length_ = std::max(length_, 2 * static_cast<int>(s.iterators.size()) + 2);
    result_.program = program_;
    result_.program.statements.clear();
    result_.program.commuting.clear();
    result_.array = program_.statements.front().writes.front().array;
    result_.step = versions_.front().of.counters.front();
    for (std::size_t s = 0; s < program_.statements.size(); ++s) add_parts(s);
    for (const Version& v : versions_) add_copies(v);
    for (Statement& s : result_.program.statements) {
      s.schedule = isl::manage(
          isl_map_from_union_map(padded(isl::union_map(s.schedule), length_).release()));
      for (Access& read : s.reads) read.sources = nullptr;
    }
    if (!reads_the_same()) return std::nullopt;
    return result_;
  }

 private:
  // "D_ik_before[k][i]".
  static std::string copy_text(const Version& v) {
    std::string text = v.name;
    for (const std::string& c : v.of.counters) text += "[" + c + "]";
    return text;
  }

  // Instance -> the copy's.
  isl::map to_copy(const Version& v) const {
    const Statement& s = program_.statements[v.of.statement];
    std::string values;
    for (const std::size_t d : v.of.iterators)
      values += (values.empty() ? "x" : ", x") + std::to_string(d);
    const isl::map all(program::context(), "{ " + s.name + "[" + numbered("x", s.iterators.size()) +
                                               "] -> " + v.name + "[" + values + "] }");
    return all.intersect_domain(v.readers);
  }

  // (place, counter, place, .., place): what follows is the same for all instances.
  static isl::map time_of(const Statement& s) {
    const auto all = static_cast<unsigned>(isl_map_dim(s.schedule.get(), isl_dim_out));
    const auto own = static_cast<unsigned>(2 * s.iterators.size() + 1);
    return isl::manage(isl_map_project_out(s.schedule.copy(), isl_dim_out, own, all - own));
  }

  // Times with room before and after every place.
  static isl::map spread(const isl::map& times, int places) {
    std::string from, to;
    for (int d = 0; d < 2 * places - 1; ++d) {
      const std::string t = "t" + std::to_string(d);
      from += (d == 0 ? "" : ", ") + t;
      to += (d == 0 ? "" : ", ") + (d % 2 == 0 ? "3*" + t + " + 1" : t);
    }
    return times.apply_range(isl::map(program::context(), "{ [" + from + "] -> [" + to + "] }"));
  }

  // The parts of a statement: which copies its reads find.
  void add_parts(std::size_t statement) {
    const Statement& s = program_.statements[statement];
    std::vector<std::vector<const Version*>> parts(1);
    for (std::size_t r = 0; r < s.reads.size(); ++r) {
      std::vector<std::vector<const Version*>> next;
      for (const Version& v : versions_) {
        if (v.of.statement != statement || v.of.read != r) continue;
        for (const auto& part : parts) {
          next.push_back(part);
          next.back().push_back(&v);
        }
      }
      if (!next.empty()) parts = next;
    }
    int number = 0;
    for (const auto& part : parts) {
      isl::set domain = s.domain;
      for (const Version* v : part) domain = domain.intersect(v->readers);
      if (domain.is_empty()) continue;
      add_part(s, part, domain.coalesce(), s.name + "_" + std::to_string(number++));
    }
  }

  void add_part(const Statement& s, const std::vector<const Version*>& part, const isl::set& domain,
                const std::string& name) {
    Statement made = s;
    made.name = name;
    made.domain = isl::manage(isl_set_set_tuple_name(domain.copy(), name.c_str()));
    const auto own = [&](const isl::map& map) {
      return named(map, name).intersect_domain(made.domain);
    };
    made.schedule = own(spread(time_of(s), static_cast<int>(s.iterators.size()) + 1));
    for (Access& a : made.writes) a.elements = own(a.elements);
    for (Access& a : made.reads) a.elements = own(a.elements);
    for (const Version* v : part) {
      Access& read = made.reads[v->of.read];
      read.array = v->name;
      read.text = copy_text(*v);
      read.elements = own(to_copy(*v));
    }
    std::vector<std::pair<Span, std::string>> changes;
    for (const Version* v : part)
      for (const Span& span : s.reads[v->of.read].where) changes.emplace_back(span, copy_text(*v));
    replace(made, changes);
    result_.program.statements.push_back(std::move(made));
    result_.part_of.push_back(s.name);
  }

  // Puts texts in the places of spans of the source. The spans of all accesses follow.
  static void replace(Statement& s, std::vector<std::pair<Span, std::string>> changes) {
    std::sort(changes.begin(), changes.end(),
              [](const auto& a, const auto& b) { return a.first.begin > b.first.begin; });
    const auto moved = [](std::size_t& at, std::size_t from, std::ptrdiff_t by) {
      if (at >= from) at = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(at) + by);
    };
    for (const auto& [span, text] : changes) {
      const std::size_t old = span.end - span.begin;
      const auto by = static_cast<std::ptrdiff_t>(text.size()) - static_cast<std::ptrdiff_t>(old);
      s.source.replace(span.begin, old, text);
      for (auto* accesses : {&s.reads, &s.writes}) {
        for (Access& a : *accesses) {
          for (Span& where : a.where) {
            moved(where.begin, span.end, by);
            moved(where.end, span.end, by);
          }
        }
      }
    }
  }

  void add_copies(const Version& v) {
    const Statement& s = program_.statements[v.of.statement];
    const isl::map from_reader = to_copy(v);
    Statement made;
    made.name = v.name;
    made.line = s.line;
    for (const std::size_t d : v.of.iterators) made.iterators.push_back(s.iterators[d]);
    made.domain = from_reader.range().coalesce();
    for (const std::string& name : v.of.counters) {
      const auto c = std::find_if(s.counters.begin(), s.counters.end(),
                                  [&](const program::Counter& x) { return x.name == name; });
      program::Counter counter = *c;
      const auto at = static_cast<std::size_t>(
          std::find(v.of.counters.begin(), v.of.counters.end(), name) - v.of.counters.begin());
      counter.value = isl::pw_aff(program::context(), "{ [" + numbered("x", v.of.counters.size()) +
                                                          "] -> [(x" + std::to_string(at) + ")] }");
      made.counters.push_back(counter);
    }
    const std::string target = copy_text(v), element = v.of.element;
    made.source = target + " = " + element;
    const std::string& array = s.writes.front().array;
    Access write{v.name, target, isl::manage(isl_set_identity(made.domain.copy()))};
    write.where = {{0, target.size()}};
    Access read{array, element, from_reader.reverse().apply_range(s.reads[v.of.read].elements)};
    read.where = {{target.size() + 3, made.source.size()}};
    made.writes = {write};
    made.reads = {read};
    const auto number = static_cast<int>(result_.copies.size());
    made.schedule = numbered_time(v.before ? time_before(v) : time_after(v), number);
    result_.program.arrays[v.name] =
        program::dead_array(v.name, static_cast<int>(v.of.iterators.size()));
    result_.copies.push_back({v.name, element, v.before, result_.program.statements.size()});
    result_.program.statements.push_back(std::move(made));
    result_.part_of.emplace_back();
  }

  // In front of the outermost loop that the element does not depend on.
  isl::map time_before(const Version& v) const {
    const Statement& s = program_.statements[v.of.statement];
    std::size_t missing = 0;
    while (missing < v.of.iterators.size() && v.of.iterators[missing] == missing) ++missing;
    std::vector<std::size_t> kept;
    for (const std::size_t d : v.of.iterators)
      if (d > missing) kept.push_back(d);
    return to_copy(v)
        .reverse()
        .apply_range(time_of(s))
        .apply_range(beside_loop(s.iterators.size(), missing, 0, kept));
  }

  // Behind the innermost loops of the writer that step through elements of their own.
  isl::map time_after(const Version& v) const {
    const isl::union_map writers = isl::union_map(to_copy(v).reverse()).apply_range(v.writers);
    isl::union_map result = nothing();
    writers.foreach_map([&](const isl::map& map) {
      const Statement* w =
          dataflow::statement_named(program_, isl_map_get_tuple_name(map.get(), isl_dim_out));
      const std::size_t depth = w->iterators.size();
      std::size_t first = depth;
      while (first > 1 && varies(map.range(), first - 1)) --first;
      std::vector<std::size_t> kept;
      for (std::size_t d = first; d < depth; ++d) kept.push_back(d);
      result = result.unite(isl::union_map(
          map.apply_range(time_of(*w)).apply_range(beside_loop(depth, first, 2, kept))));
    });
    return isl::manage(isl_map_from_union_map(result.release()));
  }

  // Whether an iterator takes several values where those before it have the same.
  static bool varies(const isl::set& instances, std::size_t iterator) {
    const auto at = static_cast<unsigned>(iterator);
    const auto depth = static_cast<unsigned>(isl_set_dim(instances.get(), isl_dim_set));
    isl_set* first = isl_set_reset_tuple_id(instances.copy());
    first = isl_set_project_out(first, isl_dim_set, at + 1, depth - at - 1);
    isl_map* split =
        isl_map_move_dims(isl_map_from_range(first), isl_dim_in, 0, isl_dim_out, 0, at);
    return !isl::manage(split).is_single_valued();
  }

  // A statement's times -> (spread) those just before (0) or after (2) its loop `loop`, or the
  // statement itself, with the counters of loops inside that are kept.
  static isl::map beside_loop(std::size_t depth, std::size_t loop, int side,
                              const std::vector<std::size_t>& kept) {
    std::string from, to;
    for (std::size_t d = 0; d <= 2 * depth; ++d) {
      const std::string t = "t" + std::to_string(d);
      from += (d == 0 ? "" : ", ") + t;
      std::string value = d % 2 == 0 ? "3*" + t + " + 1" : t;
      if (d == 2 * loop) value = "3*" + t + " + " + std::to_string(side);
      if (d > 2 * loop && (d % 2 == 0 || std::count(kept.begin(), kept.end(), d / 2) == 0))
        value = "0";
      to += (d == 0 ? "" : ", ") + value;
    }
    return isl::map(program::context(), "{ [" + from + "] -> [" + to + "] }");
  }

  // Copies at one time run by number.
  isl::map numbered_time(const isl::map& time, int number) const {
    const isl::union_map longer = padded(isl::union_map(time), length_ - 1);
    isl_map* all = isl_map_from_union_map(longer.copy());
    all = isl_map_add_dims(all, isl_dim_out, 1);
    return isl::manage(
        isl_map_fix_si(all, isl_dim_out, static_cast<unsigned>(length_) - 1, number));
  }

  // Whether all instances read the values, and of the original's writers, that they read there.
  bool reads_the_same() const {
    isl::union_map original = nothing();
    for (std::size_t p = 0; p < result_.part_of.size(); ++p) {
      if (result_.part_of[p].empty()) continue;
      const Statement& part = result_.program.statements[p];
      const Statement& whole = *dataflow::statement_named(program_, result_.part_of[p]);
      const isl::map renaming = isl::manage(isl_map_set_tuple_name(
          isl_set_identity(part.domain.copy()), isl_dim_out, whole.name.c_str()));
      original = original.unite(isl::union_map(renaming));
    }
    for (std::size_t p = 0; p < result_.part_of.size(); ++p) {
      if (result_.part_of[p].empty()) continue;
      const Statement& part = result_.program.statements[p];
      const Statement& whole = *dataflow::statement_named(program_, result_.part_of[p]);
      for (std::size_t r = 0; r < part.reads.size(); ++r) {
        const isl::union_map now = values_of(part, part.reads[r], original);
        const isl::union_map then = values_of(program_, whole, whole.reads[r]);
        const isl::union_set here(part.domain);
        const isl::union_map expected = original.intersect_domain(here).apply_range(then);
        if (!now.is_equal(expected)) return false;
      }
    }
    return true;
  }

  // Reading instance -> the instance that computed the value, or the element it entered in.
  static isl::union_map values_of(const Program& program, const Statement& s, const Access& read) {
    isl::union_map result = nothing();
    for (const Source& source : dataflow::sources(program, s, read))
      result = result.unite(isl::union_map(source.values));
    return result;
  }

  // Likewise in the program with copies, seen through them.
  isl::union_map values_of(const Statement& s, const Access& read,
                           const isl::union_map& original) const {
    const isl::union_map direct = values_of(result_.program, s, read);
    const auto copy = std::find_if(result_.copies.begin(), result_.copies.end(),
                                   [&](const StepCopy& c) { return c.name == read.array; });
    isl::union_map all = direct;
    if (copy != result_.copies.end()) {
      const Statement& made = result_.program.statements[copy->statement];
      all = direct.apply_range(values_of(result_.program, made, made.reads.front()));
    }
    const isl::union_map computed = all.apply_range(original);
    const isl::union_set parts = original.domain();
    return all.subtract_range(parts).unite(computed);
  }

  const Program& program_;
  std::vector<Version> versions_;
  WithCopies result_;
  int length_ = 0;  // of times
};

}  // namespace

std::optional<WithCopies> with_step_copies(const Program& program) {
  return Copier(program).copied();
}

}  // namespace redblue::schedule
