// SPDX-License-Identifier: BSD-3-Clause
#include "trace/message_counts.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <numeric>

#include "redblue/error.hpp"
#include "trace/recorder.hpp"
#include "trace/rules.hpp"

namespace redblue::trace {

namespace {

enum Uncounted { shared_windows, two_groups, other_processes, kinds };

constexpr std::array<const char*, kinds> uncounted_names = {
    "loads and stores in shared windows", "collectives between two groups of ranks",
    "messages to processes outside MPI_COMM_WORLD"};

// Of this process. Calls may come from several threads.
struct Counts {
  std::mutex mutex;
  std::vector<std::int64_t> sent;  // bytes to each rank of MPI_COMM_WORLD; empty: not counting
  std::int64_t received = 0;       // bytes
  std::array<std::int64_t, kinds> uncounted = {};
  std::map<MPI_Request, Transfer> prepared;
};

Counts& counts() {
  static Counts instance;
  return instance;
}

thread_local int depth = 0;

void note(Uncounted what) {
  const std::lock_guard lock(counts().mutex);
  counts().uncounted[what] = 1;
}

std::int64_t bytes_of(std::int64_t count, MPI_Datatype type) {
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return count * size;
}

std::int64_t bytes_of(Elements data) {
  return bytes_of(data.count, data.type);
}

std::int64_t bytes_of(const Parts& parts, int rank) {
  const auto at = static_cast<std::size_t>(rank);
  return bytes_of(parts.counts[at], parts.types == nullptr ? parts.type : parts.types[at]);
}

std::int64_t bytes_of_all(const Parts& parts, int ranks) {
  std::int64_t bytes = 0;
  for (int r = 0; r < ranks; ++r) bytes += bytes_of(parts, r);
  return bytes;
}

// This rank in MPI_COMM_WORLD.
int own_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// A rank of the group in MPI_COMM_WORLD; -1 where it is not there, which is noted. Frees the group.
int world_rank(MPI_Group group, int rank) {
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  int result = MPI_UNDEFINED;
  PMPI_Group_translate_ranks(group, 1, &rank, world, &result);
  PMPI_Group_free(&world);
  PMPI_Group_free(&group);
  if (result != MPI_UNDEFINED) return result;
  note(other_processes);
  return -1;
}

// The place of this rank among those that take part in a collective.
struct Place {
  int rank = 0;
  int ranks = 1;  // 1 where nothing can be counted
};

Place place_in(MPI_Comm comm) {
  int between_groups = 0;
  PMPI_Comm_test_inter(comm, &between_groups);
  if (between_groups != 0) {
    note(two_groups);
    return {};
  }
  Place place;
  PMPI_Comm_rank(comm, &place.rank);
  PMPI_Comm_size(comm, &place.ranks);
  return place;
}

Transfer incoming(std::int64_t bytes) {
  return {bytes, -1, 0};
}

// Sums of `own` bytes come to this rank, sums of `others` to the p - 1 other ranks.
Transfer sums(std::int64_t own, std::int64_t others, int ranks) {
  return ranks == 1 ? Transfer{} : incoming(own + others * (ranks - 2) / (ranks - 1));
}

// Where the parts of a neighbourhood collective come from, some of them MPI_PROC_NULL.
std::vector<int> sources(MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &topology);
  std::vector<int> ranks;
  if (topology == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    for (int d = 0; d < dimensions; ++d) {
      int before = MPI_PROC_NULL;
      int after = MPI_PROC_NULL;
      PMPI_Cart_shift(comm, d, 1, &before, &after);
      ranks.push_back(before);
      ranks.push_back(after);
    }
  } else if (topology == MPI_GRAPH) {
    int degree = 0;
    const int me = place_in(comm).rank;
    PMPI_Graph_neighbors_count(comm, me, &degree);
    ranks.resize(static_cast<std::size_t>(degree));
    PMPI_Graph_neighbors(comm, me, degree, ranks.data());
  } else if (topology == MPI_DIST_GRAPH) {
    int in = 0;
    int out = 0;
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    ranks.resize(static_cast<std::size_t>(in));
    std::vector<int> to(static_cast<std::size_t>(out));
    PMPI_Dist_graph_neighbors(comm, in, ranks.data(), MPI_UNWEIGHTED, out, to.data(),
                              MPI_UNWEIGHTED);
  }
  return ranks;
}

// of_source(s): bytes of the part from neighbour number s.
template <class Bytes>
Transfer from_neighbors(MPI_Comm comm, Bytes of_source) {
  const int me = place_in(comm).rank;
  const std::vector<int> from = sources(comm);
  std::int64_t bytes = 0;
  for (std::size_t s = 0; s < from.size(); ++s) {
    if (from[s] != me && from[s] != MPI_PROC_NULL) bytes += of_source(static_cast<int>(s));
  }
  return incoming(bytes);
}

// Between this rank and the target of a window.
Transfer one_sided(std::int64_t received, std::int64_t sent, int target, MPI_Win window) {
  if (target == MPI_PROC_NULL) return {};
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Win_get_group(window, &group);
  const int to = world_rank(group, target);
  if (to == own_rank()) return {};
  return {received, to, sent};
}

}  // namespace

