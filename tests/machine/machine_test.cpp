#include <gtest/gtest.h>

#include <fstream>

#include "redblue/error.hpp"
#include "redblue/model.hpp"

namespace redblue {
namespace {

std::string file_with(const std::string& text) {
  const std::string path = testing::TempDir() + "/redblue_machine.toml";
  std::ofstream(path) << text;
  return path;
}

TEST(MachineFile, RoundTrip) {
  Machine machine;
  machine.name = "box";
  machine.flops_per_second = 4.5e10;
  machine.memory = Words(1000000);
  const Machine read = read_machine(file_with(to_toml(machine)));
  EXPECT_EQ(read.name, "box");
  EXPECT_DOUBLE_EQ(read.flops_per_second, 4.5e10);
  EXPECT_DOUBLE_EQ(read.latency_seconds, machine.latency_seconds);
  EXPECT_EQ(read.memory, Words(1000000));
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
}

}  // namespace
}  // namespace redblue
