// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/run/instrument.hpp"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <fstream>

#include "frontend/llvm/module/module.hpp"
#include "frontend/llvm/module/openmp.hpp"
#include "frontend/llvm/run/counter_runtime.hpp"
#include "frontend/llvm/run/counters.hpp"
#include "frontend/llvm/run/driver.hpp"
#include "frontend/llvm/run/tables.hpp"
#include "frontend/llvm/source.hpp"
#include "process/process.hpp"
#include "redblue/error.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

bool has_function(const llvm::Module& module, const std::string& prefix) {
  return std::any_of(module.begin(), module.end(), [&](const llvm::Function& function) {
    return function.getName().starts_with(prefix);
  });
}

void write(const llvm::Module& module, const std::string& path) {
  std::error_code failed;
  llvm::raw_fd_ostream stream(path, failed);
  if (failed) throw Error(path, "it cannot be written");
  llvm::WriteBitcodeToFile(module, stream);
}

std::vector<std::string> linking(const Source& source, const std::string& path,
                                 const std::vector<std::string>& flags,
                                 const TemporaryFolder& folder) {
  const bool is_cpp = has_function(*source.module, "_Z");
  std::vector<std::string> command{is_cpp ? "clang++-19" : "clang-19"};
  const bool fortran =
      language_of(path) == Language::fortran || has_function(*source.module, "_FortranA");
  command.insert(command.end(),
                 {"-w", "-O1", folder.file("counted.bc"), folder.file("counters.o")});
  // What a link needs of the compiler's flags.
  for (const std::string& flag : flags) {
    if (flag.rfind("-l", 0) == 0 || flag.rfind("-L", 0) == 0 || flag.rfind("-Wl", 0) == 0)
      command.push_back(flag);
  }
  if (has_function(*source.module, "__kmpc_") || has_function(*source.module, "omp_"))
    command.push_back("-fopenmp");
  if (fortran) {
    command.insert(command.end(),
                   {"-L/usr/lib/llvm-19/lib", "-lFortranRuntime", "-lFortranDecimal", "-lstdc++"});
  }
  command.insert(command.end(), {"-lm", "-o", folder.file("counted")});
  return command;
}

void must_succeed(const std::string& path, const std::string& what,
                  const process::Finished& finished) {
  if (finished.started && finished.status == 0) return;
  std::string last = finished.output.substr(0, finished.output.find_last_not_of("\n") + 1);
  last = last.substr(last.find_last_of('\n') + 1);
  throw Error(path,
              what +
                  (finished.started ? " ended with status " + std::to_string(finished.status)
                                    : " is not installed") +
                  (last.empty() ? "" : ": " + last),
              finished.status > 128 ? "a program of your own with main can call the function" : "");
}

}  // namespace

Run run_counted(const std::string& path, const std::string& function,
                const std::vector<std::string>& flags,
                const std::vector<std::pair<std::string, std::int64_t>>& sizes,
                const ThreadNames& threads, const std::set<std::string>& wanted) {
  Source source = read_to_run(path, function, flags);
  const Source counted = read_source(path, function, flags, threads);
  source.numbers = counted.numbers;
  const Counters counters = insert_counters(source, wanted);
  remove_marks(*source.module);
  const bool has_main = source.entry->getName() == "main" || source.entry->getName() == "_QQmain";
  if (!has_main) call_with(source, counted.reading.inputs(), path, sizes);
  if (source.entry->getName() == "_QQmain") add_fortran_main(*source.module);
  const TemporaryFolder folder;
  write(*source.module, folder.file("counted.bc"));
  std::ofstream(folder.file("counters.c")) << counter_runtime;
  must_succeed(path, "clang-19",
               process::run({"clang-19", "-O2", "-w", "-c", folder.file("counters.c"), "-o",
                             folder.file("counters.o")},
                            true));
  must_succeed(path, "linking its run", process::run(linking(source, path, flags, folder), true));
  std::int64_t processes = 1;
  std::vector<std::string> command{"env", "REDBLUE_COUNTS=" + folder.file("counts")};
  for (const auto& [name, value] : sizes) {
    if (name == "p") processes = value;
  }
  command.push_back("OMP_NUM_THREADS=" + std::to_string(processes));
  command.push_back("OMP_DYNAMIC=false");
  if (has_function(*source.module, "MPI_Init") || has_function(*source.module, "mpi_init_")) {
    command.insert(command.end(), {"mpirun", "-n", std::to_string(processes)});
  }
  command.push_back(folder.file("counted"));
  if (has_main) {
    for (const auto& [name, value] : sizes) {
      if (name != "p" || threads.given()) command.push_back(std::to_string(value));
    }
  }
  must_succeed(path, "its run", process::run(command, true));
  return read_tables(folder.file(""), counters);
}

}  // namespace redblue::frontend::llvm_ir
