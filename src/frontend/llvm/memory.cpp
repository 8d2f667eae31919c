#include "frontend/llvm/memory.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

namespace redblue::frontend::llvm_ir {

namespace {

bool overlap(const Place& a, std::uint64_t bytes_a, const Place& b, std::uint64_t bytes_b) {
  if (a.object != b.object) return false;
  if (!a.offset || !b.offset || bytes_a == 0 || bytes_b == 0) return true;
  return *a.offset < *b.offset + static_cast<std::int64_t>(bytes_b) &&
         *b.offset < *a.offset + static_cast<std::int64_t>(bytes_a);
}

// Globals that a function defined here stores to by name, or one that it calls.
void stored_globals(const llvm::Function& function, std::vector<const llvm::Function*>& seen,
                    std::vector<const llvm::Value*>& globals) {
  if (std::find(seen.begin(), seen.end(), &function) != seen.end()) return;
  seen.push_back(&function);
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      const llvm::Value* object = llvm::getUnderlyingObject(store->getPointerOperand());
      if (llvm::isa<llvm::GlobalVariable>(object)) globals.push_back(object);
    }
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      if (const llvm::Function* callee = call->getCalledFunction()) {
        stored_globals(*callee, seen, globals);
      }
    }
  }
}

// Functions of the C library that read what their arguments point to and keep nothing.
bool only_reads(const llvm::CallBase& call, unsigned argument) {
  if (call.onlyReadsMemory(argument) || call.onlyReadsMemory()) return true;
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) return false;
  const llvm::StringRef name = callee->getName();
  return name == "printf" || name == "puts" || name == "free" || name == "atoi" ||
         name == "strlen" || (name == "fprintf" && argument > 0) ||
         name.starts_with("_FortranAio") || name.starts_with("__kmpc_") ||
         name == "_FortranAStopStatement";
}

}  // namespace

Memory::Memory(llvm::Function& function, const llvm::DominatorTree& dominators,
               const llvm::LoopInfo& loops)
    : dominators_(dominators), loops_(loops), layout_(function.getParent()->getDataLayout()) {
  // Pointers that are stored and loaded again lead to the same objects; those lead to further ones.
  constexpr int most_rounds = 6;
  for (int round = 0; round < most_rounds; ++round) {
    objects_.clear();
    by_value_.clear();
    by_place_.clear();
    places_.clear();
    writes_.clear();
    stored_.clear();
    note_writes(function);
    if (!note_stored_pointers(function)) break;
  }
}

void Memory::note_writes(llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      const std::uint64_t bytes =
          layout_.getTypeStoreSize(store->getValueOperand()->getType()).getKnownMinValue();
      for (const Place& p : places(*store->getPointerOperand())) {
        writes_.push_back({store, p, bytes});
      }
      if (!store->getValueOperand()->getType()->isPointerTy()) continue;
      for (const Place& p : places(*store->getValueOperand())) stored_.insert(p.object);
    } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      places(*load->getPointerOperand());  // so that all pointers are known
    } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      note_call(*call);
    } else if (instruction.mayWriteToMemory() && instruction.getNumOperands() > 0) {
      for (const Place& p : places(*instruction.getOperand(0))) {
        writes_.push_back({&instruction, p, 0});
      }
    }
  }
}

// True if pointers were found that were not known yet.
bool Memory::note_stored_pointers(llvm::Function& function) {
  const std::size_t before = loaded_.size();
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load == nullptr || !load->getType()->isPointerTy() || loaded_.contains(load)) continue;
    const std::uint64_t bytes = layout_.getTypeStoreSize(load->getType()).getKnownMinValue();
    const auto from = place(*load->getPointerOperand());
    if (!from || has_other_names(*from, bytes)) continue;
    const auto* store =
        llvm::dyn_cast_or_null<llvm::StoreInst>(last_writer(*load, writers(*from, bytes)));
    if (store == nullptr || store->getValueOperand()->getType() != load->getType()) continue;
    const auto to = place(*store->getPointerOperand());
    const llvm::Loop* around = loops_.getLoopFor(store->getParent());
    const bool same_loop = around == nullptr || around->contains(load->getParent());
    if (to && to->object == from->object && to->offset == from->offset && same_loop)
      loaded_[load] = store->getValueOperand();
  }
  return loaded_.size() > before;
}

