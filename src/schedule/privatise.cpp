// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/privatise.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "dataflow/dependences.hpp"

namespace redblue::schedule {

using program::Access;
using program::Program;
using program::Source;
using program::Statement;

namespace {

isl::map on_output(const isl::map& map, const std::string& name) {
  return isl::manage(isl_map_set_tuple_name(map.copy(), isl_dim_out, name.c_str()));
}

// Brackets side by side: 2 of "A[x[i]][j]".
int subscripts(const std::string& access) {
  int depth = 0, count = 0;
  for (const char c : access) {
    if (c == '[' && depth++ == 0) ++count;
    if (c == ']') --depth;
  }
  return count;
}

class Finder {
 public:
  explicit Finder(const Program& program) : program_(program) {
    for (std::size_t s = 0; s < program.statements.size(); ++s) {
      index_[program.statements[s].name] = s;
      for (std::size_t r = 0; r < program.statements[s].reads.size(); ++r)
        reads_.emplace_back(s, r);
    }
    parent_.resize(program.statements.size() + reads_.size());
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    enters_.resize(parent_.size(), false);
  }

  std::vector<Family> find() {
    for (std::size_t r = 0; r < reads_.size(); ++r) join_sources(r);
    std::map<std::size_t, Family> found;
    for (std::size_t s = 0; s < program_.statements.size(); ++s) {
      Family& family = found[root(s)];
      family.array = program_.statements[s].writes.front().array;
      family.writers.push_back(s);
    }
    for (std::size_t r = 0; r < reads_.size(); ++r) {
      const std::size_t node = program_.statements.size() + r;
      Family& family = found[root(node)];
      family.array = read(r).array;
      family.readers.push_back(reads_[r]);
      family.enters = family.enters || enters_[node];
    }
    std::vector<Family> result;
    for (auto& [node, family] : found) result.push_back(std::move(family));
    mark_leaving(result);
    for (Family& f : result) {
      f.storage = f.array;
      if (!f.writers.empty()) give_storage(f, result);
    }
    return result;
  }

 private:
  const Access& read(std::size_t r) const {
    return program_.statements[reads_[r].first].reads[reads_[r].second];
  }

  std::size_t root(std::size_t node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }

  void join_sources(std::size_t r) {
    const std::size_t node = program_.statements.size() + r;
    const Statement& reader = program_.statements[reads_[r].first];
    for (const program::Source& source : dataflow::sources(program_, reader, read(r))) {
      if (source.statement.empty()) {
        enters_[node] = true;
        continue;
      }
      const std::size_t writer = index_.at(source.statement);
      parent_[root(writer)] = root(node);
      flows_.push_back({writer, reads_[r].first, source.values});
    }
    // The two sides of x += e are written once.
    const Access& write = reader.writes.front();
    for (const program::Span& span : read(r).where) {
      if (write.array == read(r).array && span.begin == write.where.front().begin) {
        parent_[root(reads_[r].first)] = root(node);
      }
    }
  }

  void mark_leaving(std::vector<Family>& all) {
    for (const auto& [name, array] : program_.arrays) {
      const Statement end = dataflow::final_reader(program_, name);
      if (end.reads.empty()) continue;
      for (const program::Source& source : dataflow::sources(program_, end, end.reads.front())) {
        const std::size_t writer = index_.at(source.statement);
        for (Family& f : all) {
          if (std::count(f.writers.begin(), f.writers.end(), writer) == 0) continue;
          f.last.push_back(source.values);
        }
      }
    }
  }

  bool crosses(const Family& f, int d) const {
    for (const Flow& flow : flows_) {
      if (std::count(f.writers.begin(), f.writers.end(), flow.writer) == 0) continue;
      const isl::map same =
          isl::manage(isl_map_equate(flow.values.copy(), isl_dim_in, d, isl_dim_out, d));
      if (!flow.values.is_subset(same)) return true;
    }
    return false;
  }

  // Whether two writes of one element differ in iterator d.
  bool reuses(const Family& f, int d) const {
    for (const std::size_t a : f.writers) {
      for (const std::size_t b : f.writers) {
        const isl::map pairs = program_.statements[a].writes.front().elements.apply_range(
            program_.statements[b].writes.front().elements.reverse());
        const isl::map same =
            isl::manage(isl_map_equate(pairs.copy(), isl_dim_in, d, isl_dim_out, d));
        if (!pairs.is_subset(same)) return true;
      }
    }
    return false;
  }

  // Whether an access has other subscripts in the source than its array has dimensions:
  // A[i*n + j].
  bool flat(const Statement& s, const Access& access) const {
    const auto dimensions = program_.arrays.at(access.array).dimensions;
    return std::any_of(access.where.begin(), access.where.end(), [&](const program::Span& span) {
      return subscripts(s.source.substr(span.begin, span.end - span.begin)) != dimensions;
    });
  }

