// SPDX-License-Identifier: BSD-3-Clause
// What a rank does while it is recorded: messages, waits, collectives, and what it computes between
// them. Communicator and linalg/blas tell; without a Recording they do not.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <map>
#include <vector>

#include "task_graph/execution.hpp"

namespace redblue::comm {

class Recorder {
 public:
  // Forgets what it has and begins anew, now.
  void start();
  // The computation after the last message is over.
  void finish();
  const task_graph::RankActions& actions() const { return actions_; }  // since start()

  // A BLAS or LAPACK call's work.
  void computed(double flops, double words) {
    flops_ += flops;
    memory_words_ += words;
  }

  // A call of comm/ begins, ends: what is between two calls is computation.
  void enter();
  void leave();
  // Within a call, after MPI's own:
  void sent(task_graph::Action message, MPI_Request request);
  void received(task_graph::Action message, MPI_Request request);
  void collective(int communicator, int first_rank, int members);
  // Which of its messages a wait is for, asked before MPI forgets the requests; and when it is
  // over.
  std::vector<std::size_t> messages_of(const MPI_Request* requests, std::size_t count) const;
  void waited(const std::vector<std::size_t>& messages);

 private:
  double now() const;  // since start()
  void add(task_graph::Action action);

  task_graph::RankActions actions_;
  std::map<MPI_Request, std::size_t> under_way_;
  double start_ = 0;     // wall clock
  double entered_ = 0;   // the call under way
  double left_ = 0;      // the call before
  double busy_ = 0;      // processor time then
  double computed_ = 0;  // processor seconds, flops and words of the computation under way
  double flops_ = 0, memory_words_ = 0;
};

// The recorder of this thread; null: nothing is recorded.
Recorder* recorder();

// Makes a recorder this thread's for as long as it lives.
class Recording {
 public:
  explicit Recording(Recorder& recorder);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
};

// Around a call of comm/: tells the recorder, if there is one, that it begins and ends.
class RecordedCall {
 public:
  RecordedCall() : recorder_(comm::recorder()) {
    if (recorder_ != nullptr) recorder_->enter();
  }
  ~RecordedCall() {
    if (recorder_ != nullptr) recorder_->leave();
  }
  RecordedCall(const RecordedCall&) = delete;
  RecordedCall& operator=(const RecordedCall&) = delete;

  explicit operator bool() const { return recorder_ != nullptr; }
  Recorder* operator->() const { return recorder_; }

 private:
  Recorder* recorder_;
};

}  // namespace redblue::comm