void Memory::note_call(const llvm::CallBase& call) {
  if (llvm::isa<llvm::DbgInfoIntrinsic>(call)) return;
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    if (intrinsic->isAssumeLikeIntrinsic() || !intrinsic->mayWriteToMemory()) return;
  }
  for (unsigned a = 0; a < call.arg_size(); ++a) {
    const llvm::Value* argument = call.getArgOperand(a);
    if (!argument->getType()->isPointerTy() || only_reads(call, a)) continue;
    for (const Place& p : places(*argument)) {
      // What is handed over may be written from there on; the object's beginning is written by
      // functions that yield one number.
      writes_.push_back({&call, {p.object, p.offset}, 0});
    }
  }
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr || callee->isDeclaration()) return;
  std::vector<const llvm::Function*> seen;
  std::vector<const llvm::Value*> globals;
  stored_globals(*callee, seen, globals);
  for (const llvm::Value* global : globals) {
    writes_.push_back({&call, {object_of(*global), std::nullopt}, 0});
  }
}

std::size_t Memory::object_of(const llvm::Value& value) const {
  const auto [found, is_new] = by_value_.try_emplace(&value, objects_.size());
  if (is_new) {
    Object object;
    object.value = &value;
    object.variable = variable_of(value);
    object.is_pointer =
        !llvm::isa<llvm::GlobalVariable>(value) && !llvm::isa<llvm::AllocaInst>(value);
    objects_.push_back(object);
  }
  return found->second;
}

std::size_t Memory::object_at(const Place& place, const llvm::LoadInst& load) const {
  const auto [found, is_new] = by_place_.try_emplace(place, objects_.size());
  if (is_new) {
    const std::size_t at = objects_.size();
    objects_.emplace_back();
    Object object;
    object.value = &load;
    object.loaded_from = place;
    object.variable = name(place);
    object.is_pointer = true;
    objects_[at] = object;
  }
  return found->second;
}

void Memory::walk(const llvm::Value& pointer, std::optional<std::int64_t> offset,
                  std::vector<const llvm::Value*>& seen, std::vector<Place>& found) const {
  if (std::find(seen.begin(), seen.end(), &pointer) != seen.end()) return;
  if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(&pointer)) {
    llvm::APInt bytes(64, 0);
    const bool known = gep->accumulateConstantOffset(layout_, bytes);
    const auto further = known && offset ? std::optional(*offset + bytes.getSExtValue())
                                         : std::optional<std::int64_t>();
    return walk(*gep->getPointerOperand(), further, seen, found);
  }
  if (const auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(&pointer)) {
    return walk(*cast->getPointerOperand(), offset, seen, found);
  }
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&pointer)) {
    seen.push_back(&pointer);
    const bool one = phi->getNumIncomingValues() == 1;
    for (const llvm::Value* value : phi->incoming_values()) {
      walk(*value, one ? offset : std::nullopt, seen, found);
    }
    return;
  }
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&pointer)) {
    seen.push_back(&pointer);
    walk(*select->getTrueValue(), offset, seen, found);
    walk(*select->getFalseValue(), offset, seen, found);
    return;
  }
  std::size_t object = 0;
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&pointer);
  if (const auto stored = loaded_.find(load); load != nullptr && stored != loaded_.end()) {
    seen.push_back(&pointer);
    return walk(*stored->second, offset, seen, found);
  }
  // A pointer that is loaded from where it pointed before (q = q->next) is one of its own.
  std::optional<Place> from;
  if (load != nullptr && open_.insert(load).second) {
    from = place(*load->getPointerOperand());
    open_.erase(load);
  }
  if (from) {
    object = object_at(*from, *load);
  } else {
    object = object_of(pointer);
  }
  found.push_back({object, offset});
}

