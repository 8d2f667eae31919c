// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/run/instrument.hpp"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

#include "frontend/llvm/module/module.hpp"
#include "frontend/llvm/module/openmp.hpp"
#include "frontend/llvm/run/counter_runtime.hpp"
#include "frontend/llvm/run/driver.hpp"
#include "frontend/llvm/source.hpp"
#include "process/process.hpp"
#include "redblue/error.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

struct Counter {
  llvm::BasicBlock* from = nullptr;
  llvm::BasicBlock* to = nullptr;
  llvm::BasicBlock* before = nullptr;  // from where the loop is entered
  int id = 0;
};

// All counting points first: counters change the blocks that loops are found by.
std::vector<Counter> counters_of(llvm::Function& function, LoopNumbers& numbers) {
  llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  std::vector<Counter> counters;
  std::map<const llvm::Loop*, Region> regions;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (is_asking_loop(*loop)) continue;
    const auto outer = regions.try_emplace(loop->getParentLoop(), function, loops, dominators,
                                           loop->getParentLoop());
    const CountingPoint point = counting_point(*loop, guard_of(*loop, outer.first->second));
    counters.push_back({const_cast<llvm::BasicBlock*>(point.from),
                        const_cast<llvm::BasicBlock*>(point.to), loop->getLoopPreheader(),
                        number_of(*loop, numbers)});
  }
  return counters;
}

void insert(llvm::Module& module, const std::vector<Counter>& counters) {
  llvm::LLVMContext& context = module.getContext();
  auto* number = llvm::Type::getInt32Ty(context);
  const llvm::FunctionCallee count =
      module.getOrInsertFunction("redblue_count", llvm::Type::getVoidTy(context), number);
  const llvm::FunctionCallee enter =
      module.getOrInsertFunction("redblue_enter", llvm::Type::getVoidTy(context), number);
  for (const Counter& counter : counters) {
    if (counter.before != nullptr) {
      llvm::IRBuilder<> before(counter.before->getTerminator());
      before.CreateCall(enter, {before.getInt32(static_cast<unsigned>(counter.id))});
    }
    llvm::BasicBlock* block = counter.to;
    if (counter.from != nullptr) {
      block = llvm::SplitEdge(counter.from, counter.to);
    }
    llvm::IRBuilder<> builder(block, block->getFirstInsertionPt());
    builder.CreateCall(count, {builder.getInt32(static_cast<unsigned>(counter.id))});
  }
}

void set_number_of_loops(llvm::Module& module, std::size_t loops) {
  auto* number = llvm::Type::getInt32Ty(module.getContext());
  new llvm::GlobalVariable(module, number, true, llvm::GlobalValue::ExternalLinkage,
                           llvm::ConstantInt::get(number, loops), "redblue_loops");
}

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

// Tables of all processes and threads: per loop the one with most iterations.
std::map<int, LoopRun> largest(const std::string& folder) {
  std::map<int, LoopRun> runs;
  std::map<int, std::int64_t> most_entries;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().rfind("counts.", 0) != 0) continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::istringstream numbers(line);
      LoopRun run;
      for (int loop = 0; numbers >> run.iterations >> run.entries; ++loop) {
        LoopRun& best = runs[loop];
        if (std::tie(best.iterations, best.entries) < std::tie(run.iterations, run.entries))
          best = run;
        most_entries[loop] = std::max(most_entries[loop], run.entries);
      }
    }
  }
  for (auto& [loop, run] : runs) run.entered_most = run.entries == most_entries[loop];
  return runs;
}

}  // namespace

std::map<int, LoopRun> run_counted(const std::string& path, const std::string& function,
                                   const std::vector<std::string>& flags,
                                   const std::vector<std::pair<std::string, std::int64_t>>& sizes,
                                   const ThreadNames& threads) {
  Source source = read_to_run(path, function, flags);
  const Source counted = read_source(path, function, flags, threads);
  source.numbers = counted.numbers;
  for (llvm::Function* one : source.functions) {
    insert(*source.module, counters_of(*one, source.numbers));
  }
  remove_marks(*source.module);
  set_number_of_loops(*source.module, source.numbers.size());
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
  return largest(folder.file(""));
}

}  // namespace redblue::frontend::llvm_ir
