// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/program.hpp"

#include "frontend/llvm/ir/names.hpp"
#include "frontend/llvm/module/begun.hpp"
#include "frontend/llvm/module/module.hpp"
#include "frontend/llvm/module/openmp.hpp"
#include "frontend/llvm/module/orphans.hpp"
#include "frontend/llvm/module/prepare.hpp"
#include "frontend/llvm/source.hpp"
#include "redblue/error.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

Source read(const std::string& path, const std::string& function,
            const std::vector<std::string>& flags, ArrayExpressions arrays) {
  Source source;
  source.context = std::make_unique<llvm::LLVMContext>();
  source.module = read_module(*source.context, path, flags, arrays);
  note_places(*source.module);
  source.entry = &entry_of(*source.module, path, function);
  return source;
}

}  // namespace

Source read_to_run(const std::string& path, const std::string& function,
                   const std::vector<std::string>& flags) {
  Source source = read(path, function, flags, ArrayExpressions::calls);
  mark_asking_loops(*source.module);
  divide_tasks(*source.module);
  source.functions = prepare(*source.module, *source.entry, Purpose::to_run).functions;
  return source;
}

Source read_to_bound(const std::string& path, const std::string& function,
                     const std::vector<std::string>& flags) {
  Source source = read(path, function, flags, ArrayExpressions::loops);
  call_tasks(*source.module);
  if (succeed_at_once(*source.module)) source.reading.assume("atomic updates succeed at once");
  make_shared_loops_visible(*source.module);
  remove_marks(*source.module);
  const Prepared prepared = prepare(*source.module, *source.entry, Purpose::to_bound);
  source.functions = prepared.functions;
  for (const std::string& what : prepared.assumptions) source.reading.assume(what);
  source.reading.program.main = source_name(*source.entry);
  return source;
}

Source read_source(const std::string& path, const std::string& function,
                   const std::vector<std::string>& flags, const ThreadNames& threads) {
  Source source = read(path, function, flags, ArrayExpressions::calls);
  source.reading.threads = threads;
  if (threads.given() && call_threads(*source.module)) {
    source.reading.program.rank = symbolic::symbol("rank");
  }
  call_tasks(*source.module);
  if (succeed_at_once(*source.module)) {
    source.reading.assume("atomic updates succeed at once");
  }
  const std::vector<llvm::Function*> outside = outside_of_regions(*source.module, *source.entry);
  if (make_shared_loops_visible(*source.module)) {
    source.reading.program.processes = symbolic::symbol("p");
    for (llvm::Function* one : outside) share_nothing(*one);
  }
  const Prepared prepared = prepare(*source.module, *source.entry, Purpose::to_count);
  source.functions = prepared.functions;
  for (const std::string& what : prepared.assumptions) source.reading.assume(what);
  counting::Program& program = source.reading.program;
  program.main = source_name(*source.entry);
  for (llvm::Function* one : source.functions) {
    const std::string name = one == source.entry ? program.main : one->getName().str();
    llvm::DominatorTree dominators(*one);
    const llvm::LoopInfo loops(dominators);
    program.functions[name] =
        Structure(*one, loops, dominators, source.reading, source.numbers).read(name);
  }
  return source;
}

counting::Program read_program(const std::string& path, const std::string& function,
                               const std::vector<std::string>& flags, const ThreadNames& threads) {
  counting::Program program = read_source(path, function, flags, threads).reading.finished();
  if (threads.given() && !program.processes) {
    throw Error("the number of threads, '" + threads.size + "'",
                "no number of " + path + " is called that", "name a variable that loops depend on");
  }
  return program;
}

}  // namespace redblue::frontend::llvm_ir
