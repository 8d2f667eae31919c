// SPDX-License-Identifier: BSD-3-Clause
// Updates whose order changes no bit: which they are, and what they still wait for.
#include "schedule/updates.hpp"

#include <gtest/gtest.h>
#include <isl/map.h>

#include <fstream>

#include "frontend/read.hpp"
#include "schedule/order.hpp"
#include "temporary_folder.hpp"

namespace redblue::test {
namespace {

program::Program sweeps(const std::string& name, const std::vector<std::string>& updates) {
  const std::string file = temporary_folder() + "redblue_" + name + ".c";
  std::ofstream text(file);
  text << "#include <math.h>\nvoid f(int n, double x[n], double y[n]) {\n#pragma scop\n";
  for (const std::string& u : updates) text << "  for (int i = 1; i < n; i++) " << u << "\n";
  text << "#pragma endscop\n}\n";
  text.close();
  BoundRequest request;
  request.file = file;
  return frontend::read(request);
}

bool ordered(const program::Program& program, std::size_t first, std::size_t second) {
  const std::string from = program.statements[first].name, to = program.statements[second].name;
  bool found = false;
  schedule::conflicts(program).foreach_map([&](const isl::map& m) {
    found = found || (isl_map_get_tuple_name(m.get(), isl_dim_in) == from &&
                      isl_map_get_tuple_name(m.get(), isl_dim_out) == to);
  });
  return found;
}

TEST(Updates, AreOneFunctionOfTheElementAndSomethingElse) {
  const program::Program program = sweeps(
      "kinds", {"x[i] = fmax(x[i], y[i]);", "x[i] = fmax(2 * y[i - 1], x[i]);",
                "x[i] = fmin(x[i], y[i]);", "x[i] = fmax(x[i], x[i] + y[i]);",
                "x[i] = fmax(x[i], y[i]) + 1;", "x[i] = fmax(x[i - 1], y[i]);", "x[i] += y[i];"});
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const program::Update& u : schedule::commuting_updates(program))
    found.emplace_back(u.statement, u.function);
  const std::vector<std::pair<std::size_t, std::string>> expected = {
      {0, "fmax"}, {1, "fmax"}, {2, "fmin"}};
  EXPECT_EQ(found, expected);
}

// On request. What binds weaker than the operator beside x makes another function of it.
TEST(Updates, AreSumsAndProductsWhereOtherRoundingsAreAllowed) {
  const program::Program program =
      sweeps("sums", {"x[i] += y[i];", "x[i] -= y[i] * 2;", "x[i] = x[i] + y[i];",
                      "x[i] = y[i] * y[i] + x[i];", "x[i] = x[i] - y[i] - 1;", "x[i] *= y[i];",
                      "x[i] = y[i] * x[i];",
                      // none:
                      "x[i] = y[i] - x[i];", "x[i] = x[i] * y[i] + 1;", "x[i] = 1 + y[i] * x[i];",
                      "x[i] = x[i] / y[i];", "x[i] = x[i] + y[i] > 0 ? 1 : 2;", "x[i] /= y[i];",
                      "x[i] = x[i - 1] + y[i];"});
  std::string found;
  for (const program::Update& u : schedule::commuting_updates(program, true))
    found += std::to_string(u.statement) + " " + u.function + ", ";
  EXPECT_EQ(found, "0 sum, 1 sum, 2 sum, 3 sum, 4 sum, 5 product, 6 product, ");
  EXPECT_TRUE(schedule::commuting_updates(program).empty());
}

// Sums and differences are in no order; products, and other uses of the element, are.
TEST(Updates, SumsWaitForProducts) {
  program::Program program =
      sweeps("sums_in_order", {"x[i] += y[i];", "x[i] -= 2;", "x[i] *= y[i];"});
  EXPECT_FALSE(schedule::reassociates(program));
  program.commuting = schedule::commuting_updates(program, true);
  EXPECT_TRUE(schedule::reassociates(program));
  EXPECT_FALSE(ordered(program, 0, 1));
  EXPECT_TRUE(ordered(program, 1, 2));
}

// Two fmax are in no order; fmin between them, another use of the element, or its new value are.
TEST(Updates, WaitForWhatIsNoUpdateOfTheirFunction) {
  program::Program program =
      sweeps("order", {"x[i] = fmax(x[i], y[i]);", "x[i] = fmax(2 * y[i], x[i]);",
                       "x[i] = fmin(x[i], y[i]);", "x[i] = 0;", "y[i] = x[i];"});
  EXPECT_TRUE(ordered(program, 0, 1));
  program.commuting = schedule::commuting_updates(program);
  EXPECT_FALSE(ordered(program, 0, 1));
  for (const std::size_t later : {2, 3, 4}) {
    EXPECT_TRUE(ordered(program, 0, later)) << later;
    EXPECT_TRUE(ordered(program, 1, later)) << later;
  }
}

// An update that reads what another one has made of a neighbour waits for it.
TEST(Updates, WaitForValuesTheyRead) {
  program::Program program =
      sweeps("read", {"x[i] = fmax(x[i], y[i]);", "x[i] = fmax(x[i], x[i - 1] + y[i]);"});
  program.commuting = schedule::commuting_updates(program);
  ASSERT_EQ(program.commuting.size(), 2U);
  EXPECT_TRUE(ordered(program, 0, 1));
  EXPECT_TRUE(ordered(program, 1, 1));
}

}  // namespace
}  // namespace redblue::test
