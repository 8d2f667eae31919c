// SPDX-License-Identifier: BSD-3-Clause
// The end of a program: MPI_Finalize under both of its names (C programs call MPI_Finalize, the
// Fortran bindings PMPI_Finalize). All processes come here, those that are in no grid, too; where
// REDBLUE_REPORT asks for a page, they tell the first one what they know, which writes it.
#include <mpi.h>

#include <cstdio>
#include <fstream>

#include "comm/communicator.hpp"
#include "loader/symbols.hpp"
#include "scalapack/page/program.hpp"
#include "scalapack/page/served_page.hpp"
#include "scalapack/serving/history.hpp"
#include "scalapack/serving/settings.hpp"

namespace redblue::scalapack {

namespace {

void write(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (out) {
    std::fprintf(stderr, "redblue: the report is in %s\n", path.c_str());
  } else {
    std::fprintf(stderr,
                 "redblue: REDBLUE_REPORT=html:%s: it cannot be written; name another file\n",
                 path.c_str());
  }
}

// Collective over MPI_COMM_WORLD.
void write_page() {
  const std::string& path = settings().page;
  if (path.empty()) return;
  stop_measuring();
  const comm::Communicator world(MPI_COMM_WORLD);
  const ProgramHistory program = gathered(world);
  if (world.rank().value == 0) write(path, served_page(program));
}

// Not by MPI_Finalize's own name: a library in front of this one has it, too.
int finalize() {
  static const auto next =
      reinterpret_cast<decltype(&MPI_Finalize)>(loader::next_symbol("PMPI_Finalize"));
  write_page();
  return next();
}

}  // namespace

}  // namespace redblue::scalapack

extern "C" {
int MPI_Finalize() {
  return redblue::scalapack::finalize();
}
int PMPI_Finalize() {
  return redblue::scalapack::finalize();
}
}
