// SPDX-License-Identifier: BSD-3-Clause
// The one place that calls MPI: messages between ranks, counted as they are posted.
#pragma once

#include <mpi.h>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "redblue/traffic.hpp"
#include "redblue/units.hpp"

namespace redblue::task_graph {
struct Action;
}

namespace redblue::comm {

// `length` contiguous words, `offset` words into an array.
struct Run {
  std::int64_t offset = 0;
  std::int64_t length = 0;
};

// Appends a run, joined to the last one where it starts at that one's end.
void append(std::vector<Run>& runs, Run next);

// What MPI calls the type of a matrix element.
template <class T>
MPI_Datatype element();

// The words of one message to or from one peer, as runs of an array of T. Where they are not one
// run (or too many for an int) they have an MPI datatype: the message's own, or, where messages own
// many already, one of each transfer.
class Message {
 public:
  template <class T>
  static Message of(Rank peer, int tag, const std::vector<Run>& runs) {
    return {peer, tag, runs, element<T>(), sizeof(T)};
  }
  ~Message();
  Message(Message&& other) noexcept;
  Message& operator=(Message&& other) noexcept;

  Rank peer() const { return peer_; }
  Words words() const { return words_; }

  // Reads the message from `offset` elements into the peer's window. Starts only.
  void get_into(void* buffer, std::int64_t offset, MPI_Win window) const;
  // Reads it from the runs of `there` in the window of that message's peer. Starts only.
  void get_into(void* buffer, const Message& there, MPI_Win window) const;

 private:
  friend class Communicator;
  class Type;  // for one transfer
  Message(Rank peer, int tag, const std::vector<Run>& runs, MPI_Datatype element,
          std::size_t element_bytes);

  Rank peer_;
  int tag_;
  Words words_;
  MPI_Datatype element_;
  std::int64_t element_bytes_;
  std::int64_t offset_ = 0;  // contiguous: bytes to where it starts
  int count_ = 0;            // contiguous: words; else 1 of type_
  MPI_Datatype type_;
  bool owns_type_ = false;
  std::vector<Run> runs_;  // what each transfer makes a datatype of; else empty
};

// The datatype of a message while a transfer starts: MPI keeps what is under way.
class Message::Type {
 public:
  explicit Type(const Message& message);
  ~Type();
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;

  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_;
  bool made_;
};

// The ranks in MPI_COMM_WORLD of ranks of another communicator; MPI_UNDEFINED where they have none.
// Local.
std::vector<int> world_ranks(MPI_Comm communicator, const std::vector<int>& ranks);

// A communicator of its own with counters. Collective to make and to destroy.
class Communicator {
 public:
  explicit Communicator(MPI_Comm original);                    // a duplicate
  explicit Communicator(const std::vector<int>& world_ranks);  // collective over these only
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  Rank rank() const { return rank_; }
  int size() const { return size_; }
  MPI_Comm handle() const { return communicator_; }
  // Whether every rank's machine runs more ranks than it has processors.
  bool oversubscribed() const { return oversubscribed_; }
  int ranks_on_this_machine() const;  // this one among them; collective

  // Nonblocking; the request is appended to `pending` and the words are added to `count`.
  void send(const void* buffer, const Message& message, std::vector<MPI_Request>& pending,
            Traffic& count) const;
  void receive(void* buffer, const Message& message, std::vector<MPI_Request>& pending,
               Traffic& count) const;
  // Waits for a message of at most these words, contiguous; those that came count.
  void receive_up_to(void* buffer, const Message& message, Traffic& count) const;
  static void wait(std::vector<MPI_Request>& pending);  // for all, then clears the list
  static void wait(MPI_Request& request);
  // The same for what comes soon and much waits for: where ranks share processors, this one yields
  // its own for longer before it sleeps.
  static void wait_briefly(std::vector<MPI_Request>& pending);
  void progress() const;  // lets MPI move messages that are under way

  // MPI's collectives of the same names, for setup and checks: their words are not counted.
  void barrier();
  void sum(std::vector<double>& values);  // allreduce, in place
  void sum(std::vector<std::complex<double>>& values);
  void maximum(std::vector<double>& values);
  double maximum(double value);
  std::int64_t maximum(std::int64_t value);
  bool all(bool condition);  // the same answer on all ranks
  // Whether each value is the same on all ranks; the same answer on all.
  bool same_everywhere(const std::vector<std::int64_t>& values);
  void broadcast(std::vector<std::int64_t>& values);      // rank 0's, of one size on all ranks
  std::vector<int> gather(const std::vector<int>& mine);  // allgather, in the order of ranks
  // All-to-all: to_each[r] goes to rank r; returns what came from each.
  std::vector<std::int64_t> exchange(const std::vector<std::int64_t>& to_each) const;
  // All ranks' texts in the order of ranks on rank 0, nothing elsewhere.
  std::string gather(const std::string& mine) const;
  // The same with a list for each rank.
  std::vector<std::vector<std::int64_t>> exchange(
      const std::vector<std::vector<std::int64_t>>& to_each) const;

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
  Rank rank_;
  int size_ = 1;
  bool oversubscribed_ = false;
  // For recordings: the members in MPI_COMM_WORLD, and a number that tells it from others.
  std::vector<int> world_ranks_;
  int number_ = 0;

  class RecordedCollective;
  void look_around();
  task_graph::Action recorded(const Message& message, Words words) const;
};

// MPI_Init and MPI_Finalize around a program.
class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

// Whether MPI_Finalize has run: what outlives it has nothing left to free.
bool finalized();

double seconds();            // wall clock
double processor_seconds();  // that this thread has had

}  // namespace redblue::comm
