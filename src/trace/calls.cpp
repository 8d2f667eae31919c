// SPDX-License-Identifier: BSD-3-Clause
// The one table of MPI calls that move data, and what each counts (message_counts.hpp). Calls that
// are missing here move no data of their own: receives and probes, whose senders count; Barrier;
// the synchronization of windows; waiting and testing.
#include <mpi.h>
#ifdef OMPI_MPI_H
#include <mpi-ext.h>
#endif

#include "trace/define.hpp"
#include "trace/rules.hpp"

// NOLINTBEGIN(bugprone-macro-parentheses): parameters and arguments
// Counts `transfer` at once.
#define COUNTED(name, parameters, arguments, transfer)                       \
  DEFINE(name, parameters, arguments, if (call.outermost()) count(transfer); \
         return next(EACH arguments);)

// Counts `transfer` whenever the request is started.
#define PREPARED(name, parameters, arguments, transfer)                              \
  DEFINE(name, parameters, arguments, const int status = next(EACH arguments);       \
         if (call.outermost() && status == MPI_SUCCESS) prepare(*request, transfer); \
         return status;)

#define SENT(name, lower)                                                               \
  COUNTED(MPI_##name,                                                                   \
          (const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm), \
          (data, n, type, to, tag, comm), send({n, type}, to, comm))                    \
  COUNTED(MPI_I##lower,                                                                 \
          (const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,  \
           MPI_Request* request),                                                       \
          (data, n, type, to, tag, comm, request), send({n, type}, to, comm))           \
  PREPARED(MPI_##name##_init,                                                           \
           (const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
            MPI_Request* request),                                                      \
           (data, n, type, to, tag, comm, request), send({n, type}, to, comm))

