#include "scalapack/blacs.hpp"

#include <dlfcn.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace redblue::scalapack {

namespace {

using Get = void (*)(int context, int what, int* value);
using GridInfo = void (*)(int context, int* rows, int* columns, int* row, int* column);
using ProcessNumber = int (*)(int context, int row, int column);
using SystemHandle = MPI_Comm (*)(int handle);
using Abort = void (*)(int context, int code);
using Complain = void (*)(const int* context, const char* routine, const int* position, int length);

struct Blacs {
  Get get;
  GridInfo grid_info;
  ProcessNumber process_number;
  SystemHandle system_handle;

  bool complete() const {
    return get != nullptr && grid_info != nullptr && process_number != nullptr &&
           system_handle != nullptr;
  }
};

template <class Function>
Function found(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

const Blacs& blacs() {
  static const Blacs functions = {found<Get>("Cblacs_get"), found<GridInfo>("Cblacs_gridinfo"),
                                  found<ProcessNumber>("Cblacs_pnum"),
                                  found<SystemHandle>("Cblacs2sys_handle")};
  return functions;
}

// What a context number stands for; numbers are used again after a grid's exit.
struct Identity {
  MPI_Comm system;
  int rows, columns;
  std::vector<int> processes;
  bool operator==(const Identity&) const = default;
};

struct Known {
  Identity identity;
  std::shared_ptr<ProcessGrid> grid;
};

MPI_Comm communicator_of(const Identity& identity) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group members = MPI_GROUP_NULL;
  MPI_Comm result = MPI_COMM_NULL;
  MPI_Comm_group(identity.system, &all);
  MPI_Group_incl(all, static_cast<int>(identity.processes.size()), identity.processes.data(),
                 &members);
  constexpr int tag = 7;
  MPI_Comm_create_group(identity.system, members, tag, &result);
  MPI_Group_free(&members);
  MPI_Group_free(&all);
  return result;
}

}  // namespace

ProcessGrid::~ProcessGrid() {
  own.reset();
  if (communicator != MPI_COMM_NULL && !comm::finalized()) MPI_Comm_free(&communicator);
}

void* next_symbol(const char* name) {
  return dlsym(RTLD_NEXT, name);
}

GridShape grid_shape(int context) {
  GridShape shape;
  if (context < 0 || !blacs().complete()) return shape;
  blacs().grid_info(context, &shape.rows, &shape.columns, &shape.my_row, &shape.my_column);
  return shape;
}

std::vector<Rank> ProcessGrid::ranks() const {
  std::vector<Rank> result;
  for (int r = 0; r < shape.rows * shape.columns; ++r) result.push_back(Rank{r});
  return result;
}

std::shared_ptr<ProcessGrid> process_grid(int context) {
  const GridShape shape = grid_shape(context);
  if (!shape.inside()) return nullptr;
  constexpr int system_context_of_grid = 10;
  int handle = 0;
  blacs().get(context, system_context_of_grid, &handle);
  Identity identity{blacs().system_handle(handle), shape.rows, shape.columns, {}};
  for (int row = 0; row < shape.rows; ++row) {
    for (int column = 0; column < shape.columns; ++column) {
      identity.processes.push_back(blacs().process_number(context, row, column));
    }
  }
  static std::map<int, Known> known;
  const auto old = known.find(context);
  if (old != known.end() && old->second.identity == identity) return old->second.grid;
  auto made = std::make_shared<ProcessGrid>();
  made->shape = shape;
  made->communicator = communicator_of(identity);
  made->own = std::make_unique<comm::Communicator>(made->communicator);
  known[context] = {identity, made};
  return made;
}

void report_argument(int context, std::string routine, int position) {
  for (char& c : routine) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  static const auto complain = found<Complain>("pxerbla_");
  static const auto abort = found<Abort>("Cblacs_abort");
  if (complain != nullptr) {
    complain(&context, routine.c_str(), &position, static_cast<int>(routine.size()));
  } else {
    std::fprintf(stderr, "redblue: parameter %d of %s has an illegal value\n", position,
                 routine.c_str());
  }
  if (abort != nullptr) abort(context, -position);
  std::abort();
}

}  // namespace redblue::scalapack
