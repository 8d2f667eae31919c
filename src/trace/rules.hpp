// SPDX-License-Identifier: BSD-3-Clause
// The rules by which calls.cpp counts (message_counts.hpp states them).
#pragma once

#include <mpi.h>

#include <cstdint>

namespace redblue::trace {

// Bytes this rank receives by a call, and bytes it sends to a rank of MPI_COMM_WORLD, which counts
// them for that rank.
struct Transfer {
  std::int64_t received = 0;
  int to = -1;
  std::int64_t sent = 0;
};

// While one lives, this thread is inside an MPI call of the table, whose name is given. What MPI
// calls within is not counted again.
class MpiCall {
 public:
  explicit MpiCall(const char* name);
  ~MpiCall();
  MpiCall(const MpiCall&) = delete;
  MpiCall& operator=(const MpiCall&) = delete;
  bool outermost() const;

 private:
  const char* name_;
  double start_ = 0;
};

void count(const Transfer& transfer);

// What a request will move each time it is started.
void prepare(MPI_Request request, const Transfer& transfer);
void count_start(MPI_Request request);
void forget(MPI_Request request);

// MPI's own function of that name ("PMPI_Send").
void* mpi_function(const char* name);

// `count` elements of a type.
struct Elements {
  int count;
  MPI_Datatype type;
};

// As many elements from (to) each rank of a communicator, or neighbour, as the arrays say; where
// `types` is null, all are of `type`.
struct Parts {
  const int* counts;
  MPI_Datatype type;
  const MPI_Datatype* types = nullptr;
};

Transfer send(Elements data, int to, MPI_Comm comm);
Transfer broadcast(Elements data, int root, MPI_Comm comm);
Transfer scatter(Elements part, int root, MPI_Comm comm);
Transfer gather(Elements part, int root, MPI_Comm comm);
Transfer gather(Parts parts, int root, MPI_Comm comm);
Transfer allgather(Elements part, MPI_Comm comm);  // alltoall likewise
Transfer allgather(Parts parts, MPI_Comm comm);
Transfer reduce(Elements data, int root, MPI_Comm comm);
Transfer allreduce(Elements data, MPI_Comm comm);
Transfer reduce_scatter(Elements part, MPI_Comm comm);
Transfer reduce_scatter(Parts parts, MPI_Comm comm);
Transfer scan(Elements data, MPI_Comm comm);
Transfer neighbors(Elements part, MPI_Comm comm);
Transfer neighbors(Parts parts, MPI_Comm comm);

Transfer put(Elements data, int target, MPI_Win window);
Transfer get(Elements data, int target, MPI_Win window);
Transfer get_accumulate(Elements given, Elements result, MPI_Op operation, int target,
                        MPI_Win window);
Transfer compare_and_swap(MPI_Datatype type, int target, MPI_Win window);

// Other ranks' memory of this window can be read without a call.
Transfer shared_memory();

}  // namespace redblue::trace
