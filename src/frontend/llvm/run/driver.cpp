// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/run/driver.hpp"

#include <llvm/IR/IRBuilder.h>

#include <algorithm>
#include <map>

#include "redblue/error.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

llvm::Function* add_main(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  auto* integer = llvm::Type::getInt32Ty(context);
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* type = llvm::FunctionType::get(integer, {integer, pointer}, false);
  return llvm::Function::Create(type, llvm::Function::ExternalLinkage, "main", module);
}

// Memory behind pointers, made where it is first needed.
class Caller {
 public:
  Caller(Source& source, llvm::IRBuilder<>& builder)
      : source_(source),
        builder_(builder),
        memory_(source.module->getOrInsertFunction("redblue_memory", builder.getPtrTy())) {}

  llvm::Value* argument(const llvm::Argument& argument) {
    llvm::Value*& value = arguments_[argument.getArgNo()];
    if (value != nullptr) return value;
    llvm::Type* type = argument.getType();
    if (type->isPointerTy()) {
      value = builder_.CreateCall(memory_);
    } else if (type->isFPOrFPVectorTy()) {
      value = llvm::ConstantFP::get(type, 1.0);
    } else {
      value = llvm::Constant::getNullValue(type);
    }
    return value;
  }

  void set(const Input& input, std::int64_t number) {
    if (input.stride > 0) {
      Input begin = input;
      begin.offsets.back() -= static_cast<std::int64_t>(sizeof(void*));
      builder_.CreateStore(
          builder_.CreateConstGEP1_64(builder_.getInt8Ty(), object_at(begin),
                                      static_cast<std::uint64_t>(input.stride * number)),
          place(input));
    } else if (input.offsets.empty()) {
      arguments_[input.argument] = builder_.getIntN(input.bits, static_cast<std::uint64_t>(number));
    } else {
      builder_.CreateStore(builder_.getIntN(input.bits, static_cast<std::uint64_t>(number)),
                           place(input));
    }
  }

  void set_pointer(const Input& input) { builder_.CreateStore(object_at(input), place(input)); }

 private:
  // The memory that the pointer at this place points to.
  llvm::Value* object_at(const Input& input) {
    const auto key = std::make_tuple(input.argument, input.global, input.offsets);
    llvm::Value*& object = objects_[key];
    if (object == nullptr) object = builder_.CreateCall(memory_);
    return object;
  }

  llvm::Value* place(const Input& input) {
    llvm::Value* base = input.global.empty() ? argument(*source_.entry->getArg(input.argument))
                                             : source_.module->getNamedValue(input.global);
    Input before = input;
    before.offsets.clear();
    for (std::size_t step = 0; step + 1 < input.offsets.size(); ++step) {
      before.offsets.push_back(input.offsets[step]);
      base = object_at(before);
    }
    return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), base,
                                       static_cast<std::uint64_t>(input.offsets.back()));
  }

  Source& source_;
  llvm::IRBuilder<>& builder_;
  llvm::FunctionCallee memory_;
  std::map<unsigned, llvm::Value*> arguments_;
  std::map<std::tuple<unsigned, std::string, std::vector<std::int64_t>>, llvm::Value*> objects_;
};

std::string parameters_of(const std::vector<Input>& inputs) {
  std::string names;
  for (const Input& input : inputs) {
    if (!input.name.empty()) names += (names.empty() ? "" : ", ") + input.name;
  }
  return names;
}

}  // namespace

void call_with(Source& source, const std::vector<Input>& inputs, const std::string& path,
               const std::vector<std::pair<std::string, std::int64_t>>& sizes) {
  llvm::Function* main = add_main(*source.module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(*source.context, "", main));
  Caller caller(source, builder);
  const std::map<std::string, std::int64_t> given(sizes.begin(), sizes.end());
  std::map<std::string, std::int64_t> left = given;
  for (const Input& input : inputs) {
    if (input.name.empty()) {
      caller.set_pointer(input);
      continue;
    }
    const auto size = given.find(input.name);
    if (size == given.end()) {
      throw Error(path, "no size is given for " + input.name,
                  "give all of " + parameters_of(inputs));
    }
    caller.set(input, size->second);
    left.erase(input.name);
  }
  // Sizes of arguments that nothing counted depends on.
  for (const llvm::Argument& argument : source.entry->args()) {
    const auto size = left.find(plain_name(argument));
    if (size == left.end() || !argument.getType()->isIntegerTy()) continue;
    const unsigned bits = argument.getType()->getIntegerBitWidth();
    caller.set({size->first, argument.getArgNo(), {}, {}, bits}, size->second);
    left.erase(size);
  }
  left.erase("p");  // how many processes run it
  if (!left.empty()) {
    const std::string known = parameters_of(inputs);
    throw Error(path, "it has no parameter " + left.begin()->first,
                known.empty() ? "it has none" : "it has " + known);
  }
  std::vector<llvm::Value*> arguments;
  for (const llvm::Argument& argument : source.entry->args()) {
    arguments.push_back(caller.argument(argument));
  }
  builder.CreateCall(source.entry, arguments);
  builder.CreateRet(builder.getInt32(0));
  source.entry->setLinkage(llvm::GlobalValue::ExternalLinkage);
}

void add_fortran_main(llvm::Module& module) {
  if (module.getFunction("main") != nullptr) return;
  llvm::Function* main = add_main(module);
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", main));
  const llvm::FunctionCallee start =
      module.getOrInsertFunction("_FortranAProgramStart", builder.getVoidTy(), builder.getInt32Ty(),
                                 builder.getPtrTy(), builder.getPtrTy(), builder.getPtrTy());
  auto* none = llvm::ConstantPointerNull::get(builder.getPtrTy());
  builder.CreateCall(start, {main->getArg(0), main->getArg(1), none, none});
  builder.CreateCall(module.getFunction("_QQmain"));
  builder.CreateRet(builder.getInt32(0));
}

}  // namespace redblue::frontend::llvm_ir
