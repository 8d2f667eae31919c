// SPDX-License-Identifier: BSD-3-Clause
// Bad input: one clear line on standard error, exit 2, on every rank count, no hang.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "cli/process.hpp"

namespace redblue::test {
namespace {

// The lines redblue itself wrote (mpirun adds its own report of a failed job).
std::vector<std::string> own_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("redblue: ", 0) == 0) lines.push_back(line);
  }
  return lines;
}

void expect_refused(const std::string& arguments, const std::string& mention) {
  const Finished alone = redblue(arguments);
  EXPECT_EQ(alone.status, 2) << arguments << "\n" << alone.err;
  EXPECT_EQ(std::count(alone.err.begin(), alone.err.end(), '\n'), 1) << alone.err;
  EXPECT_NE(alone.err.find(mention), std::string::npos) << alone.err;
  EXPECT_TRUE(alone.out.empty()) << alone.out;
  const Finished run = mpirun(3, arguments);
  EXPECT_EQ(run.status, 2) << arguments << "\n" << run.err;
  EXPECT_EQ(own_lines(run.err).size(), 1U) << run.err;
  EXPECT_NE(run.err.find(mention), std::string::npos) << run.err;
}

std::string file_with(const std::string& text) {
  const std::string path = temporary_directory() + "/input";
  std::ofstream(path) << text;
  return path;
}

TEST(Errors, CommandLine) {
  expect_refused("", "required");
  expect_refused("frobnicate", "frobnicate");
  expect_refused("run gemm -m 10 -n 10 -k 10 --frobnicate", "frobnicate");
  expect_refused("run gemm -m 10 -n 10", "-k");
  expect_refused("run gemm -m ten -n 10 -k 10", "ten");
  expect_refused("run gemm -m 99999999999999999999 -n 10 -k 10", "64 bits");
}

TEST(Errors, Sizes) {
  expect_refused("run gemm -m -10 -n 10 -k 10", "negative");
  expect_refused("plan gemm -m 10 -n -1 -k 10 -p 4", "negative");
  expect_refused("plan gemm -m 10 -n 10 -k 10 -p 0", "0 ranks");
  expect_refused("run gemm -m 10 -n 10 -k 10 --repeat 0", "nothing to run");
  expect_refused("run cholesky -n -3", "negative");
  expect_refused("plan lu -n 10 -p 0", "0 ranks");
  expect_refused("run lu -n 10 --block 0", "no rows in a block");
  expect_refused("run syrk -n 500 -k 500 --memory 10", "least that does");
}

TEST(Errors, Memory) {
  expect_refused("plan gemm -m 100 -n 100 -k 100 -p 4 --memory 10", "words would do");
  expect_refused("run gemm -m 100 -n 100 -k 100 --memory 10", "words would do");
  expect_refused("run gemm -m 100 -n 100 -k 100 --memory -1", "negative");
}

TEST(Errors, Files) {
  expect_refused("bound /no/such/file.c", "cannot be read");
  expect_refused("bound " + file_with("void f( {"), "does not compile");
  expect_refused("bound " REDBLUE_SOURCE_DIR "/kernels/gemm.c --set NI=many", "many");
  expect_refused("bound " REDBLUE_SOURCE_DIR "/kernels/gemm.c --set NI", "NAME=NUMBER");
  expect_refused("bound " REDBLUE_SOURCE_DIR "/kernels/gemm.c --set NX=4", "NX");
  expect_refused("plan gemm -m 10 -n 10 -k 10 -p 4 --machine " + file_with("hello"), "machine");
  expect_refused("run gemm -m 10 -n 10 -k 10 --machine " + file_with("[rank]\n"), "machine");
}

// Results nobody can read are no success.
TEST(Errors, AFullDiskIsSaid) {
  const std::string gemm = REDBLUE_SOURCE_DIR "/kernels/gemm.c --set NI=4,NJ=4,NK=4,S=8";
  for (const std::string& arguments :
       {"bound " + gemm, "bound --json " + gemm, "explain " + gemm, "replay " + gemm,
        "tile --effort 1 " + gemm, std::string("pebble show matmul:2,2,2"), std::string("--help"),
        std::string("bound --help"), std::string("--version")}) {
    const Finished run = shell(REDBLUE_COMMAND " " + arguments + " >/dev/full");
    EXPECT_EQ(run.status, 2) << arguments;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << arguments << run.err;
    EXPECT_NE(run.err.find("cannot be written"), std::string::npos) << arguments << run.err;
  }
}

TEST(Errors, HelpIsNoError) {
  for (const char* command : {"", "bound", "plan gemm", "run gemm", "machine"}) {
    const Finished run = redblue(std::string(command) + " --help");
    EXPECT_EQ(run.status, 0) << command;
    if (*command == '\0') continue;
    EXPECT_NE(run.out.find("Example"), std::string::npos) << command;
  }
}

}  // namespace
}  // namespace redblue::test
