// SPDX-License-Identifier: BSD-3-Clause
// An element's hyperedge: every statement writes one element, so what an instance sends passes
// through one element, its own. Where both of two processors have instances that touch an element
// and hang together by values passing through it, one of these values changes hands: as many as
// there are such elements.
#include "tradeoff/lattice_statement.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "program/operation_limit.hpp"

namespace redblue::tradeoff {

using program::Access;
using program::Program;
using program::Statement;

namespace {

constexpr unsigned long most_operations = 3'000'000;

isl::map read_map(const std::string& text) {
  return isl::manage(isl_map_read_from_str(program::context().get(), text.c_str()));
}

std::string iterator(std::size_t i) {
  return "i" + std::to_string(i);
}

std::string tuple(const Statement& s) {
  std::string text = s.name + "[";
  for (std::size_t i = 0; i < s.iterators.size(); ++i) text += (i == 0 ? "" : ", ") + iterator(i);
  return text + "]";
}

// The iterators an access has as its subscripts, one each; empty where it has others.
std::vector<std::size_t> plain_subscripts(const Statement& s, const Access& access) {
  const std::vector<program::Subscript> found = program::subscripts(access.elements);
  std::vector<std::size_t> result;
  std::string subscripts;
  for (const program::Subscript& subscript : found) {
    if (subscript.kind != program::Subscript::Kind::coordinate) return {};
    result.push_back(static_cast<std::size_t>(subscript.iterator));
    subscripts += (subscripts.empty() ? "" : ", ") + iterator(result.back());
  }
  const isl::map plain =
      read_map("{ " + tuple(s) + " -> " + access.array + "[" + subscripts + "] }");
  const bool same = access.elements.is_equal(plain.intersect_domain(s.domain));
  return same ? result : std::vector<std::size_t>();
}

class Match {
 public:
  Match(const Program& program, const std::vector<Flow>& flows, const Chain& chain,
        const Statement& s)
      : program_(program), flows_(flows), chain_(chain), statement_(s) {}

  std::optional<LatticeStatement> find() {
    if (!find_subsets()) return std::nullopt;
    const int m = static_cast<int>(statement_.iterators.size());
    std::vector<std::size_t> order(statement_.iterators.size());
    for (int missing = 0; missing <= 2; ++missing) {
      for (int low = 0; low <= 2; ++low) {
        std::iota(order.begin(), order.end(), std::size_t{0});
        do {
          const isl::set vertices = increasing(order, low, low - missing);
          if (vertices.is_empty() || !vertices.is_subset(chain_.inside.at(statement_.name)))
            continue;
          if (!hangs_together(vertices)) continue;
          std::string text;
          for (const std::size_t i : order)
            text += (text.empty() ? "" : " < ") + statement_.iterators[i];
          return LatticeStatement{&statement_, m, missing, text};
        } while (std::next_permutation(order.begin(), order.end()));
      }
    }
    return std::nullopt;
  }

 private:
  // Accesses to one written array with every subset of all iterators but one.
  bool find_subsets() {
    const std::size_t m = statement_.iterators.size();
    if (m < 2 || m > 3 || statement_.writes.size() != 1) return false;
    array_ = statement_.writes.front().array;
    std::vector<Access> accesses = statement_.writes;
    accesses.insert(accesses.end(), statement_.reads.begin(), statement_.reads.end());
    std::vector<std::vector<std::size_t>> subsets;
    for (const Access& access : accesses) {
      if (access.array != array_ || access.conditional) continue;
      std::vector<std::size_t> subset = plain_subscripts(statement_, access);
      std::sort(subset.begin(), subset.end());
      if (subset.size() != m - 1 ||
          std::adjacent_find(subset.begin(), subset.end()) != subset.end() ||
          std::find(subsets.begin(), subsets.end(), subset) != subsets.end())
        continue;
      subsets.push_back(subset);
      used_.push_back(access.elements);
    }
    return subsets.size() == m;
  }

