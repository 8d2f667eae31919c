#include "cli/message_counts.hpp"

#include <mpi.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"

namespace redblue::cli {

namespace {

struct Counts {
  std::vector<std::int64_t> sent;  // bytes to each rank of MPI_COMM_WORLD; empty: not counting
  std::int64_t received = 0;       // bytes by collectives
};

Counts& counts() {
  static Counts instance;
  return instance;
}

std::int64_t bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return std::int64_t{count} * size;
}

void count_send(int count, MPI_Datatype type, int to, MPI_Comm communicator) {
  if (counts().sent.empty() || to == MPI_PROC_NULL) return;
  const int rank = comm::world_ranks(communicator, {to}).front();
  if (rank >= 0) counts().sent[static_cast<std::size_t>(rank)] += bytes_of(count, type);
}

// A collective that brings `count` elements to this rank if it is (or, `elsewhere`, is not) `root`.
void count_collective(int count, MPI_Datatype type, int root, bool elsewhere,
                      MPI_Comm communicator) {
  if (counts().sent.empty()) return;
  int me = 0;
  int ranks = 1;
  PMPI_Comm_rank(communicator, &me);
  PMPI_Comm_size(communicator, &ranks);
  if (ranks > 1 && (me == root) != elsewhere) counts().received += bytes_of(count, type);
}

}  // namespace

void start_counting_messages() {
  int ranks = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  counts() = {std::vector<std::int64_t>(static_cast<std::size_t>(ranks)), 0};
}

Bytes counted_bytes_received() {
  const std::vector<std::int64_t> sent = std::move(counts().sent);
  counts().sent.clear();
  std::vector<std::int64_t> received(sent.size());
  PMPI_Alltoall(sent.data(), 1, MPI_INT64_T, received.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
  Bytes total(counts().received);
  for (const std::int64_t bytes : received) total += Bytes(bytes);
  return total;
}

}  // namespace redblue::cli

using redblue::cli::count_collective;
using redblue::cli::count_send;

extern "C" {

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  count_send(count, type, to, comm);
  return PMPI_Send(buffer, count, type, to, tag, comm);
}

int MPI_Rsend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  count_send(count, type, to, comm);
  return PMPI_Rsend(buffer, count, type, to, tag, comm);
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  count_send(count, type, to, comm);
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Sendrecv(const void* buffer, int count, MPI_Datatype type, int to, int tag, void* in,
                 int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                 MPI_Status* status) {
  count_send(count, type, to, comm);
  return PMPI_Sendrecv(buffer, count, type, to, tag, in, in_count, in_type, from, in_tag, comm,
                       status);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  count_collective(count, type, root, true, comm);
  return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Reduce(const void* buffer, void* out, int count, MPI_Datatype type, MPI_Op operation,
               int root, MPI_Comm comm) {
  count_collective(count, type, root, false, comm);
  return PMPI_Reduce(buffer, out, count, type, operation, root, comm);
}

int MPI_Allreduce(const void* buffer, void* out, int count, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm comm) {
  count_collective(count, type, MPI_PROC_NULL, true, comm);
  return PMPI_Allreduce(buffer, out, count, type, operation, comm);
}
}