// A collective's three forms. The persistent one is an extension of Open MPI.
#define COLLECTIVE(name, lower, parameters, arguments, transfer)                          \
  COUNTED(MPI_##name, (EACH parameters, MPI_Comm comm), (EACH arguments, comm), transfer) \
  COUNTED(MPI_I##lower, (EACH parameters, MPI_Comm comm, MPI_Request * request),          \
          (EACH arguments, comm, request), transfer)                                      \
  PERSISTENT(MPIX_##name##_init,                                                          \
             (EACH parameters, MPI_Comm comm, MPI_Info info, MPI_Request * request),      \
             (EACH arguments, comm, info, request), transfer)

#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define PERSISTENT PREPARED
#else
#define PERSISTENT(name, parameters, arguments, transfer)
#endif

// A one-sided call without and with a request.
#define ONE_SIDED(name, lower, parameters, arguments, transfer)                              \
  COUNTED(MPI_##name, (EACH parameters, MPI_Win window), (EACH arguments, window), transfer) \
  COUNTED(MPI_R##lower, (EACH parameters, MPI_Win window, MPI_Request * request),            \
          (EACH arguments, window, request), transfer)

// What most collectives are passed: one part to send and one to receive, or one for each rank.
#define IN const void *in, int in_n, MPI_Datatype in_type
#define IN_ARGUMENTS in, in_n, in_type
#define OUT void *out, int n, MPI_Datatype type
#define OUT_ARGUMENTS out, n, type
#define IN_PARTS const void *in, const int in_n[], const int in_at[], MPI_Datatype in_type
#define IN_PARTS_ARGUMENTS in, in_n, in_at, in_type
#define OUT_PARTS void *out, const int n[], const int at[], MPI_Datatype type
#define OUT_PARTS_ARGUMENTS out, n, at, type
#define REDUCED const void *in, void *out, int n, MPI_Datatype type, MPI_Op op
#define REDUCED_ARGUMENTS in, out, n, type, op
#define TYPED(place)                                                                              \
  const void *in, const int in_n[], const place in_at[], const MPI_Datatype in_type[], void *out, \
      const int n[], const place at[], const MPI_Datatype type[]
#define TYPED_ARGUMENTS in, in_n, in_at, in_type, out, n, at, type
#define TARGET int target, MPI_Aint at, int target_n, MPI_Datatype target_type
#define TARGET_ARGUMENTS target, at, target_n, target_type

using namespace redblue::trace;  // NOLINT(google-build-using-namespace): its only user

extern "C" {

SENT(Send, send)
SENT(Bsend, bsend)
SENT(Ssend, ssend)
SENT(Rsend, rsend)

COUNTED(MPI_Sendrecv,
        (const void* in, int in_n, MPI_Datatype in_type, int to, int in_tag, void* out, int n,
         MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status),
        (in, in_n, in_type, to, in_tag, out, n, type, from, tag, comm, status),
        send({in_n, in_type}, to, comm))
COUNTED(MPI_Sendrecv_replace,
        (void* data, int n, MPI_Datatype type, int to, int in_tag, int from, int tag, MPI_Comm comm,
         MPI_Status* status),
        (data, n, type, to, in_tag, from, tag, comm, status), send({n, type}, to, comm))

DEFINE(MPI_Start, (MPI_Request * request), (request), if (call.outermost()) count_start(*request);
       return next(request);)
DEFINE(MPI_Startall, (int n, MPI_Request requests[]), (n, requests),
       for (int r = 0; r < n && call.outermost(); ++r) count_start(requests[r]);
       return next(n, requests);)
DEFINE(MPI_Request_free, (MPI_Request * request), (request), if (call.outermost()) forget(*request);
       return next(request);)

COLLECTIVE(Bcast, bcast, (void* data, int n, MPI_Datatype type, int root), (data, n, type, root),
           broadcast({n, type}, root, comm))
COLLECTIVE(Scatter, scatter, (IN, OUT, int root), (IN_ARGUMENTS, OUT_ARGUMENTS, root),
           scatter({n, type}, root, comm))
COLLECTIVE(Scatterv, scatterv, (IN_PARTS, OUT, int root), (IN_PARTS_ARGUMENTS, OUT_ARGUMENTS, root),
           scatter({n, type}, root, comm))
COLLECTIVE(Gather, gather, (IN, OUT, int root), (IN_ARGUMENTS, OUT_ARGUMENTS, root),
           gather(Elements{n, type}, root, comm))
COLLECTIVE(Gatherv, gatherv, (IN, OUT_PARTS, int root), (IN_ARGUMENTS, OUT_PARTS_ARGUMENTS, root),
           gather(Parts{n, type}, root, comm))
COLLECTIVE(Allgather, allgather, (IN, OUT), (IN_ARGUMENTS, OUT_ARGUMENTS),
           allgather(Elements{n, type}, comm))
COLLECTIVE(Allgatherv, allgatherv, (IN, OUT_PARTS), (IN_ARGUMENTS, OUT_PARTS_ARGUMENTS),
           allgather(Parts{n, type}, comm))
COLLECTIVE(Alltoall, alltoall, (IN, OUT), (IN_ARGUMENTS, OUT_ARGUMENTS),
           allgather(Elements{n, type}, comm))
COLLECTIVE(Alltoallv, alltoallv, (IN_PARTS, OUT_PARTS), (IN_PARTS_ARGUMENTS, OUT_PARTS_ARGUMENTS),
           allgather(Parts{n, type}, comm))
COLLECTIVE(Alltoallw, alltoallw, (TYPED(int)), (TYPED_ARGUMENTS),
           allgather(Parts{n, MPI_DATATYPE_NULL, type}, comm))
COLLECTIVE(Reduce, reduce, (REDUCED, int root), (REDUCED_ARGUMENTS, root),
           reduce({n, type}, root, comm))
COLLECTIVE(Allreduce, allreduce, (REDUCED), (REDUCED_ARGUMENTS), allreduce({n, type}, comm))
COLLECTIVE(Reduce_scatter, reduce_scatter,
           (const void* in, void* out, const int n[], MPI_Datatype type, MPI_Op op),
           (in, out, n, type, op), reduce_scatter(Parts{n, type}, comm))
COLLECTIVE(Reduce_scatter_block, reduce_scatter_block, (REDUCED), (REDUCED_ARGUMENTS),
           reduce_scatter(Elements{n, type}, comm))
COLLECTIVE(Scan, scan, (REDUCED), (REDUCED_ARGUMENTS), scan({n, type}, comm))
COLLECTIVE(Exscan, exscan, (REDUCED), (REDUCED_ARGUMENTS), scan({n, type}, comm))
COLLECTIVE(Neighbor_allgather, neighbor_allgather, (IN, OUT), (IN_ARGUMENTS, OUT_ARGUMENTS),
           neighbors(Elements{n, type}, comm))
COLLECTIVE(Neighbor_allgatherv, neighbor_allgatherv, (IN, OUT_PARTS),
           (IN_ARGUMENTS, OUT_PARTS_ARGUMENTS), neighbors(Parts{n, type}, comm))
COLLECTIVE(Neighbor_alltoall, neighbor_alltoall, (IN, OUT), (IN_ARGUMENTS, OUT_ARGUMENTS),
           neighbors(Elements{n, type}, comm))
COLLECTIVE(Neighbor_alltoallv, neighbor_alltoallv, (IN_PARTS, OUT_PARTS),
           (IN_PARTS_ARGUMENTS, OUT_PARTS_ARGUMENTS), neighbors(Parts{n, type}, comm))
COLLECTIVE(Neighbor_alltoallw, neighbor_alltoallw, (TYPED(MPI_Aint)), (TYPED_ARGUMENTS),
           neighbors(Parts{n, MPI_DATATYPE_NULL, type}, comm))

ONE_SIDED(Put, put, (IN, TARGET), (IN_ARGUMENTS, TARGET_ARGUMENTS),
          put({in_n, in_type}, target, window))
ONE_SIDED(Get, get, (OUT, TARGET), (OUT_ARGUMENTS, TARGET_ARGUMENTS),
          get({n, type}, target, window))
ONE_SIDED(Accumulate, accumulate, (IN, TARGET, MPI_Op op), (IN_ARGUMENTS, TARGET_ARGUMENTS, op),
          put({in_n, in_type}, target, window))
ONE_SIDED(Get_accumulate, get_accumulate, (IN, OUT, TARGET, MPI_Op op),
          (IN_ARGUMENTS, OUT_ARGUMENTS, TARGET_ARGUMENTS, op),
          get_accumulate({in_n, in_type}, {n, type}, op, target, window))
COUNTED(MPI_Fetch_and_op,
        (const void* in, void* out, MPI_Datatype type, int target, MPI_Aint at, MPI_Op op,
         MPI_Win window),
        (in, out, type, target, at, op, window),
        get_accumulate({1, type}, {1, type}, op, target, window))
COUNTED(MPI_Compare_and_swap,
        (const void* in, const void* compared, void* out, MPI_Datatype type, int target,
         MPI_Aint at, MPI_Win window),
        (in, compared, out, type, target, at, window), compare_and_swap(type, target, window))
COUNTED(MPI_Win_shared_query, (MPI_Win window, int rank, MPI_Aint* size, int* unit, void* base),
        (window, rank, size, unit, base), shared_memory())
}
// NOLINTEND(bugprone-macro-parentheses)
