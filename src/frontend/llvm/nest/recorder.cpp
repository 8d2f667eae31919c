// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/nest/recorder.hpp"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "frontend/llvm/nest/calls.hpp"
#include "redblue/error.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

using counting::Body;
using counting::Expr;
using counting::Symbol;

// A Fortran descriptor: address, length of an element, version, four bytes, then for each dimension
// its lower bound, extent and stride in bytes.
constexpr std::int64_t first_dimension = 24, dimension_bytes = 24, extent_at = 8, stride_at = 16;
constexpr int most_dimensions = 15;

Piece words(const std::string& text) {
  return {Piece::Kind::words, text};
}

// The pointer that an address is counted from: an argument, a variable, what an allocation yields
// or what is loaded from memory.
const llvm::Value& origin(const llvm::Value& pointer) {
  const llvm::Value* at = &pointer;
  std::set<const llvm::Value*> seen;
  while (seen.insert(at).second) {
    if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(at)) {
      at = gep->getPointerOperand();
    } else if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(at)) {
      const llvm::Value* next = at;
      for (const llvm::Value* value : phi->incoming_values()) {
        if (next == at && seen.count(value) == 0) next = value;
      }
      at = next;
    } else {
      break;
    }
  }
  return *at;
}

// "a" for _QFEa and _QMmoduleEa, as flang calls variables without debug information.
std::string in_source(const std::string& name) {
  const std::size_t at = name.rfind('E');
  return name.starts_with("_Q") && at != std::string::npos ? name.substr(at + 1) : name;
}

bool is_local(const llvm::Value& origin) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&origin);
  return llvm::isa<llvm::AllocaInst>(origin) || call != nullptr;
}

// The instructions of `used` that nothing but others of them and `end` use, in the end.
std::set<const llvm::Instruction*> only_for(const std::set<const llvm::Instruction*>& used,
                                            const llvm::Instruction& end) {
  std::set<const llvm::Instruction*> left = used;
  for (bool again = true; again;) {
    again = std::erase_if(left, [&](const llvm::Instruction* one) {
              return std::any_of(one->user_begin(), one->user_end(), [&](const llvm::User* user) {
                const auto* by = llvm::dyn_cast<llvm::Instruction>(user);
                return by != &end && left.count(by) == 0;
              });
            }) > 0;
  }
  return left;
}

// The instructions of the block that a value is made of.
void gather(const llvm::Value& value, const llvm::BasicBlock& block,
            std::set<const llvm::Instruction*>& used) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (instruction == nullptr || instruction->getParent() != &block) return;
  if (llvm::isa<llvm::PHINode>(instruction) || !used.insert(instruction).second) return;
  if (llvm::isa<llvm::LoadInst>(instruction)) return;
  for (const llvm::Value* operand : instruction->operands()) gather(*operand, block, used);
}

bool is_pair(const llvm::Type& type) {
  const auto* pair = llvm::dyn_cast<llvm::StructType>(&type);
  return pair != nullptr && pair->getNumElements() == 2 &&
         pair->getElementType(0)->isFloatingPointTy();
}

bool is_datum_type(const llvm::Type& type) {
  return type.isFloatingPointTy() || is_pair(type) || type.isIntegerTy();
}

}  // namespace

void refuse(const llvm::Instruction& at, const std::string& found, const std::string& remedy) {
  throw Error(place_of(location_of(at)), found, remedy);
}

Recorder::Recorder(llvm::Function& function, Reading& reading)
    : function_(function), reading_(reading) {}

// Of memory that is allocated: what keeps its address.
std::string Recorder::name_of_allocated(const llvm::Value& from) const {
  for (const llvm::User* user : from.users()) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (store == nullptr || store->getValueOperand() != &from) continue;
    const auto place = values_->memory().place(*store->getPointerOperand());
    const std::string name = place ? values_->memory().object_name(*place) : "";
    if (!name.empty() && !name.starts_with(".")) return in_source(name);
  }
  return "temporary";
}