std::vector<Place> Memory::places(const llvm::Value& pointer) const {
  if (const auto known = places_.find(&pointer); known != places_.end()) return known->second;
  std::vector<const llvm::Value*> seen;
  std::vector<Place> found;
  walk(pointer, 0, seen, found);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end(),
                          [](const Place& a, const Place& b) { return !(a < b) && !(b < a); }),
              found.end());
  if (open_.empty()) places_[&pointer] = found;
  return found;
}

std::optional<Place> Memory::place(const llvm::Value& pointer) const {
  const std::vector<Place> all = places(pointer);
  if (all.size() != 1 || !all.front().offset) return std::nullopt;
  return all.front();
}

SourceVariable Memory::name(const Place& place) const {
  const Object& object = objects_[place.object];
  return object.is_pointer ? pointee(object.variable, *place.offset)
                           : part(object.variable, *place.offset);
}

bool Memory::comes_from_outside(const Place& place) const {
  const Object& object = objects_[place.object];
  if (object.loaded_from) {
    return comes_from_outside(*object.loaded_from) &&
           writers(*object.loaded_from, layout_.getPointerSize()).empty();
  }
  return llvm::isa<llvm::Argument>(object.value) || llvm::isa<llvm::GlobalVariable>(object.value);
}

Input Memory::route(const Place& place) const {
  const Object& object = objects_[place.object];
  Input input;
  if (object.loaded_from) {
    input = route(*object.loaded_from);
  } else if (const auto* argument = llvm::dyn_cast<llvm::Argument>(object.value)) {
    input.argument = argument->getArgNo();
  } else {
    input.global = object.value->getName().str();
  }
  input.offsets.push_back(*place.offset);
  return input;
}

std::vector<Place> Memory::pointers() const {
  std::vector<Place> found;
  for (const Object& object : objects_) {
    if (object.loaded_from && comes_from_outside(*object.loaded_from) &&
        writers(*object.loaded_from, layout_.getPointerSize()).empty()) {
      found.push_back(*object.loaded_from);
    }
  }
  return found;
}

std::vector<const llvm::Instruction*> Memory::writers(const Place& place,
                                                      std::uint64_t bytes) const {
  std::vector<const llvm::Instruction*> found;
  for (const Write& write : writes_) {
    const bool known_call_start = llvm::isa<llvm::CallBase>(write.by) && write.place.offset &&
                                  place.offset && *place.offset < *write.place.offset;
    if (known_call_start) continue;
    if (overlap(write.place, write.bytes, place, bytes)) found.push_back(write.by);
  }
  return found;
}

bool Memory::has_other_names(const Place& place, std::uint64_t bytes) const {
  if (stored_.count(place.object) == 0) return false;
  return std::any_of(writes_.begin(), writes_.end(), [&](const Write& write) {
    const Object& object = objects_[write.place.object];
    const bool is_loaded = object.loaded_from || llvm::isa<llvm::LoadInst>(object.value);
    return is_loaded && write.place.object != place.object &&
           overlap({place.object, write.place.offset}, write.bytes, place, bytes);
  });
}

const llvm::Instruction* Memory::last_writer(
    const llvm::LoadInst& load, const std::vector<const llvm::Instruction*>& all) const {
  const llvm::Instruction* last = nullptr;
  for (const llvm::Instruction* writer : all) {
    if (!dominators_.dominates(writer, &load)) continue;
    if (last == nullptr || dominators_.dominates(last, writer)) last = writer;
  }
  if (last == nullptr) return nullptr;
  for (const llvm::Instruction* writer : all) {
    const llvm::BasicBlock* block = last->getParent();
    if (writer == last || writer->getParent() == block || load.getParent() == block) continue;
    llvm::SmallPtrSet<llvm::BasicBlock*, 4> without{const_cast<llvm::BasicBlock*>(block)};
    if (llvm::isPotentiallyReachable(writer, &load, &without, &dominators_)) return nullptr;
  }
  return last;
}

}  // namespace redblue::frontend::llvm_ir
