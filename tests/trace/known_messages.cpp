// SPDX-License-Identifier: BSD-3-Clause
// Run under mpirun, traced: every rank sends 1000 (rank + 1) bytes to the next one and 8 doubles in
// a persistent message twice; 100 doubles are broadcast from rank 0. Exit status 3, so that a test
// sees it pass.
#include <mpi.h>

#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int next = (rank + 1) % ranks;
  const int before = (rank + ranks - 1) % ranks;
  const int bytes = 1000 * (rank + 1);
  std::vector<char> out(static_cast<std::size_t>(bytes));
  std::vector<char> in(static_cast<std::size_t>(1000 * ranks));
  MPI_Sendrecv(out.data(), bytes, MPI_CHAR, next, 0, in.data(), 1000 * ranks, MPI_CHAR, before, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double words[8] = {};
  double received[8] = {};
  MPI_Request send = MPI_REQUEST_NULL;
  MPI_Send_init(words, 8, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &send);
  for (int i = 0; i < 2; ++i) {
    MPI_Start(&send);
    MPI_Recv(received, 8, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&send);
  double broadcast[100] = {};
  MPI_Bcast(broadcast, 100, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return 3;
}
