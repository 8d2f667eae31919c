// SPDX-License-Identifier: BSD-3-Clause
#include "process/ahead.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <stdexcept>

#include "process/one_processor.hpp"

namespace redblue {
namespace {

using Numbers = process::Ahead<int>;

bool there_are_copies() {
  return process::processors() > 1;
}

TEST(Ahead, SendsWhatItFindsInOrder) {
  Numbers ahead([](const Numbers::Send& send) {
    for (int n = 0; n < 100'000; ++n) send(n);
  });
  int next = 0;
  while (const auto found = ahead.take()) ASSERT_EQ(*found, next++);
  EXPECT_EQ(next, there_are_copies() ? 100'000 : 0);
}

TEST(Ahead, ChangesNothingHere) {
  int here = 1;
  Numbers ahead([&here](const Numbers::Send& send) {
    here = 2;
    send(here);
  });
  EXPECT_EQ(ahead.take().value_or(2), 2);
  EXPECT_EQ(here, 1);
}

TEST(Ahead, EndsWithAnException) {
  Numbers ahead([](const Numbers::Send& send) {
    send(1);
    throw std::runtime_error("told by whoever does the work himself");
  });
  if (there_are_copies()) {
    EXPECT_EQ(ahead.take(), 1);
  }
  EXPECT_EQ(ahead.take(), std::nullopt);
}

TEST(Ahead, IsEndedAtAnyTime) {
  {
    Numbers ahead([](const Numbers::Send& send) {
      for (int n = 0;; ++n) send(n);
    });
    ahead.take();
  }
  EXPECT_EQ(waitpid(-1, nullptr, 0), -1);  // nobody is left
  EXPECT_EQ(errno, ECHILD);
}

TEST(Ahead, MakesNoCopiesOfCopies) {
  Numbers ahead([](const Numbers::Send& send) {
    send(static_cast<int>(process::processors()));
    Numbers further([](const Numbers::Send& other) { other(1); });
    send(further.take().value_or(0));
  });
  if (!there_are_copies()) return;
  EXPECT_EQ(ahead.take(), 1);
  EXPECT_EQ(ahead.take(), 0);
}

TEST(Ahead, NeedsAnotherProcessor) {
  const OneProcessor alone;
  EXPECT_EQ(process::processors(), 1U);
  Numbers ahead([](const Numbers::Send& send) { send(1); });
  EXPECT_EQ(ahead.take(), std::nullopt);
}

}  // namespace
}  // namespace redblue
