// SPDX-License-Identifier: BSD-3-Clause
// MPI's calls that move no data of their own (trace/calls.cpp has those that do), whose time counts
// in a trace: receives, waiting, probing, synchronization.
#include <mpi.h>

#include "trace/define.hpp"

// NOLINTBEGIN(bugprone-macro-parentheses): parameters and arguments
#define TIMED(name, parameters, arguments) \
  DEFINE(name, parameters, arguments, return next(EACH arguments);)

using namespace redblue::trace;  // NOLINT(google-build-using-namespace): its only user

extern "C" {

TIMED(MPI_Recv,
      (void* data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status),
      (data, n, type, from, tag, comm, status))
TIMED(MPI_Irecv,
      (void* data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
       MPI_Request* request),
      (data, n, type, from, tag, comm, request))
TIMED(MPI_Mrecv, (void* data, int n, MPI_Datatype type, MPI_Message* message, MPI_Status* status),
      (data, n, type, message, status))
TIMED(MPI_Wait, (MPI_Request * request, MPI_Status* status), (request, status))
TIMED(MPI_Waitall, (int n, MPI_Request requests[], MPI_Status statuses[]), (n, requests, statuses))
TIMED(MPI_Waitany, (int n, MPI_Request requests[], int* index, MPI_Status* status),
      (n, requests, index, status))
TIMED(MPI_Waitsome, (int n, MPI_Request requests[], int* out, int indices[], MPI_Status statuses[]),
      (n, requests, out, indices, statuses))
TIMED(MPI_Test, (MPI_Request * request, int* flag, MPI_Status* status), (request, flag, status))
TIMED(MPI_Testall, (int n, MPI_Request requests[], int* flag, MPI_Status statuses[]),
      (n, requests, flag, statuses))
TIMED(MPI_Testany, (int n, MPI_Request requests[], int* index, int* flag, MPI_Status* status),
      (n, requests, index, flag, status))
TIMED(MPI_Testsome, (int n, MPI_Request requests[], int* out, int indices[], MPI_Status statuses[]),
      (n, requests, out, indices, statuses))
TIMED(MPI_Probe, (int from, int tag, MPI_Comm comm, MPI_Status* status), (from, tag, comm, status))
TIMED(MPI_Iprobe, (int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status),
      (from, tag, comm, flag, status))
TIMED(MPI_Mprobe, (int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status),
      (from, tag, comm, message, status))
TIMED(MPI_Barrier, (MPI_Comm comm), (comm))
TIMED(MPI_Ibarrier, (MPI_Comm comm, MPI_Request* request), (comm, request))
TIMED(MPI_Win_fence, (int assertion, MPI_Win window), (assertion, window))
TIMED(MPI_Win_lock, (int kind, int rank, int assertion, MPI_Win window),
      (kind, rank, assertion, window))
TIMED(MPI_Win_unlock, (int rank, MPI_Win window), (rank, window))
TIMED(MPI_Win_lock_all, (int assertion, MPI_Win window), (assertion, window))
TIMED(MPI_Win_unlock_all, (MPI_Win window), (window))
TIMED(MPI_Win_flush, (int rank, MPI_Win window), (rank, window))
TIMED(MPI_Win_flush_all, (MPI_Win window), (window))
TIMED(MPI_Win_start, (MPI_Group group, int assertion, MPI_Win window), (group, assertion, window))
TIMED(MPI_Win_complete, (MPI_Win window), (window))
TIMED(MPI_Win_post, (MPI_Group group, int assertion, MPI_Win window), (group, assertion, window))
TIMED(MPI_Win_wait, (MPI_Win window), (window))
TIMED(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made))
TIMED(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made), (comm, color, key, made))
TIMED(MPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made), (comm, group, made))
TIMED(MPI_Comm_free, (MPI_Comm * comm), (comm))
}
// NOLINTEND(bugprone-macro-parentheses)