  // Its storage would have to be flat, too, which C of the other dimensions is not.
  bool flat(const Family& f) const {
    return std::any_of(f.writers.begin(), f.writers.end(),
                       [&](std::size_t s) {
                         const Statement& statement = program_.statements[s];
                         return flat(statement, statement.writes.front());
                       }) ||
           std::any_of(f.readers.begin(), f.readers.end(), [&](const auto& reader) {
             const Statement& statement = program_.statements[reader.first];
             return flat(statement, statement.reads[reader.second]);
           });
  }

  void give_storage(Family& f, const std::vector<Family>& all) {
    if (f.enters || flat(f)) return;
    std::size_t depth = 1000;
    for (const std::size_t s : f.writers)
      depth = std::min(depth, program_.statements[s].iterators.size());
    for (const auto& [s, r] : f.readers)
      depth = std::min(depth, program_.statements[s].iterators.size());
    for (int d = 0; d < static_cast<int>(depth); ++d) {
      if (!crosses(f, d) && reuses(f, d)) f.iterators.push_back(d);
    }
    // Alone with its array there is nothing to gain.
    const bool alone = std::count_if(all.begin(), all.end(), [&f](const Family& other) {
                         return other.array == f.array;
                       }) == 1;
    if (f.iterators.empty() && alone) return;
    int number = 1;
    do {
      f.storage = f.array + "_" + std::to_string(number++);
    } while (used_.count(f.storage) != 0 || program_.arrays.count(f.storage) != 0 ||
             program_.region.text.find(f.storage) != std::string::npos);
    used_.insert(f.storage);
  }

  struct Flow {
    std::size_t writer, reader;
    isl::map values;  // reader -> writer
  };

  const Program& program_;
  std::map<std::string, std::size_t> index_;
  std::vector<std::pair<std::size_t, std::size_t>> reads_;
  std::vector<std::size_t> parent_;
  std::vector<bool> enters_;
  std::vector<Flow> flows_;
  std::set<std::string> used_;
};

// What has the storage already keeps it: code is written for programs that were privatised before.
void redirect(Access& access, const Statement& s, const Family& family) {
  if (access.array == family.storage && family.storage != family.array) return;
  isl_map* leading = isl_set_identity(s.domain.copy());
  leading = isl_map_reset_tuple_id(leading, isl_dim_out);
  for (int d = static_cast<int>(s.iterators.size()); d-- > 0;) {
    if (std::count(family.iterators.begin(), family.iterators.end(), d) != 0) continue;
    leading = isl_map_project_out(leading, isl_dim_out, static_cast<unsigned>(d), 1);
  }
  isl_map* elements = isl_map_flat_range_product(leading, access.elements.copy());
  access.elements = on_output(isl::manage(elements), family.storage);
  access.array = family.storage;
}

// The elements of `array` whose values seen after the program these writers left in it.
isl::set left_in_place(const std::string& array, int dimensions, const Family& f) {
  isl::set result = *program::dead_array(array, dimensions).read_after;
  for (const isl::map& last : f.last) {
    result =
        result.unite(isl::manage(isl_set_set_tuple_name(last.domain().release(), array.c_str())));
  }
  return result;
}

// The elements of a moved family's storage that hold such values.
isl::set left_in_storage(const Program& redirected, const Family& f) {
  const int dimensions = redirected.arrays.at(f.storage).dimensions;
  isl::set result = *program::dead_array(f.storage, dimensions).read_after;
  for (const isl::map& last : f.last) {
    const isl::set writers = last.range();
    for (const std::size_t s : f.writers) {
      const Statement& writer = redirected.statements[s];
      if (writer.name != isl_set_get_tuple_name(writers.get())) continue;
      result = result.unite(writers.apply(writer.writes.front().elements));
    }
  }
  return result;
}

}  // namespace

std::vector<Family> families(const Program& program) {
  return Finder(program).find();
}

Program privatised(const Program& program, const std::vector<Family>& families) {
  Program result = program;
  for (const Family& f : families) {
    if (!f.moved()) continue;
    const program::Array& original = program.arrays.at(f.array);
    result.arrays[f.storage] =
        program::dead_array(f.storage, original.dimensions + static_cast<int>(f.iterators.size()));
    for (const std::size_t s : f.writers) {
      redirect(result.statements[s].writes.front(), program.statements[s], f);
    }
    for (const auto& [s, r] : f.readers) {
      redirect(result.statements[s].reads[r], program.statements[s], f);
    }
  }
  for (const Family& f : families) {
    if (!f.moved()) continue;
    result.arrays.at(f.storage).read_after = left_in_storage(result, f);
    program::Array& original = result.arrays.at(f.array);
    original.read_after = *program::dead_array(f.array, original.dimensions).read_after;
    for (const Family& other : families) {
      if (other.moved() || other.array != f.array) continue;
      original.read_after =
          original.read_after->unite(left_in_place(f.array, original.dimensions, other));
    }
  }
  return result;
}

std::vector<Family> in_place(std::vector<Family> families) {
  for (Family& f : families) f.put_back();
  return families;
}

bool same_storage(const std::vector<Family>& a, const std::vector<Family>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](const Family& x, const Family& y) {
    return x.storage == y.storage && x.iterators == y.iterators;
  });
}

}  // namespace redblue::schedule
