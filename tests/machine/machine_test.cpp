// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "redblue/error.hpp"
#include "redblue/machine.hpp"
#include "temporary_folder.hpp"

namespace redblue {
namespace {

std::string file_with(const std::string& text) {
  const std::string path = test::temporary_folder() + "redblue_machine.toml";
  std::ofstream(path) << text;
  return path;
}

TEST(MachineFile, RoundTrip) {
  Machine machine;
  machine.name = "box";
  machine.flops_per_second = 4.5e10;
  machine.memory = Words(1000000);
  machine.network_words_per_flop = 0.25;
  machine.levels = {{"cache", 4, 4096, 0}, {"memory", 2, 1 << 30, 0.5}};
  const Machine read = read_machine(file_with(to_toml(machine)));
  EXPECT_EQ(read.name, "box");
  EXPECT_DOUBLE_EQ(read.flops_per_second, 4.5e10);
  EXPECT_DOUBLE_EQ(read.latency_seconds, machine.latency_seconds);
  EXPECT_EQ(read.memory, Words(1000000));
  EXPECT_DOUBLE_EQ(read.network_words_per_flop, 0.25);
  ASSERT_EQ(read.levels.size(), 2U);
  EXPECT_EQ(read.levels[0].name, "cache");
  EXPECT_EQ(read.levels[0].units, 4);
  EXPECT_EQ(read.levels[1].words, 1 << 30);
  EXPECT_DOUBLE_EQ(read.levels[1].words_per_flop, 0.5);
}

TEST(MachineFile, RefusesWhatIsNone) {
  EXPECT_THROW(read_machine("/no/such/file"), Error);
  EXPECT_THROW(read_machine(file_with("int main() { return 0; }")), Error);
  EXPECT_THROW(read_machine(file_with("")), Error);
  EXPECT_THROW(
      read_machine(file_with(
          "[rank]\nflops_per_second = -1\n[network]\nlatency_seconds = 1\nbytes_per_second = 1\n")),
      Error);
  EXPECT_THROW(read_machine(file_with(to_toml({}) + "speed = 3\n")), Error);
  const auto with_levels = [](const std::string& text) { return file_with(to_toml({}) + text); };
  EXPECT_THROW(read_machine(with_levels("[[level]]\nname = \"L1\"\nunits = 1\n")), Error);
  EXPECT_THROW(read_machine(with_levels("[[level]]\nunits = 0\nwords = 4\n")), Error);
  EXPECT_THROW(read_machine(with_levels("[[level]]\nunits = 1\nwords = 4\nspeed = 4\n")), Error);
  EXPECT_THROW(read_machine(with_levels("[[level]]\nunits = 3\nwords = 4\n"
                                        "[[level]]\nunits = 2\nwords = 4\n")),
               Error);
}

TEST(MachineFile, ThoseThatComeAlongAreRead) {
  for (const char* name : {"ibm-bgq", "cray-xt5", "piz-daint-xc40", "vm-2-cores"}) {
    const Machine machine =
        read_machine(std::string(REDBLUE_SOURCE_DIR "/machines/") + name + ".toml");
    EXPECT_GE(machine.levels.size(), 2U) << name;
    std::set<std::string> different;
    for (const MemoryLevel& level : machine.levels) different.insert(level.name);
    EXPECT_EQ(different.size(), machine.levels.size()) << name;
    EXPECT_GT(machine.levels.back().words_per_flop, 0) << name;
  }
}

TEST(Balance, ConditionsSevenAndEight) {
  Machine machine;
  machine.levels = {{"cache", 4, 100, 0}, {"memory", 2, 1000, 0.5}};
  machine.network_words_per_flop = 0.25;
  ProgramTraffic traffic;
  traffic.flops = 1000;
  traffic.at_least = [](std::int64_t words, std::int64_t units) {
    EXPECT_EQ(words, 100);
    EXPECT_EQ(units, 4);
    return 600.0;
  };
  traffic.network_at_least = [](std::int64_t, std::int64_t) { return 100.0; };
  traffic.network_at_most = [](std::int64_t units) {
    return std::optional(50.0 * static_cast<double>(units));
  };
  std::vector<LevelBalance> levels = balance(machine, traffic);
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_DOUBLE_EQ(levels[0].at_least, 0.6);
  EXPECT_EQ(levels[0].verdict, LevelBalance::Verdict::bound);
  EXPECT_DOUBLE_EQ(*levels[1].at_most, 0.2);
  EXPECT_EQ(levels[1].verdict, LevelBalance::Verdict::free);
  traffic.at_least = [](std::int64_t, std::int64_t) { return 400.0; };
  EXPECT_EQ(balance(machine, traffic)[0].verdict, LevelBalance::Verdict::undecided);
  EXPECT_THROW(balance(Machine{}, traffic), Error);
  traffic.network_at_least = [](std::int64_t, std::int64_t) { return 201.0; };
  EXPECT_THROW(balance(machine, traffic), Error);
}

}  // namespace
}  // namespace redblue