MpiCall::MpiCall(const char* name) : name_(name) {
  if (++depth == 1 && is_recording()) start_ = PMPI_Wtime();
}

MpiCall::~MpiCall() {
  if (--depth == 0 && is_recording()) record_call(name_, PMPI_Wtime() - start_);
}

bool MpiCall::outermost() const {
  return depth == 1;
}

void count(const Transfer& transfer) {
  Counts& c = counts();
  const std::lock_guard lock(c.mutex);
  if (c.sent.empty()) return;
  c.received += transfer.received;
  if (is_recording()) record_bytes(transfer.received + transfer.sent);
  if (transfer.to >= 0) c.sent[static_cast<std::size_t>(transfer.to)] += transfer.sent;
}

void prepare(MPI_Request request, const Transfer& transfer) {
  const std::lock_guard lock(counts().mutex);
  counts().prepared[request] = transfer;
}

void count_start(MPI_Request request) {
  Transfer transfer;
  {
    const std::lock_guard lock(counts().mutex);
    const auto found = counts().prepared.find(request);
    if (found == counts().prepared.end()) return;  // receives
    transfer = found->second;
  }
  count(transfer);
}

void forget(MPI_Request request) {
  const std::lock_guard lock(counts().mutex);
  counts().prepared.erase(request);
}

void* mpi_function(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    throw Error("MPI", std::string("no function ") + name, "use the MPI redblue was built with");
  }
  return found;
}

Transfer send(Elements data, int to, MPI_Comm comm) {
  if (to == MPI_PROC_NULL) return {};
  int between_groups = 0;
  PMPI_Comm_test_inter(comm, &between_groups);
  MPI_Group group = MPI_GROUP_NULL;
  if (between_groups != 0) {
    PMPI_Comm_remote_group(comm, &group);
  } else {
    PMPI_Comm_group(comm, &group);
  }
  const int rank = world_rank(group, to);
  return rank == own_rank() ? Transfer{} : Transfer{0, rank, bytes_of(data)};
}

Transfer broadcast(Elements data, int root, MPI_Comm comm) {
  const Place place = place_in(comm);
  return incoming(place.ranks > 1 && place.rank != root ? bytes_of(data) : 0);
}

Transfer scatter(Elements part, int root, MPI_Comm comm) {
  return broadcast(part, root, comm);
}

Transfer gather(Elements part, int root, MPI_Comm comm) {
  return place_in(comm).rank == root ? allgather(part, comm) : Transfer{};
}

Transfer gather(Parts parts, int root, MPI_Comm comm) {
  return place_in(comm).rank == root ? allgather(parts, comm) : Transfer{};
}

Transfer allgather(Elements part, MPI_Comm comm) {
  return incoming((place_in(comm).ranks - 1) * bytes_of(part));
}

Transfer allgather(Parts parts, MPI_Comm comm) {
  const Place place = place_in(comm);
  if (place.ranks == 1) return {};
  return incoming(bytes_of_all(parts, place.ranks) - bytes_of(parts, place.rank));
}

