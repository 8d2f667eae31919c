// SPDX-License-Identifier: BSD-3-Clause
// What loads read.
#include <llvm/IR/Module.h>

#include <algorithm>

#include "frontend/llvm/values/known_calls.hpp"
#include "frontend/llvm/values/values.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

using counting::Expr;

// Nothing in the module writes the variable, and nothing else can.
bool is_never_written(const llvm::GlobalVariable& variable) {
  if (variable.isConstant()) return true;
  return variable.hasLocalLinkage() &&
         std::all_of(variable.user_begin(), variable.user_end(),
                     [](const llvm::User* user) { return llvm::isa<llvm::LoadInst>(user); });
}

const llvm::Constant* initial_value(const llvm::LoadInst& load) {
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(load.getPointerOperand());
  if (global == nullptr || !global->hasDefinitiveInitializer() || !is_never_written(*global) ||
      global->getValueType() != load.getType()) {
    return nullptr;
  }
  return global->getInitializer();
}

}  // namespace

Expr Values::load(const llvm::LoadInst& load) {
  const auto place = memory_.place(*load.getPointerOperand());
  if (!place) {
    const auto places = memory_.places(*load.getPointerOperand());
    std::string array = places.size() == 1 ? memory_.name({places.front().object, 0}).name : "";
    if (!array.empty()) array += "[..]";
    return datum(load, array);
  }
  const std::uint64_t bytes = layout_.getTypeStoreSize(load.getType()).getKnownMinValue();
  const auto writers = memory_.writers(*place, bytes, &load);
  if (memory_.rests_on_types()) {
    reading_.assume("numbers of different types share no memory, as the language has it");
  }
  const std::string name = memory_.name(*place).name;
  if (writers.empty()) {
    if (!memory_.comes_from_outside(*place)) return datum(load, name);
    if (const auto* number = initial_value(load)) return of(*number);
    if (const auto end = end_of_vector(*place)) return *end;
    const counting::Symbol symbol = reading_.parameter(
        name, "memory " + std::to_string(place->object) + " " + std::to_string(*place->offset));
    Input input = memory_.route(*place);
    input.name = symbol.get_name();
    input.bits = static_cast<unsigned>(8 * bytes);
    if (load.getType()->isIntegerTy()) reading_.input(input);
    note_value(symbol, load);
    return symbol;
  }
  const llvm::Instruction* writer = memory_.last_writer(load, writers);
  if (writer == nullptr) {  // one of several: the same in loops that write none of it
    const llvm::Loop* scope = loops_.getLoopFor(load.getParent());
    while (scope != nullptr && !memory_.changes_in(*scope, *place, bytes, &load)) {
      scope = scope->getParentLoop();
    }
    const Expr symbol = datum(load, name, scope);
    reading_.name_scalar(GiNaC::ex_to<GiNaC::symbol>(symbol));
    return symbol;
  }
  if (const auto* by = llvm::dyn_cast<llvm::CallBase>(writer)) return written_by_call(load, *by);
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(writer);
  const llvm::Loop* around = loops_.getLoopFor(writer->getParent());
  const bool same_loop = around == nullptr || around->contains(load.getParent());
  if (store == nullptr || !same_loop || !memory_.writes_exactly(*store, *place) ||
      !counts(*store->getValueOperand()) || store->getValueOperand()->getType() != load.getType()) {
    return datum(load, name);
  }
  return of(*store->getValueOperand());
}

// The end of a std::vector from outside: its beginning and its size, v_size.
std::optional<Expr> Values::end_of_vector(const Place& place) {
  static const std::string end = "_M_finish";
  const SourceVariable variable = memory_.name(place);
  const std::int64_t stride = pointee_bytes(variable.type);
  const std::int64_t pointer = layout_.getPointerSize();
  if (!variable.name.ends_with(end) || stride == 0 || *place.offset < pointer) return std::nullopt;
  const std::string vector = variable.name.substr(0, variable.name.size() - end.size());
  const std::string object = "memory " + std::to_string(place.object) + " ";
  const std::int64_t before = *place.offset - pointer;
  const std::string key = object + std::to_string(before);
  const counting::Symbol size = reading_.parameter(vector + "size", "size of " + key);
  Input input = memory_.route(place);
  input.name = size.get_name();
  input.stride = stride;
  reading_.input(input);
  return reading_.parameter(vector + "_M_start", key) + GiNaC::numeric(stride) * size;
}

// The number that a function wrote to its argument's memory.
Expr Values::written_by_call(const llvm::LoadInst& load, const llvm::CallBase& call) {
  const auto place = memory_.place(*load.getPointerOperand());
  const std::string name = memory_.name(*place).name;
  for (unsigned a = 0; a < call.arg_size(); ++a) {
    if (!call.getArgOperand(a)->getType()->isPointerTy()) continue;
    const auto argument = memory_.place(*call.getArgOperand(a));
    if (!argument || argument->object != place->object) continue;
    if (argument->offset == place->offset) {
      if (const auto known = number_written(call, a, reading_)) return *known;
    }
  }
  const llvm::Loop* scope = loops_.getLoopFor(call.getParent());
  if (scope != nullptr) return datum(load, name);
  return reading_.parameter(name, "memory " + std::to_string(place->object) + " " +
                                      std::to_string(*place->offset) + " after " +
                                      place_of(location_of(call)));
}

}  // namespace redblue::frontend::llvm_ir
