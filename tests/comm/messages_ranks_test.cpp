// SPDX-License-Identifier: BSD-3-Clause
// Many messages of several runs: their words arrive, and MPI still packs others' types rightly.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"

namespace redblue::comm {
namespace {

constexpr int many = 1'000;
constexpr std::int64_t stride = 3;  // a message has three runs of one and two words in turn

std::vector<Run> runs(int message) {
  const std::int64_t at = 4 * stride * message;
  return {{at, 1}, {at + stride, 2}, {at + 2 * stride + 1, 1}};
}

// MPICH 4.0 packs wrongly where there are many derived datatypes, whoever made them.
void expect_packs() {
  MPI_Datatype five = MPI_DATATYPE_NULL;
  MPI_Type_vector(1, 5, 5, MPI_FLOAT, &five);
  MPI_Type_commit(&five);
  const std::array<float, 5> values = {1, 2, 3, 4, 5};
  std::array<float, 8> packed = {};
  int bytes = 0;
  MPI_Pack(values.data(), 1, five, packed.data(), sizeof packed, &bytes, MPI_COMM_SELF);
  MPI_Type_free(&five);
  EXPECT_EQ(bytes, 20);
  EXPECT_EQ(packed[4], 5);
}

TEST(Messages, OfSeveralRunsArriveHoweverManyThereAre) {
  const Communicator world(MPI_COMM_WORLD);
  const int size = world.size(), rank = world.rank().value;
  const Rank next{(rank + 1) % size}, previous{(rank + size - 1) % size};
  std::vector<Message> out, in;
  for (int m = 0; m < many; ++m) {
    out.push_back(Message::of<double>(next, m, runs(m)));
    in.push_back(Message::of<double>(previous, m, runs(m)));
  }
  expect_packs();
  const auto words = static_cast<std::size_t>(4 * stride * many);
  for (const int time : {1, 2}) {
    std::vector<double> sent(words, 0), received(words, 0), expected(words, 0);
    for (std::size_t i = 0; i < words; ++i) sent[i] = rank + 100.0 * time + 0.001 * double(i);
    for (int m = 0; m < many; ++m) {
      for (const auto& run : runs(m)) {
        for (std::int64_t i = run.offset; i < run.offset + run.length; ++i) {
          expected[static_cast<std::size_t>(i)] =
              previous.value + 100.0 * time + 0.001 * static_cast<double>(i);
        }
      }
    }
    std::vector<MPI_Request> pending;
    Traffic count;
    for (const Message& m : in) world.receive(received.data(), m, pending, count);
    for (const Message& m : out) world.send(sent.data(), m, pending, count);
    Communicator::wait(pending);
    EXPECT_EQ(received, expected);
    EXPECT_EQ(count.words_received, Words(4 * many));
    EXPECT_EQ(count.messages_sent, Messages(many));
  }
}

}  // namespace
}  // namespace redblue::comm