Transfer reduce(Elements data, int root, MPI_Comm comm) {
  const Place place = place_in(comm);
  const std::int64_t bytes = bytes_of(data);
  return place.rank == root ? sums(bytes, 0, place.ranks) : sums(0, bytes, place.ranks);
}

Transfer allreduce(Elements data, MPI_Comm comm) {
  const int ranks = place_in(comm).ranks;
  return incoming(2 * (ranks - 1) * bytes_of(data) / ranks);
}

Transfer reduce_scatter(Elements part, MPI_Comm comm) {
  const int ranks = place_in(comm).ranks;
  const std::int64_t bytes = bytes_of(part);
  return sums(bytes, (ranks - 1) * bytes, ranks);
}

Transfer reduce_scatter(Parts parts, MPI_Comm comm) {
  const Place place = place_in(comm);
  if (place.ranks == 1) return {};
  const std::int64_t own = bytes_of(parts, place.rank);
  return sums(own, bytes_of_all(parts, place.ranks) - own, place.ranks);
}

Transfer scan(Elements data, MPI_Comm comm) {
  return broadcast(data, 0, comm);
}

Transfer neighbors(Elements part, MPI_Comm comm) {
  return from_neighbors(comm, [&part](int) { return bytes_of(part); });
}

Transfer neighbors(Parts parts, MPI_Comm comm) {
  return from_neighbors(comm, [&parts](int source) { return bytes_of(parts, source); });
}

Transfer put(Elements data, int target, MPI_Win window) {
  return one_sided(0, bytes_of(data), target, window);
}

Transfer get(Elements data, int target, MPI_Win window) {
  return one_sided(bytes_of(data), 0, target, window);
}

Transfer get_accumulate(Elements given, Elements result, MPI_Op operation, int target,
                        MPI_Win window) {
  const std::int64_t sent = operation == MPI_NO_OP ? 0 : bytes_of(given);
  return one_sided(bytes_of(result), sent, target, window);
}

Transfer compare_and_swap(MPI_Datatype type, int target, MPI_Win window) {
  return one_sided(bytes_of(1, type), bytes_of(2, type), target, window);
}

Transfer shared_memory() {
  note(shared_windows);
  return {};
}

void start_counting_messages() {
  int ranks = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Counts& c = counts();
  const std::lock_guard lock(c.mutex);
  c.sent.assign(static_cast<std::size_t>(ranks), 0);
  c.received = 0;
  c.uncounted = {};
}

OwnCounts own_counts() {
  const std::lock_guard lock(counts().mutex);
  OwnCounts own{counts().sent, counts().received, {}};
  for (std::size_t k = 0; k < kinds; ++k) {
    if (counts().uncounted[k] != 0) own.uncounted.emplace_back(uncounted_names[k]);
  }
  return own;
}

MessageCounts counted_messages() {
  const MpiCall own_messages("counted_messages");  // count for nobody
  Counts& c = counts();
  std::vector<std::int64_t> sent;
  std::array<std::int64_t, kinds> uncounted = {};
  std::int64_t received = 0;
  {
    const std::lock_guard lock(c.mutex);
    sent.swap(c.sent);
    uncounted = c.uncounted;
    received = c.received;
  }
  std::vector<std::int64_t> from(sent.size());
  PMPI_Alltoall(sent.data(), 1, MPI_INT64_T, from.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
  received = std::accumulate(from.begin(), from.end(), received);
  std::int64_t worst = 0;
  std::int64_t total = 0;
  PMPI_Allreduce(&received, &worst, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  PMPI_Allreduce(&received, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  PMPI_Allreduce(MPI_IN_PLACE, uncounted.data(), kinds, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  MessageCounts result{Bytes(worst), Bytes(total), {}};
  for (std::size_t k = 0; k < kinds; ++k) {
    if (uncounted[k] != 0) result.uncounted.emplace_back(uncounted_names[k]);
  }
  return result;
}

}  // namespace redblue::trace
