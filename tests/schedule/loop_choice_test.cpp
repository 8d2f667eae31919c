// SPDX-License-Identifier: BSD-3-Clause
// How the model would run the loops of a band: in strips whose lines stay in the first cache, along
// diagonals; that such loops compute the same bits; the words that it takes to move.
#include "schedule/choice/loop_choice.hpp"

#include <gtest/gtest.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>

#include "frontend/read.hpp"
#include "schedule/bands/cycles.hpp"
#include "schedule/bands/footprints.hpp"
#include "schedule/choice/choice_text.hpp"
#include "schedule/emitted.hpp"

namespace redblue::test {
namespace {

using schedule::codegen::Chosen;
using schedule::codegen::InnerLoop;
using schedule::codegen::LeafBand;
using schedule::codegen::Orders;

std::string kernel(const std::string& name) {
  return REDBLUE_SOURCE_DIR "/kernels/" + name + ".c";
}

program::Program read(const std::string& file) {
  BoundRequest request;
  request.file = file;
  return frontend::read(request);
}

std::optional<Chosen> chosen(const program::Program& program, std::int64_t size,
                             const schedule::codegen::Processor& processor = {}) {
  program::Sizes sizes;
  for (const std::string& p : program.parameters) sizes[p] = size;
  return Orders(program, sizes, processor).fastest();
}

struct Case {
  std::string kernel, part;  // of the choice's text
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.kernel;
}

class LoopChoice : public testing::TestWithParam<Case> {};

TEST_P(LoopChoice, IsTheModelsAndComputesTheSameBits) {
  const program::Program program = read(kernel(GetParam().kernel));
  const auto order = chosen(program, 2000);
  ASSERT_TRUE(order);
  const std::string text = schedule::codegen::text(order->choice);
  EXPECT_NE(text.find(GetParam().part), std::string::npos) << text;
  const std::string code =
      schedule::codegen::emitted(order->program, order->schedule, order->exclusive);
  // One strip, and a strip and a part of one.
  for (const int size : {7, 300}) {
    if (GetParam().kernel == "seidel-2d" && size > 100) continue;  // as many steps in time
    EXPECT_EQ(difference(kernel(GetParam().kernel), code, size), "") << size;
  }
}

INSTANTIATE_TEST_SUITE_P(OfKernels, LoopChoice,
                         testing::Values(Case{"trisolv", "tiles 0 256"},
                                         Case{"bicg", "inner 0, tiles 256 0"},
                                         Case{"seidel-2d", "diagonal"}),
                         [](const auto& subject) {
                           std::string name = subject.param.kernel;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Factorizations are one band that holds the whole program, in register blocks: threads share the
// tiles of each step.
class SharedLoops : public testing::TestWithParam<const char*> {};

TEST_P(SharedLoops, AreThoseOfABandThatIsAllThereIs) {
  const program::Program program = read(kernel(GetParam()));
  const auto order = chosen(program, 1000, {.threads = 2});
  ASSERT_TRUE(order);
  EXPECT_EQ(order->schedule.bands.size(), 1U);
  const std::string code =
      schedule::codegen::emitted(order->program, order->schedule, order->exclusive);
  EXPECT_NE(code.find("  REDBLUE_PARALLEL"), std::string::npos) << code;
  EXPECT_EQ(difference(kernel(GetParam()), code, 300), "");
}

INSTANTIATE_TEST_SUITE_P(OfKernels, SharedLoops, testing::Values("lu", "cholesky"));

TEST(Strips, HoldLinesThatStay) {
  InnerLoop inner;
  inner.far = inner.far_in_line = 1;
  EXPECT_EQ(strip_of(inner), 256);
  inner.far_in_line = 3;
  EXPECT_EQ(strip_of(inner), 128);
  inner.far_in_line = 1000;
  EXPECT_EQ(strip_of(inner), 8);
}

// y = A x in strips of rows: every step along a row brings a new element of A for each row of the
// strip, and one of x.
TEST(MovedPerInstance, CountsWhatTheStepBeforeDidNotTouch) {
  const program::Program program = read(kernel("mvt"));
  const isl::set domain = program.statements[0].domain;
  const isl::map identity = isl::manage(isl_set_identity(domain.copy()));
  const isl::set point(program::context(), "{ [] }");
  LeafBand band;
  band.statements = {0};
  band.prefix =
      isl::union_map(isl::manage(isl_map_from_domain_and_range(domain.copy(), point.copy())));
  band.loops = isl::union_map(isl::manage(isl_map_reset_tuple_id(identity.copy(), isl_dim_out)));
  band.members = 2;
  const double words =
      schedule::codegen::moved_per_instance(program, band, {1, 0}, {256, 0}, {{"N", 2000}}, 4096);
  EXPECT_NEAR(words, 1 + 1.0 / 256, 1e-9);
}

}  // namespace
}  // namespace redblue::test
