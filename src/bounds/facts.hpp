// SPDX-License-Identifier: BSD-3-Clause
// What bounds need to know of a program that does not depend on sizes.
#pragma once

#include <any>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "bounds/contraction.hpp"
#include "bounds/roles.hpp"
#include "dataflow/data_flow.hpp"
#include "dataflow/dependences.hpp"
#include "program/operation_limit.hpp"
#include "program/program.hpp"

namespace redblue::bounds {

// Derived when it is first asked for, and kept: bounds at many sizes ask again and again. Refers to
// the program, whose sources are derived.
class Facts {
 public:
  explicit Facts(const program::Program& program) : program_(&program) {}

  const program::Program& program() const { return *program_; }
  const dataflow::DataFlow& flow() const {
    return once("flow", [this] { return dataflow::DataFlow(*program_); });
  }
  // Who writes an output's final value.
  const std::vector<dataflow::FinalValues>& final_values() const {
    return once("final values", [this] { return dataflow::final_values(*program_); });
  }
  const Roles& roles(const program::Statement& statement, bool all_sources = false) const;
  // From all sources, with longer chains, of statements of three loops and more; nothing where
  // there are none.
  const std::optional<Roles>& with_longer_chains(const program::Statement& statement) const;
  const std::optional<Contracted>& contracted(const program::Statement& statement) const;
  // Of a statement that can be contracted. Chains that pass values used once could end at one of
  // them: only those that do not.
  const Roles& contracted_roles(const program::Statement& statement) const;

  // What `derive` returns, under a name of its own. Where it throws, as isl does after `most`
  // operations, that is kept, too. A limit around this one begins anew whether the fact was known
  // or not: what is found at some sizes does not depend on others that were asked for before.
  template <class Derive>
  const std::invoke_result_t<Derive>& once(const std::string& name, const Derive& derive,
                                           unsigned long most = 3'000'000) const {
    const program::OperationLimit limit(most);
    const auto [entry, is_new] = facts_.try_emplace(name);
    Fact& fact = entry->second;
    if (is_new) {
      try {
        fact.value = derive();
        program::OperationLimit::check();
      } catch (...) {
        fact.failure = std::current_exception();
      }
    }
    if (fact.failure) std::rethrow_exception(fact.failure);
    return std::any_cast<const std::invoke_result_t<Derive>&>(fact.value);
  }

 private:
  struct Fact {
    std::any value;
    std::exception_ptr failure;
  };
  const program::Program* program_;
  mutable std::map<std::string, Fact> facts_;  // by names; their addresses stay
};

}  // namespace redblue::bounds
