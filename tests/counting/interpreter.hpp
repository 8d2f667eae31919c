// SPDX-License-Identifier: BSD-3-Clause
// Runs programs of the model with numbers and counts what runs: the judge of all formulas.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "counting/model/model.hpp"

namespace redblue::counting {

struct Run {
  std::map<const Loop*, std::int64_t> iterations;
  std::map<const Statement*, std::int64_t> executions;
  bool complete = true;  // false: stopped after `most` iterations
};

Run run(const Program& program, const std::map<std::string, std::int64_t>& sizes,
        std::int64_t most = 2000000);

// Shorthands for programs in tests.
Expr v(const std::string& name);
Variable variable(const std::string& name, const Expr& start, const Expr& next);
Expr exit_of(const std::string& name);
Node loop(int line, std::vector<Variable> variables, std::vector<Comparison> guard, Body body = {});
Node count_up(int line, const std::string& name, const Expr& from, const Expr& below,
              Body body = {});
Node statement(int line);
Program program(Body body, const std::vector<std::string>& parameters);

}  // namespace redblue::counting
