// SPDX-License-Identifier: BSD-3-Clause
#include "scalapack/serving/experience.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "scalapack/serving/settings.hpp"

namespace redblue::scalapack {
namespace {

// Who serves so many calls, each server taking the same time always.
std::vector<Server> served_by(Server expected, double redblue, double scalapack, int calls) {
  Experience known(expected);
  std::vector<Server> result;
  for (int i = 0; i < calls; ++i) {
    const Server server = known.next();
    known.count();
    known.add(server, server == Server::redblue ? redblue : scalapack);
    result.push_back(server);
  }
  return result;
}

long served_by_redblue(const std::vector<Server>& servers) {
  return std::count(servers.begin(), servers.end(), Server::redblue);
}

TEST(Experience, TheThirdCallTriesTheOther) {
  const std::vector<Server> servers = served_by(Server::redblue, 1, 3, 4);
  EXPECT_EQ(servers, (std::vector<Server>{Server::redblue, Server::redblue, Server::scalapack,
                                          Server::redblue}));
}

TEST(Experience, TheFasterOneServesTheRest) {
  EXPECT_EQ(served_by_redblue(served_by(Server::redblue, 1, 3, 1000)), 999);
  EXPECT_EQ(served_by_redblue(served_by(Server::redblue, 3, 1, 1000)), 2);
  EXPECT_EQ(served_by_redblue(served_by(Server::scalapack, 1, 3, 1000)), 998);
}

TEST(Experience, CloseOnesAreTriedAgainNowAndThen) {
  // at calls 16, 64 and 256 beside the first trials: three of each where the ratio is below 1.2
  EXPECT_EQ(served_by_redblue(served_by(Server::redblue, 1.1, 1, 1000)), 3 + 3);
  EXPECT_EQ(served_by_redblue(served_by(Server::redblue, 1.5, 1, 1000)), 2 + 3);
}

TEST(Experience, AMachineThatChangesIsNoticed) {
  Experience known(Server::redblue);
  int late_redblue = 0;
  for (int i = 1; i <= 300; ++i) {
    const Server server = known.next();
    known.count();
    const bool disturbed = i <= 5;  // what else the machine does slows redblue's calls down
    known.add(server, server == Server::scalapack ? 1 : disturbed ? 1.8 : 0.5);
    if (i > 16 && server == Server::redblue) ++late_redblue;
  }
  EXPECT_GE(late_redblue, 280);
}

TEST(Experience, IsSettledOnlyWhereScalapackLeads) {
  Experience known(Server::redblue);
  EXPECT_FALSE(known.is_settled());
  for (const double seconds : {2.0, 2.0}) known.add(Server::redblue, seconds), known.count();
  EXPECT_FALSE(known.is_settled());
  known.add(Server::scalapack, 0.5);
  known.count();
  EXPECT_TRUE(known.is_settled());
  known.add(Server::redblue, 0.1);
  EXPECT_FALSE(known.is_settled());
}

TEST(Settings, MemoryIsBytesOrAShare) {
  EXPECT_EQ(memory_limit("4000000")->bytes, 4000000);
  EXPECT_EQ(memory_limit("512K")->bytes, 512 * 1024);
  EXPECT_EQ(memory_limit("1.5G")->bytes, 3 * 512 * 1024 * 1024LL);
  EXPECT_EQ(memory_limit("0")->bytes, 0);
  EXPECT_FALSE(memory_limit("25%")->bytes.has_value());
  EXPECT_DOUBLE_EQ(memory_limit("25%")->share, 0.25);
  for (const char* wrong : {"", "M", "12Q", "-1", "101%", "1e30", "nan", "12 %", "0x"}) {
    EXPECT_FALSE(memory_limit(wrong).has_value()) << wrong;
  }
}

TEST(Settings, APageIsInsteadOfLines) {
  EXPECT_EQ(settings_of(nullptr, nullptr, nullptr, "html").page, "redblue-report.html");
  EXPECT_EQ(settings_of(nullptr, nullptr, nullptr, "html:").page, "redblue-report.html");
  EXPECT_EQ(settings_of(nullptr, nullptr, nullptr, "html:a/b.html").page, "a/b.html");
  EXPECT_FALSE(settings_of(nullptr, nullptr, nullptr, "html").report);
  for (const char* other : {"1", "calls", "htm", "html5"}) {
    EXPECT_TRUE(settings_of(nullptr, nullptr, nullptr, other).page.empty()) << other;
    EXPECT_TRUE(settings_of(nullptr, nullptr, nullptr, other).report) << other;
  }
}

TEST(Settings, WhatIsWrongIsNamed) {
  EXPECT_TRUE(settings_of(nullptr, nullptr, nullptr, nullptr).fault.empty());
  EXPECT_TRUE(settings_of("1e9", "25%", "gemm,potrf", "calls").fault.empty());
  EXPECT_NE(settings_of("some", nullptr, nullptr, nullptr).fault.find("REDBLUE_MIN_WORK=some"),
            std::string::npos);
  EXPECT_NE(settings_of(nullptr, "much", nullptr, nullptr).fault.find("REDBLUE_MEMORY=much"),
            std::string::npos);
  EXPECT_EQ(settings_of(nullptr, nullptr, "gemm,,potrf", nullptr).off,
            (std::vector<std::string>{"gemm", "potrf"}));
  EXPECT_EQ(without_type("pzgetrf"), "getrf");
}

}  // namespace
}  // namespace redblue::scalapack
