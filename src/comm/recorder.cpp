// SPDX-License-Identifier: BSD-3-Clause
#include "comm/recorder.hpp"

#include <utility>

#include "comm/communicator.hpp"

namespace redblue::comm {

using task_graph::Action;

namespace {

thread_local Recorder* active = nullptr;

}  // namespace

Recorder* recorder() {
  return active;
}

Recording::Recording(Recorder& recorder) {
  active = &recorder;
}

Recording::~Recording() {
  active = nullptr;
}

double Recorder::now() const {
  return MPI_Wtime() - start_;
}

void Recorder::start() {
  actions_ = {};
  under_way_.clear();
  computed_ = flops_ = memory_words_ = 0;
  start_ = MPI_Wtime();
  left_ = 0;
  busy_ = processor_seconds();
}

void Recorder::finish() {
  enter();
  leave();
}

void Recorder::add(Action action) {
  action.begin = entered_;
  action.end = now();
  actions_.actions.push_back(action);
}

// What is too short to be told from the clock's own time goes to the next computation.
void Recorder::enter() {
  constexpr double shortest = 1e-6;
  entered_ = now();
  computed_ += processor_seconds() - busy_;
  if (flops_ == 0 && computed_ < shortest) return;
  Action action;
  action.kind = Action::Kind::compute;
  action.flops = std::exchange(flops_, 0);
  action.memory_words = std::exchange(memory_words_, 0);
  action.busy_seconds = std::exchange(computed_, 0);
  action.begin = left_;
  action.end = entered_;
  actions_.actions.push_back(action);
}

void Recorder::leave() {
  busy_ = processor_seconds();
  left_ = now();
}

void Recorder::sent(Action message, MPI_Request request) {
  message.kind = Action::Kind::send;
  // MPI may give the same request to all messages that have left already
  int done = 0;
  MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
  if (done == 0) under_way_[request] = actions_.actions.size();
  add(message);
}

void Recorder::received(Action message, MPI_Request request) {
  message.kind = Action::Kind::receive;
  under_way_[request] = actions_.actions.size();
  add(message);
}

void Recorder::collective(int communicator, int first_rank, int members) {
  Action action;
  action.kind = Action::Kind::collective;
  action.communicator = communicator;
  action.peer = first_rank;
  action.members = members;
  add(action);
}

std::vector<std::size_t> Recorder::messages_of(const MPI_Request* requests,
                                               std::size_t count) const {
  std::vector<std::size_t> messages;
  for (std::size_t i = 0; i < count; ++i) {
    const auto found = under_way_.find(requests[i]);
    if (found != under_way_.end()) messages.push_back(found->second);
  }
  return messages;
}

void Recorder::waited(const std::vector<std::size_t>& messages) {
  if (messages.empty()) return;
  add(task_graph::wait_for(actions_, messages));
}

}  // namespace redblue::comm
