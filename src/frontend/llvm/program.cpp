#include "frontend/llvm/program.hpp"

#include "frontend/llvm/ir/names.hpp"
#include "frontend/llvm/module/module.hpp"
#include "frontend/llvm/module/openmp.hpp"
#include "frontend/llvm/module/prepare.hpp"
#include "frontend/llvm/source.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

Source read(const std::string& path, const std::string& function,
            const std::vector<std::string>& flags) {
  Source source;
  source.context = std::make_unique<llvm::LLVMContext>();
  source.module = read_module(*source.context, path, flags);
  note_places(*source.module);
  source.entry = &entry_of(*source.module, path, function);
  return source;
}

}  // namespace

Source read_to_run(const std::string& path, const std::string& function,
                   const std::vector<std::string>& flags) {
  Source source = read(path, function, flags);
  mark_asking_loops(*source.module);
  source.functions = prepare(*source.module, *source.entry, Purpose::to_run).functions;
  return source;
}

Source read_source(const std::string& path, const std::string& function,
                   const std::vector<std::string>& flags) {
  Source source = read(path, function, flags);
  if (make_shared_loops_visible(*source.module)) {
    source.reading.program.processes = symbolic::symbol("p");
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
                               const std::vector<std::string>& flags) {
  return read_source(path, function, flags).reading.finished();
}

}  // namespace redblue::frontend::llvm_ir
