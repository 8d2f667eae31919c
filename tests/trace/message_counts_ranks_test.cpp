// SPDX-License-Identifier: BSD-3-Clause
// Run under mpirun: what `redblue compare` counts of every kind of MPI call, against the words that
// the call's definition sends to each rank, written down here one by one.
#include <dlfcn.h>
#include <mpi.h>
#ifdef OMPI_MPI_H
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "trace/message_counts.hpp"

namespace redblue::test {
namespace {

int me = 0;
int ranks = 1;
int failures = 0;

constexpr int n = 60;  // words of one part
const MPI_Comm world = MPI_COMM_WORLD;

// Words that `call` brings to each rank, by its definition.
using Expected = std::function<double(int rank)>;

void expect(const std::string& name, const Expected& expected, const std::function<void()>& call) {
  std::vector<double> words;
  for (int r = 0; r < ranks; ++r) words.push_back(expected(r));
  MPI_Barrier(world);
  trace::start_counting_messages();
  call();
  const trace::MessageCounts counts = trace::counted_messages();
  const double worst = *std::max_element(words.begin(), words.end());
  const double total = std::accumulate(words.begin(), words.end(), 0.0);
  const double got_worst = static_cast<double>(counts.worst.value) / 8;
  const double got_total = static_cast<double>(counts.total.value) / 8;
  // bytes are whole on each rank
  if (std::abs(got_worst - worst) <= 1 && std::abs(got_total - total) <= ranks) return;
  ++failures;
  if (me == 0) {
    std::fprintf(stderr, "%s on %d ranks: worst %g, not %g; total %g, not %g\n", name.c_str(),
                 ranks, got_worst, worst, got_total, total);
  }
}

// Rank r's part of what is gathered or scattered has r + 1 times n words.
int part(int rank) {
  return (rank + 1) * n;
}

struct Data {
  std::vector<double> in = std::vector<double>(100000);
  std::vector<double> out = std::vector<double>(100000);
  std::vector<int> counts, at;
  std::vector<int> even, even_at;
  int all = 0;
  Data() {
    for (int r = 0; r < ranks; ++r) {
      counts.push_back(part(r));
      at.push_back(all);
      all += part(r);
      even.push_back(n);
      even_at.push_back(r * n);
    }
  }
};

void wait(MPI_Request request) {
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void test_messages(Data& d) {
  const int next = (me + 1) % ranks;
  const int before = (me + ranks - 1) % ranks;
  const auto each = [](int) { return n; };
  MPI_Request request = MPI_REQUEST_NULL;
  const auto received = [&](const std::function<void()>& sent) {
    MPI_Request in = MPI_REQUEST_NULL;
    MPI_Irecv(d.out.data(), n, MPI_DOUBLE, before, 0, world, &in);
    MPI_Barrier(world);
    sent();
    wait(in);
  };
  const auto* in = d.in.data();
  for (const auto& [name, call] :
       {std::pair{"Send", &MPI_Send}, {"Ssend", &MPI_Ssend}, {"Rsend", &MPI_Rsend}}) {
    expect(name, each, [&, f = call] { received([&] { f(in, n, MPI_DOUBLE, next, 0, world); }); });
  }
  for (const auto& [name, call] :
       {std::pair{"Isend", &MPI_Isend}, {"Issend", &MPI_Issend}, {"Irsend", &MPI_Irsend}}) {
    expect(name, each, [&, f = call] {
      received([&] {
        f(in, n, MPI_DOUBLE, next, 0, world, &request);
        wait(request);
      });
    });
  }
  std::vector<char> space(8 * n + MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(space.data(), static_cast<int>(space.size()));
  expect("Bsend", each, [&] { received([&] { MPI_Bsend(in, n, MPI_DOUBLE, next, 0, world); }); });
  void* old = nullptr;
  int size = 0;
  MPI_Buffer_detach(&old, &size);
  expect("Sendrecv", each, [&] {
    MPI_Sendrecv(in, n, MPI_DOUBLE, next, 0, d.out.data(), n, MPI_DOUBLE, before, 0, world,
                 MPI_STATUS_IGNORE);
  });
  expect("Sendrecv_replace", each, [&] {
    MPI_Sendrecv_replace(d.out.data(), n, MPI_DOUBLE, next, 0, before, 0, world, MPI_STATUS_IGNORE);
  });
  expect(
      "to itself and to nobody", [](int) { return 0; },
      [&] {
        MPI_Sendrecv(in, n, MPI_DOUBLE, me, 0, d.out.data(), n, MPI_DOUBLE, me, 0, world,
                     MPI_STATUS_IGNORE);
        MPI_Send(in, n, MPI_DOUBLE, MPI_PROC_NULL, 0, world);
      });
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(n, 1, 7, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  expect("a strided type", each,
         [&] { received([&] { MPI_Send(in, 1, column, next, 0, world); }); });
  MPI_Type_free(&column);
  MPI_Request starts[2];
  MPI_Send_init(in, n, MPI_DOUBLE, next, 0, world, &starts[0]);
  MPI_Recv_init(d.out.data(), n, MPI_DOUBLE, before, 0, world, &starts[1]);
  expect(
      "Start", [](int) { return 3 * n; },
      [&] {
        MPI_Start(&starts[1]);
        MPI_Start(&starts[0]);
        MPI_Waitall(2, starts, MPI_STATUSES_IGNORE);
        for (int turn = 0; turn < 2; ++turn) {
          MPI_Startall(2, starts);
          MPI_Waitall(2, starts, MPI_STATUSES_IGNORE);
        }
      });
  for (MPI_Request& r : starts) MPI_Request_free(&r);
  expect(
      "to rank 0", [](int r) { return r == 0 ? (ranks - 1) * n : 0; },
      [&] {
        for (int r = 1; me == 0 && r < ranks; ++r) {
          MPI_Message message = MPI_MESSAGE_NULL;
          MPI_Mprobe(r, 0, world, &message, MPI_STATUS_IGNORE);
          MPI_Mrecv(d.out.data(), n, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
        }
        if (me != 0) MPI_Send(in, n, MPI_DOUBLE, 0, 0, world);
      });
}

void test_copies(Data& d) {
  const int root = ranks - 1;
  const auto* in = d.in.data();
  auto* out = d.out.data();
  const auto but_root = [root](int r) { return r == root ? 0 : n; };
  const auto others = [](int) { return (ranks - 1) * n; };
  const auto other_parts = [&d](int r) { return d.all - part(r); };
  MPI_Request request = MPI_REQUEST_NULL;
  expect(
      "Barrier", [](int) { return 0; }, [] { MPI_Barrier(world); });
  expect("Bcast", but_root, [&] { MPI_Bcast(out, n, MPI_DOUBLE, root, world); });
  expect("Ibcast", but_root, [&] {
    MPI_Ibcast(out, n, MPI_DOUBLE, root, world, &request);
    wait(request);
  });
  expect("Scatter", but_root,
         [&] { MPI_Scatter(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, root, world); });
  expect(
      "Scatterv", [root](int r) { return r == root ? 0 : part(r); },
      [&] {
        MPI_Scatterv(in, d.counts.data(), d.at.data(), MPI_DOUBLE, out, part(me), MPI_DOUBLE, root,
                     world);
      });
  expect(
      "Gather", [root](int r) { return r == root ? (ranks - 1) * n : 0; },
      [&] { MPI_Gather(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, root, world); });
  expect(
      "Gatherv", [&](int r) { return r == root ? d.all - part(r) : 0; },
      [&] {
        MPI_Gatherv(in, part(me), MPI_DOUBLE, out, d.counts.data(), d.at.data(), MPI_DOUBLE, root,
                    world);
      });
  expect("Allgather", others, [&] { MPI_Allgather(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, world); });
  expect("Allgather in place", others,
         [&] { MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, n, MPI_DOUBLE, world); });
  expect("Allgatherv", other_parts, [&] {
    MPI_Allgatherv(in, part(me), MPI_DOUBLE, out, d.counts.data(), d.at.data(), MPI_DOUBLE, world);
  });
  expect("Iallgatherv", other_parts, [&] {
    MPI_Iallgatherv(in, part(me), MPI_DOUBLE, out, d.counts.data(), d.at.data(), MPI_DOUBLE, world,
                    &request);
    wait(request);
  });
  expect("Alltoall", others, [&] { MPI_Alltoall(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, world); });
  // rank r gets (r + 1) n words from each
  const std::vector<int> same(static_cast<std::size_t>(ranks), part(me));
  expect(
      "Alltoallv", [](int r) { return (ranks - 1) * part(r); },
      [&] {
        MPI_Alltoallv(in, d.counts.data(), d.at.data(), MPI_DOUBLE, out, same.data(),
                      d.even_at.data(), MPI_DOUBLE, world);
      });
  const std::vector<MPI_Datatype> types(static_cast<std::size_t>(ranks), MPI_DOUBLE);
  std::vector<int> bytes_at;
  for (const int at : d.even_at) bytes_at.push_back(8 * at);
  expect("Alltoallw", others, [&] {
    MPI_Alltoallw(in, d.even.data(), bytes_at.data(), types.data(), out, d.even.data(),
                  bytes_at.data(), types.data(), world);
  });
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
  MPIX_Bcast_init(out, n, MPI_DOUBLE, root, world, MPI_INFO_NULL, &request);
  expect(
      "Bcast_init, started twice", [&](int r) { return 2 * but_root(r); },
      [&] {
        for (int turn = 0; turn < 2; ++turn) {
          MPI_Start(&request);
          MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
      });
  MPI_Request_free(&request);
#endif
}

void test_sums(Data& d) {
  const int root = ranks - 1;
  const auto* in = d.in.data();
  auto* out = d.out.data();
  const double p = ranks;
  MPI_Request request = MPI_REQUEST_NULL;
  // the root something, the p - 2 other messages evenly
  const auto of_root = [&](int r) { return r == root ? n : (p - 2) / (p - 1) * n; };
  expect("Reduce", of_root, [&] { MPI_Reduce(in, out, n, MPI_DOUBLE, MPI_SUM, root, world); });
  expect("Ireduce", of_root, [&] {
    MPI_Ireduce(in, out, n, MPI_DOUBLE, MPI_SUM, root, world, &request);
    wait(request);
  });
  expect(
      "Allreduce", [p](int) { return 2 * (p - 1) / p * n; },
      [&] { MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, world); });
  expect(
      "Reduce_scatter_block", [p](int) { return (p - 1) * n; },
      [&] { MPI_Reduce_scatter_block(in, out, n, MPI_DOUBLE, MPI_SUM, world); });
  expect(
      "Reduce_scatter of even parts", [p](int) { return (p - 1) * n; },
      [&] { MPI_Reduce_scatter(in, out, d.even.data(), MPI_DOUBLE, MPI_SUM, world); });
  expect(
      "Ireduce_scatter", [&](int r) { return part(r) + (d.all - part(r)) * (p - 2) / (p - 1); },
      [&] {
        MPI_Ireduce_scatter(in, out, d.counts.data(), MPI_DOUBLE, MPI_SUM, world, &request);
        wait(request);
      });
  const auto but_first = [](int r) { return r == 0 ? 0 : n; };
  expect("Scan", but_first, [&] { MPI_Scan(in, out, n, MPI_DOUBLE, MPI_SUM, world); });
  expect("Exscan", but_first, [&] { MPI_Exscan(in, out, n, MPI_DOUBLE, MPI_SUM, world); });
}

void test_neighbors(Data& d) {
  const int open = 0;
  MPI_Comm line = MPI_COMM_NULL;
  MPI_Cart_create(world, 1, &ranks, &open, 0, &line);
  const auto on_line = [](int r) { return ((r > 0 ? 1 : 0) + (r < ranks - 1 ? 1 : 0)) * n; };
  expect("Neighbor_allgather on a line", on_line, [&] {
    MPI_Neighbor_allgather(d.in.data(), n, MPI_DOUBLE, d.out.data(), n, MPI_DOUBLE, line);
  });
  expect("Neighbor_alltoall on a line", on_line, [&] {
    MPI_Neighbor_alltoall(d.in.data(), n, MPI_DOUBLE, d.out.data(), n, MPI_DOUBLE, line);
  });
  MPI_Comm_free(&line);
  // everyone tells the next, and itself
  const int before[] = {(me + ranks - 1) % ranks, me};
  const int next[] = {(me + 1) % ranks, me};
  const int counts[] = {n, n};
  const int at[] = {0, n};
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(world, 2, before, MPI_UNWEIGHTED, 2, next, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &ring);
  expect(
      "Neighbor_alltoallv on a ring", [](int) { return n; },
      [&] {
        MPI_Neighbor_alltoallv(d.in.data(), counts, at, MPI_DOUBLE, d.out.data(), counts, at,
                               MPI_DOUBLE, ring);
      });
  MPI_Comm_free(&ring);
}

void test_one_sided(Data& d) {
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(d.in.data(), 8 * 1000, 8, MPI_INFO_NULL, world, &window);
  MPI_Win_fence(0, window);
  const int next = (me + 1) % ranks;
  auto* own = d.out.data();
  const auto twice = [](int) { return 2 * n; };
  const auto each = [](int) { return n; };
  expect("Put", each, [&] {
    MPI_Put(own, n, MPI_DOUBLE, next, 0, n, MPI_DOUBLE, window);
    MPI_Put(own, n, MPI_DOUBLE, me, 500, n, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
  });
  expect(
      "Get from rank 0", [](int r) { return r == 0 ? 0 : n; },
      [&] {
        MPI_Get(own, n, MPI_DOUBLE, 0, 0, n, MPI_DOUBLE, window);
        MPI_Win_fence(0, window);
      });
  expect("Accumulate", each, [&] {
    MPI_Accumulate(own, n, MPI_DOUBLE, next, 0, n, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_fence(0, window);
  });
  expect("Get_accumulate", twice, [&] {
    MPI_Get_accumulate(own, n, MPI_DOUBLE, own + n, n, MPI_DOUBLE, next, 0, n, MPI_DOUBLE, MPI_SUM,
                       window);
    MPI_Win_fence(0, window);
  });
  expect("Get_accumulate without operation", each, [&] {
    MPI_Get_accumulate(nullptr, 0, MPI_DOUBLE, own + n, n, MPI_DOUBLE, next, 0, n, MPI_DOUBLE,
                       MPI_NO_OP, window);
    MPI_Win_fence(0, window);
  });
  expect(
      "Fetch_and_op, Compare_and_swap", [](int) { return 5; },
      [&] {
        MPI_Fetch_and_op(own, own + n, MPI_INT64_T, next, 0, MPI_SUM, window);
        MPI_Win_fence(0, window);
        MPI_Compare_and_swap(own, own + n, own + 2 * n, MPI_INT64_T, next, 0, window);
        MPI_Win_fence(0, window);
      });
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  MPI_Win_lock_all(0, window);
  expect("Rput, Rget", twice, [&] {
    MPI_Rput(own, n, MPI_DOUBLE, next, 0, n, MPI_DOUBLE, window, &request);
    wait(request);
    MPI_Rget(own, n, MPI_DOUBLE, next, 0, n, MPI_DOUBLE, window, &request);
    wait(request);
    MPI_Win_flush_all(window);
  });
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

// The Fortran bindings, whose functions call MPI's by their other names.
void test_fortran(Data& d) {
  void* library = dlopen("libmpi_mpifh.so.40", RTLD_NOW);
  if (library == nullptr) {
    if (me == 0) std::fprintf(stderr, "no Fortran bindings of MPI here: not tested\n");
    return;
  }
  using Bcast = void (*)(void*, const int*, const MPI_Fint*, const int*, const MPI_Fint*, int*);
  using Send = void (*)(const void*, const int*, const MPI_Fint*, const int*, const int*,
                        const MPI_Fint*, int*);
  const auto bcast = reinterpret_cast<Bcast>(dlsym(library, "mpi_bcast_"));
  const auto send = reinterpret_cast<Send>(dlsym(library, "mpi_send_"));
  const int root = 0;
  const int tag = 0;
  const int count = n;
  const int next = (me + 1) % ranks;
  const MPI_Fint type = MPI_Type_c2f(MPI_DOUBLE);
  const MPI_Fint comm = MPI_Comm_c2f(world);
  int error = 0;
  expect(
      "mpi_bcast_", [](int r) { return r == 0 ? 0 : n; },
      [&] { bcast(d.out.data(), &count, &type, &root, &comm, &error); });
  expect(
      "mpi_send_", [](int) { return n; },
      [&] {
        MPI_Request in = MPI_REQUEST_NULL;
        MPI_Irecv(d.out.data(), n, MPI_DOUBLE, MPI_ANY_SOURCE, 0, world, &in);
        send(d.in.data(), &count, &type, &next, &tag, &comm, &error);
        wait(in);
      });
}

void test_uncounted() {
  const auto check = [](const std::string& name, std::size_t expected) {
    const std::size_t found = trace::counted_messages().uncounted.size();
    if (found == expected) return;
    ++failures;
    if (me == 0) std::fprintf(stderr, "%s: %zu kinds of movement noticed\n", name.c_str(), found);
  };
  double* base = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  trace::start_counting_messages();
  MPI_Win_allocate_shared(8 * n, 8, MPI_INFO_NULL, world, &base, &window);
  check("a shared window, unread", 0);
  trace::start_counting_messages();
  MPI_Aint size = 0;
  int unit = 0;
  if (me == 0) MPI_Win_shared_query(window, 1, &size, &unit, &base);
  check("a shared window", 1);
  MPI_Win_free(&window);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm both = MPI_COMM_NULL;
  MPI_Comm_split(world, me % 2, me, &half);
  MPI_Intercomm_create(half, 0, world, me % 2 == 0 ? 1 : 0, 1, &both);
  trace::start_counting_messages();
  double x = 0;
  double y = 0;
  MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, both);
  check("two groups", 1);
  expect(
      "a message to the other group", [](int r) { return r == 1 ? 1 : 0; },
      [&] {
        if (me == 0) MPI_Send(&x, 1, MPI_DOUBLE, 0, 0, both);
        if (me == 1) MPI_Recv(&x, 1, MPI_DOUBLE, 0, 0, both, MPI_STATUS_IGNORE);
      });
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

}  // namespace
}  // namespace redblue::test

int main(int argc, char** argv) {
  using namespace redblue::test;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Data data;
  test_messages(data);
  test_copies(data);
  test_sums(data);
  test_neighbors(data);
  test_one_sided(data);
  test_fortran(data);
  test_uncounted();
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