  // first + low <= i_order[0] < i_order[1] < .. <= last + high.
  isl::set increasing(const std::vector<std::size_t>& order, int low, int high) const {
    std::string text = "[" + std::string(window_first) + ", " + window_last + "] -> { " +
                       tuple(statement_) + " : " + window_first + " + " + std::to_string(low) +
                       " <= ";
    for (const std::size_t i : order) text += (i == order.front() ? "" : " < ") + iterator(i);
    text += std::string(" <= ") + window_last + " + " + std::to_string(high) + " }";
    return isl::manage(isl_set_read_from_str(program::context().get(), text.c_str()))
        .intersect_params(chain_.inside.at(chain_.statement->name).params());
  }

  isl::set elements_of(const isl::set& vertices) const {
    isl::set result = vertices.apply(used_.front());
    for (const isl::map& more : used_) result = result.unite(vertices.apply(more));
    return result;
  }

  // Whether the instances that touch one of these elements hang together, element by element, and
  // so do those of two elements with the same subscripts in another order.
  bool hangs_together(const isl::set& vertices) const {
    const isl::set elements = elements_of(vertices);
    std::map<std::string, isl::map> touched, roots;
    for (const Statement& q : program_.statements) {
      if (q.writes.size() != 1) return false;
      const isl::set& inside = chain_.inside.at(q.name);
      isl::map touches = touches_of(q).intersect_domain(inside).intersect_range(elements);
      roots.emplace(q.name, touches.subtract(with_writer_inside(q)));
      touched.emplace(q.name, std::move(touches));
    }
    return one_root_each(roots) && joined_with_transposed(elements, touched);
  }

  isl::map nothing(const Statement& q) const {
    const std::string places = array_ + (statement_.iterators.size() == 2 ? "[e0]" : "[e0, e1]");
    return read_map("{ " + tuple(q) + " -> " + places + " : 1 = 0 }");
  }

  isl::map touches_of(const Statement& q) const {
    isl::map result = nothing(q);
    for (const std::vector<Access>* accesses : {&q.writes, &q.reads}) {
      for (const Access& access : *accesses) {
        if (access.array == array_) result = result.unite(access.elements);
      }
    }
    return result;
  }

  // Instance -> element it reads from an instance inside.
  isl::map with_writer_inside(const Statement& q) const {
    isl::map result = nothing(q);
    for (const Flow& f : flows_) {
      if (f.reader != &q || f.array != array_) continue;
      const isl::set readers = f.values.intersect_range(chain_.inside.at(f.writer)).domain();
      result = result.unite(f.elements.intersect_domain(readers));
    }
    return result;
  }

  static bool one_root_each(const std::map<std::string, isl::map>& roots) {
    for (auto a = roots.begin(); a != roots.end(); ++a) {
      if (!a->second.is_injective()) return false;
      for (auto b = roots.begin(); b != a; ++b) {
        if (!a->second.range().is_disjoint(b->second.range())) return false;
      }
    }
    return true;
  }

  bool joined_with_transposed(const isl::set& elements,
                              const std::map<std::string, isl::map>& touched) const {
    if (statement_.iterators.size() == 2) return true;
    const isl::map transposed = read_map("{ " + array_ + "[e0, e1] -> " + array_ + "[e1, e0] }")
                                    .intersect_domain(elements)
                                    .intersect_range(elements);
    isl::map joined = transposed.subtract(transposed);
    for (const auto& [name, touches] : touched)
      joined = joined.unite(touches.reverse().apply_range(touches));
    return transposed.is_subset(joined);
  }

  const Program& program_;
  const std::vector<Flow>& flows_;
  const Chain& chain_;
  const Statement& statement_;
  std::string array_;
  std::vector<isl::map> used_;  // instance -> element, by subset
};

}  // namespace

std::optional<LatticeStatement> lattice_statement(const Program& program,
                                                  const std::vector<Flow>& flows,
                                                  const Chain& chain) {
  for (const Statement& s : program.statements) {
    if (static_cast<int>(s.iterators.size()) != chain.order) continue;
    try {
      const program::OperationLimit limit(most_operations);
      if (const auto found = Match(program, flows, chain, s).find()) return found;
    } catch (const isl::exception&) {  // not proved
    }
  }
  return std::nullopt;
}

}  // namespace redblue::tradeoff
