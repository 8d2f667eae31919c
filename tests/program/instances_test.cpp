// SPDX-License-Identifier: BSD-3-Clause
// Instances counted as formulas: against one by one, and far beyond 64 bits.
#include "program/instances.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "frontend/read.hpp"
#include "kernel_names.hpp"
#include "program/checked.hpp"
#include "redblue/error.hpp"

namespace redblue::test {
namespace {

using program::InstanceCount;
using program::Program;
using program::Sizes;
using symbolic::Rational;

constexpr std::int64_t many = std::numeric_limits<std::int64_t>::max();

Program kernel(const std::string& name) {
  BoundRequest request;
  request.file = REDBLUE_SOURCE_DIR "/kernels/" + name + ".c";
  return frontend::read(request);
}

TEST(Instances, OfEveryKernelAsCountedOneByOne) {
  for (const std::string& name : kernel_names()) {
    const Program program = kernel(name);
    const InstanceCount instances(program);
    for (const std::int64_t n : {1, 2, 3, 5}) {
      Sizes sizes;
      std::int64_t odd = 0;
      for (const std::string& p : program.parameters) sizes[p] = n + odd++ % 2;
      std::int64_t points = 0;
      for (const program::Statement& s : program.statements) {
        program::for_each_point(s.domain, sizes, [&points](program::Coordinates) { ++points; });
      }
      EXPECT_EQ(instances.at(sizes, many), Rational(points)) << name << " n=" << n;
    }
  }
}

TEST(Instances, BeyondSixtyFourBits) {
  const Program gemm = kernel("gemm");
  const InstanceCount instances(gemm);
  const Rational n = Rational(std::int64_t{1} << 32);
  EXPECT_EQ(instances.at({{"NI", 1L << 32}, {"NJ", 1L << 32}, {"NK", 10}}, many), n * n * 11);
  const Rational most = Rational(many);
  EXPECT_EQ(instances.at({{"NI", many}, {"NJ", many}, {"NK", many}}, many),
            most * most * (most + 1));
}

TEST(Instances, TooManyAreRefusedWithSizesThatDo) {
  for (const std::string name : {"gemm", "lu", "jacobi-2d", "floyd-warshall"}) {
    const Program program = kernel(name);
    Sizes sizes;
    for (const std::string& p : program.parameters) sizes[p] = 1'000'000'000'000'000'000;
    try {
      program::require_at_most(program, sizes, 1000);
      FAIL() << name;
    } catch (const Error& e) {
      const std::string said = e.what();
      const auto at = said.find("as ");
      ASSERT_NE(at, std::string::npos) << said;
      for (auto& [p, size] : sizes) {
        const auto here = said.find(p + "=", at);
        ASSERT_NE(here, std::string::npos) << said;
        size = std::stoll(said.substr(here + p.size() + 1));
      }
      EXPECT_LE(program::require_at_most(program, sizes, 1000), Rational(1000)) << said;
    }
  }
}

TEST(Checked, WhatDoesNotFitThrows) {
  EXPECT_EQ(program::sum(many - 1, 1), many);
  EXPECT_THROW(program::sum(many, 1), Error);
  EXPECT_EQ(program::difference(-many, 1), std::numeric_limits<std::int64_t>::min());
  EXPECT_THROW(program::difference(-many, 2), Error);
  EXPECT_EQ(program::product(1L << 31, 1L << 31), 1L << 62);
  EXPECT_THROW(program::product(1L << 32, 1L << 31), Error);
}

// Sizes of more than 32 bits reach isl as they are; numbers beyond 64 bits are refused.
TEST(Checked, PointsFarOut) {
  const isl::set near(program::context(), "[N] -> { S[i] : N <= i < N + 3 }");
  std::vector<std::int64_t> seen;
  program::for_each_point(near, {{"N", 1L << 40}},
                          [&seen](program::Coordinates x) { seen.push_back(x[0]); });
  EXPECT_EQ(seen, (std::vector<std::int64_t>{1L << 40, (1L << 40) + 1, (1L << 40) + 2}));
  const isl::set far(program::context(), "[N] -> { S[i] : 100N <= i < 100N + 3 }");
  EXPECT_THROW(program::for_each_point(far, {{"N", 1L << 60}}, [](program::Coordinates) {}), Error);
}

}  // namespace
}  // namespace redblue::test
