// SPDX-License-Identifier: BSD-3-Clause
// Programs whose steps wait for each other: x <- A x again and again. What a step reads of the
// inputs is loaded again, but for what fits in fast memory (docs/methods/phases.md).
#include <isl/constraint.h>
#include <isl/map.h>
#include <isl/set.h>

#include <optional>

#include "bounds/bound.hpp"
#include "bounds/facts.hpp"
#include "bounds/waiting.hpp"
#include "dataflow/data_flow.hpp"
#include "program/count.hpp"

namespace redblue::bounds {

using dataflow::DataFlow;
using dataflow::InputRead;
using program::Statement;

namespace {

// Whether some element is read in more than one step: others are loaded once anyway.
bool read_again(const isl::map& elements) {
  const auto loops = static_cast<unsigned>(isl_map_dim(elements.get(), isl_dim_in));
  isl_map* by_step = isl_map_reset_tuple_id(elements.copy(), isl_dim_in);
  by_step = isl_map_project_out(by_step, isl_dim_in, 1, loops - 1);
  return isl_map_is_injective(by_step) != isl_bool_true;
}

int equalities(const isl::set& set) {
  isl_basic_set* hull = isl_set_affine_hull(set.copy());
  const int number = isl_basic_set_n_constraint(hull);
  isl_basic_set_free(hull);
  return number;
}

// Whether the instances are a boundary of the statement's: what they read is of lower order.
bool thin(const isl::set& instances, const Statement& s) {
  return equalities(instances) > equalities(s.domain);
}

// { [step, element] } that the read finds.
isl::set read_by_steps(const isl::map& elements) {
  const auto loops = static_cast<unsigned>(isl_map_dim(elements.get(), isl_dim_in));
  isl_map* by_step = isl_map_reset_tuple_id(elements.copy(), isl_dim_in);
  by_step = isl_map_project_out(by_step, isl_dim_in, 1, loops - 1);
  return isl::manage(isl_set_flatten(isl_map_wrap(isl_map_reset_tuple_id(by_step, isl_dim_out))));
}

Bound bound_of(const InputRead& read, long distance, const Sizes& sizes) {
  return bound_of_waiting(*read.reader, read.elements.domain(), distance,
                          sizes.amount(program::count(read_by_steps(read.elements))), 1,
                          "so these steps follow one another, and each loads what it reads of " +
                              read.array + " but for what is in fast memory when it begins",
                          sizes);
}

// Reads of inputs that are made again in steps which wait for one another, with how many steps lie
// between one and the step whose instances all come before it.
struct WaitingRead {
  const InputRead* read;
  long distance;
};

std::vector<WaitingRead> waiting_reads(const Facts& facts) {
  std::vector<WaitingRead> result;
  const DataFlow& flow = facts.flow();
  if (only_fixed_steps(flow)) return result;
  for (const Statement& s : facts.program().statements) {
    std::optional<isl::map> later;
    for (const InputRead& read : flow.inputs) {
      if (read.reader != &s || s.iterators.size() < 2) continue;
      const isl::set instances = read.elements.domain();
      if (thin(instances, s) || !read_again(read.elements) || !without_gaps(steps_of(instances)))
        continue;
      if (const auto distance = waits_for_all(flow, s, instances, later))
        result.push_back({&read, *distance});
    }
  }
  return result;
}

}  // namespace

std::vector<Bound> phases(const Facts& facts, const Sizes& sizes) {
  std::vector<Bound> result;
  const auto& found = facts.once("phases", [&facts] { return waiting_reads(facts); });
  for (const auto& [read, distance] : found) result.push_back(bound_of(*read, distance, sizes));
  return result;
}

}  // namespace redblue::bounds
