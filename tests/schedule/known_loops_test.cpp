// SPDX-License-Identifier: BSD-3-Clause
// isl's loops, found once: against those that it finds anew.
#include "schedule/known_loops.hpp"

#include <gtest/gtest.h>
#include <isl/schedule.h>

#include <string>

#include "kernel_names.hpp"
#include "program/isl_text.hpp"
#include "schedule/kernel_program.hpp"
#include "schedule/order.hpp"

namespace redblue::test {
namespace {

using schedule::Fusion;

std::string text(const std::optional<isl::schedule>& tree) {
  return tree ? program::taken_text(isl_schedule_to_str(tree->get())) : "none";
}

TEST(KnownLoops, AreTheSameAtEveryQuestion) {
  for (const char* name : {"2mm", "cholesky", "jacobi-1d", "mvt"}) {
    const program::Program program = read(kernel(name));
    const isl::union_map order = schedule::conflicts(program), close = schedule::flow(program);
    schedule::KnownLoops known;
    for (const Fusion fusion : {Fusion::most, Fusion::outer, Fusion::most}) {
      EXPECT_EQ(text(known.of(program, order, close, fusion)),
                text(schedule::loops(program, order, close, fusion)))
          << name;
    }
  }
}

// Two products run in loops of their own, the second after the first; the two halves of a time step
// cannot.
TEST(KnownLoops, AreApartOnlyWhereStatementsCanBe) {
  const auto are_alike = [](const std::string& name) {
    const program::Program program = read(kernel(name));
    const isl::union_map order = schedule::conflicts(program), close = schedule::flow(program);
    schedule::KnownLoops known;
    const auto tree = [&](Fusion fusion) { return text(known.of(program, order, close, fusion)); };
    EXPECT_EQ(schedule::bands(*known.of(program, order, close, Fusion::least)).size(),
              schedule::bands(*schedule::loops(program, order, close, Fusion::least)).size());
    return tree(Fusion::most) == tree(Fusion::least);
  };
  EXPECT_FALSE(are_alike("2mm"));
  EXPECT_TRUE(are_alike("jacobi-1d"));
}

}  // namespace
}  // namespace redblue::test