// Descriptors, by loads from one place and from those behind it; and which objects are arrays.
void Recorder::look_around(Values& values) {
  looked_around_ = true;
  const llvm::DISubprogram* source = function_.getSubprogram();
  const bool is_fortran = source != nullptr && source->getUnit() != nullptr &&
                          llvm::dwarf::isFortran(static_cast<llvm::dwarf::SourceLanguage>(
                              source->getUnit()->getSourceLanguage()));
  std::map<std::size_t, std::map<std::int64_t, Symbol>> numbers, pointers;  // by object, offset
  for (const llvm::Instruction& instruction : llvm::instructions(function_)) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (load == nullptr && store == nullptr) continue;
    const llvm::Value& pointer = *llvm::getPointerOperand(&instruction);
    for (const Place& place : values.memory().places(pointer)) {
      if (!place.offset) arrays_.insert(place.object);
    }
    const auto place = values.memory().place(pointer);
    if (load == nullptr || !place || !Values::counts(*load)) continue;
    const Expr value = values.of(*load);
    if (!GiNaC::is_a<Symbol>(value)) continue;
    auto& of_kind = load->getType()->isPointerTy() ? pointers : numbers;
    of_kind[place->object].emplace(*place->offset, GiNaC::ex_to<Symbol>(value));
  }
  if (!is_fortran) return;
  for (const auto& [object, at] : pointers) {
    for (const auto& [begin, base] : at) {
      Descriptor& described = described_[base.get_name()];
      for (int d = 0; d < most_dimensions; ++d) {
        const std::int64_t from = begin + first_dimension + d * dimension_bytes;
        const auto& all = numbers[object];
        if (all.count(from) != 0) described.lows.emplace(d, all.at(from));
        if (all.count(from + extent_at) != 0)
          described.extents.emplace(d, all.at(from + extent_at));
        if (all.count(from + stride_at) != 0)
          described.strides.emplace(d, all.at(from + stride_at));
      }
    }
  }
}

bool Recorder::has_data(const Expr& formula) const {
  return symbolic::any_symbol(formula, [this](const Symbol& symbol) {
    return reading_.is_datum(symbol) && reading_.scope_of(symbol) != nullptr;
  });
}

void Recorder::add(const llvm::Instruction& at, bool is_condition, Pieces pieces, Body& out) {
  const counting::Location place = location_of(at);
  counting::Statement statement;
  statement.at = place;
  statement.name = std::to_string(lines_.size());
  lines_.push_back({place.line, is_condition, std::move(pieces)});
  out.push_back({statement});
}

std::size_t Recorder::memory_of(const llvm::Value& pointer, const llvm::Instruction& at) {
  const llvm::Value& from = origin(pointer);
  const Expr base = values_->of(from);
  if (!GiNaC::is_a<Symbol>(base))
    refuse(at, "an address that is computed is read", "name arrays and their elements");
  const Symbol symbol = GiNaC::ex_to<Symbol>(base);
  const auto known = by_base_.find(symbol.get_name());
  if (known != by_base_.end()) return known->second;
  const auto places = values_->memory().places(from);
  const std::string known_as =
      places.size() == 1 ? values_->memory().object_name(places.front()) : "";
  NamedMemory memory;
  memory.base = symbol;
  const auto described = described_.find(symbol.get_name());
  if (described != described_.end()) memory.described = described->second;
  if (!memory.described.strides.empty()) memory.is_variable = false;
  memory.is_local = is_local(from);
  const bool is_named = !known_as.empty() && !known_as.starts_with(".");
  const llvm::Value* object =
      places.size() == 1 ? values_->memory().object(places.front()) : nullptr;
  memory.name = is_named            ? in_source(known_as)
                : object != nullptr ? name_of_allocated(*object)
                                    : "temporary";
  if (!memory.described.strides.empty() && memory.name.ends_with("_0"))
    memory.name.resize(memory.name.size() - 2);
  by_base_[symbol.get_name()] = memories_.size();
  memories_.push_back(memory);
  return memories_.size() - 1;
}

void Recorder::element(const llvm::Value& pointer, const llvm::Type& type, bool written,
                       Pieces& out) {
  const auto* at = llvm::dyn_cast<llvm::Instruction>(&pointer);
  const llvm::Instruction& place = at != nullptr ? *at : *function_.getEntryBlock().getTerminator();
  const std::size_t index = memory_of(pointer, place);
  const Expr address = values_->of(pointer);
  NamedMemory& memory = memories_[index];
  if (has_data((address - memory.base).expand()))
    refuse(place, "a subscript of '" + memory.name + "' depends on data",
           "redblue reads subscripts that are sums of loop variables and sizes");
  memory.is_written = memory.is_written || written;
  memory.is_integer = type.isIntegerTy();
  memory.is_variable = memory.is_variable && (address - memory.base).expand().is_zero();
  const auto bytes = static_cast<std::int64_t>(
      function_.getParent()->getDataLayout().getTypeStoreSize(const_cast<llvm::Type*>(&type)));
  out.push_back({Piece::Kind::element, {}, address, index, bytes});
}

