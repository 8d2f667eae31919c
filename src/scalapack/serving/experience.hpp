// SPDX-License-Identifier: BSD-3-Clause
// Whether redblue or the ScaLAPACK behind it is faster at a kind of call, learnt from the calls.
//
// The first two calls go to the one that is expected to be faster, the third to the other; later
// ones to the one whose best call took less. Where both are close, each is tried three times. The
// slower one is tried again at calls 16, 64, 256, .., unless it took twice as long: what else the
// machine does may have changed.
#pragma once

#include <cstdint>
#include <limits>

namespace redblue::scalapack {

enum class Server { redblue, scalapack };

constexpr Server other(Server server) {
  return server == Server::redblue ? Server::scalapack : Server::redblue;
}

class Experience {
 public:
  explicit Experience(Server expected) : expected_(expected) {}

  // Who serves the next call.
  Server next() const;
  // Whether the next call's time is of no interest: ScaLAPACK is known to be ahead, and nothing is
  // to be tried.
  bool is_settled() const;

  // A call is served by next(): call once per call.
  void count() { ++calls_; }
  // How long a call took, per operation.
  void add(Server server, double seconds);

  double best(Server server) const { return trials(server).best; }
  std::int64_t tried(Server server) const { return trials(server).count; }

 private:
  struct Trials {
    std::int64_t count = 0;
    double best = std::numeric_limits<double>::infinity();
  };
  const Trials& trials(Server server) const {
    return server == Server::redblue ? redblue_ : scalapack_;
  }
  Server ahead() const;
  bool is_trial(Server behind) const;

  Server expected_;
  Trials redblue_, scalapack_;
  std::int64_t calls_ = 0;
};

}  // namespace redblue::scalapack