// The load's value gets a name, as memory changes before it is used.
void Recorder::keep(const llvm::LoadInst& load, Body& out) {
  const std::string name = "v" + std::to_string(++count_) + "_";
  const std::string type = load.getType()->isIntegerTy() ? "long " : "double ";
  Pieces line{words(type + name + " = ")};
  element(*load.getPointerOperand(), *load.getType(), false, line);
  line.push_back(words(";"));
  kept_[&load] = name;
  add(load, false, line, out);
}

// What arithmetic yields gets a name, as several places use it.
void Recorder::keep_value(const llvm::Instruction& value, Body& out) {
  const bool is_data = value.getType()->isIntegerTy()
                           ? !value.getType()->isIntegerTy(1) && has_data(values_->of(value))
                           : is_datum_type(*value.getType());
  if (!is_data || llvm::isa<llvm::LoadInst>(value) || llvm::isa<llvm::PHINode>(value) ||
      llvm::isa<llvm::PtrToIntInst>(value))
    return;
  if (!fresh_.insert(&value).second) return;
  const std::string name = "v" + std::to_string(++count_) + "_";
  Pieces line{words((value.getType()->isIntegerTy() ? "long " : "double ") + name + " = ")};
  kept_.erase(&value);
  operation(value, line);
  line.push_back(words(";"));
  kept_[&value] = name;
  add(value, false, line, out);
}

void Recorder::keep_others(const std::set<const llvm::Instruction*>& used, Body& out) {
  for (const llvm::LoadInst* load : open_) {
    if (used.count(load) == 0 && load->getNumUses() > 0) keep(*load, out);
  }
  open_.clear();
}

// Numbers that loops are steered by, and descriptors: formulas know them.
bool Recorder::is_steering(const llvm::StoreInst& store) {
  const llvm::Type& type = *store.getValueOperand()->getType();
  if (!is_datum_type(type)) return true;
  if (!type.isIntegerTy()) return false;
  const auto place = values_->memory().place(*store.getPointerOperand());
  return place && arrays_.count(place->object) == 0;
}

void Recorder::store(const llvm::StoreInst& store, Body& out) {
  if (is_steering(store)) return;
  std::set<const llvm::Instruction*> used;
  gather(*store.getValueOperand(), *store.getParent(), used);
  keep_others(only_for(used, store), out);
  for (const llvm::Instruction& one : *store.getParent()) {
    if (used.count(&one) != 0 && one.getNumUses() > 1) keep_value(one, out);
  }
  Pieces line;
  element(*store.getPointerOperand(), *store.getValueOperand()->getType(), true, line);
  line.push_back(words(" = "));
  expression(*store.getValueOperand(), line);
  line.push_back(words(";"));
  add(store, false, line, out);
}

void Recorder::read(const llvm::BasicBlock& block, Values& values, Body& out) {
  values_ = &values;
  if (!looked_around_) look_around(values);
  open_.clear();
  fresh_.clear();
  for (const llvm::Instruction& instruction : block) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    const auto* called = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (load != nullptr && is_datum_type(*load->getType())) {
      const bool known = load->getType()->isIntegerTy() && !has_data(values.of(*load));
      if (!known) open_.push_back(load);
    } else if (const auto* stored = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      store(*stored, out);
    } else if (called != nullptr) {
      expect_harmless(*called, reading_);
    }
  }
  end_of_block(block, out);
}

// Names for what other blocks use, and the condition of the branch at the end.
void Recorder::end_of_block(const llvm::BasicBlock& block, Body& out) {
  const auto is_used_elsewhere = [&](const llvm::Instruction& value) {
    return std::any_of(value.user_begin(), value.user_end(), [&](const llvm::User* user) {
      const auto* by = llvm::dyn_cast<llvm::Instruction>(user);
      return by != nullptr && by->getParent() != &block;
    });
  };
  const auto* end = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  std::set<const llvm::Instruction*> used, inside;
  const bool has_condition = end != nullptr && end->isConditional();
  if (has_condition) gather(*end->getCondition(), block, used);
  for (const llvm::LoadInst* load : open_) {
    if (!is_used_elsewhere(*load)) inside.insert(load);
  }
  keep_others(inside, out);
  for (const llvm::Instruction& one : block) {
    const bool is_shared = used.count(&one) != 0 && one.getNumUses() > 1;
    if (is_shared || is_used_elsewhere(one)) keep_value(one, out);
  }
  if (!has_condition || used.empty()) return;
  Pieces line;
  expression(*end->getCondition(), line);
  add(*end, true, line, out);
}

}  // namespace redblue::frontend::llvm_ir
