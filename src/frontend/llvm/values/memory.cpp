// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/values/memory.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

namespace redblue::frontend::llvm_ir {

bool overlap(const Place& a, std::uint64_t bytes_a, const Place& b, std::uint64_t bytes_b) {
  if (a.object != b.object) return false;
  if (!a.offset || !b.offset || bytes_a == 0 || bytes_b == 0) return true;
  return *a.offset < *b.offset + static_cast<std::int64_t>(bytes_b) &&
         *b.offset < *a.offset + static_cast<std::int64_t>(bytes_a);
}

Memory::Memory(llvm::Function& function, const llvm::DominatorTree& dominators,
               const llvm::LoopInfo& loops)
    : dominators_(dominators),
      loops_(loops),
      layout_(function.getParent()->getDataLayout()),
      types_(*function.getParent()) {
  // Pointers that are stored and loaded again lead to the same objects; those lead to further ones.
  constexpr int most_rounds = 6;
  for (int round = 0; round < most_rounds; ++round) {
    objects_.clear();
    by_value_.clear();
    by_place_.clear();
    places_.clear();
    writes_.clear();
    kept_.clear();
    copies_.clear();
    handed_.clear();
    note_writes(function);
    note_handed();
    find_targets();
    if (!note_stored_pointers(function)) break;
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

const llvm::Value* Memory::object(const Place& place) const {
  const Object& object = objects_[place.object];
  return object.loaded_from ? nullptr : object.value;
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

std::vector<const llvm::Instruction*> Memory::writers(const Place& place, std::uint64_t bytes,
                                                      const llvm::LoadInst* read) const {
  std::vector<const llvm::Instruction*> found;
  for (const Write& write : writes_) {
    const bool known_call_start = llvm::isa<llvm::CallBase>(write.by) && write.place.offset &&
                                  place.offset && *place.offset < *write.place.offset;
    if (known_call_start) continue;
    const bool other_name = leads_to(write.place.object, place.object);
    const Place written{other_name ? place.object : write.place.object, write.place.offset};
    if (!overlap(written, write.bytes, place, bytes)) continue;
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(write.by);
    if (read != nullptr && store != nullptr && types_.apart(*store, *read)) {
      rests_on_types_ = true;
      continue;
    }
    found.push_back(write.by);
  }
  return found;
}

bool Memory::leads_to(std::size_t pointer, std::size_t object) const {
  const llvm::BitVector& targets = objects_[pointer].targets;
  return object < targets.size() && targets.test(static_cast<unsigned>(object));
}

bool Memory::changes_in(const llvm::Loop& loop, const Place& place, std::uint64_t bytes,
                        const llvm::LoadInst* read) const {
  for (const llvm::Instruction* writer : writers(place, bytes, read)) {
    if (loop.contains(writer->getParent())) return true;
  }
  const Object& object = objects_[place.object];
  if (object.loaded_from) {
    return changes_in(loop, *object.loaded_from, layout_.getPointerSize(),
                      llvm::dyn_cast<llvm::LoadInst>(object.value));
  }
  const auto* made = llvm::dyn_cast<llvm::Instruction>(object.value);
  return made != nullptr && loop.contains(made->getParent());
}

bool Memory::writes_exactly(const llvm::Instruction& writer, const Place& place) const {
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&writer);
  if (store == nullptr) return false;
  const auto to = this->place(*store->getPointerOperand());
  return to && to->object == place.object && to->offset == place.offset;
}

const llvm::Instruction* Memory::last_writer(
    const llvm::LoadInst& load, const std::vector<const llvm::Instruction*>& all) const {
  const llvm::Instruction* last = nullptr;
  for (const llvm::Instruction* writer : all) {
    if (!dominators_.dominates(writer, &load)) continue;
    if (last == nullptr || dominators_.dominates(last, writer)) last = writer;
  }
  if (last == nullptr || all.size() == 1 || load.getParent() == last->getParent()) return last;
  const auto behind = blocks_between(*last->getParent(), *load.getParent());
  const bool others = std::any_of(all.begin(), all.end(), [&behind](const auto* writer) {
    return behind.contains(writer->getParent());
  });
  return others ? nullptr : last;
}

// The blocks on ways from the end of `from` to the beginning of `to` that do not pass `from` again.
llvm::SmallPtrSet<const llvm::BasicBlock*, 32> Memory::blocks_between(const llvm::BasicBlock& from,
                                                                      const llvm::BasicBlock& to) {
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> found;
  std::vector<const llvm::BasicBlock*> open{&to};
  while (!open.empty()) {
    const llvm::BasicBlock* block = open.back();
    open.pop_back();
    for (const llvm::BasicBlock* before : llvm::predecessors(block)) {
      if (before != &from && found.insert(before).second) open.push_back(before);
    }
  }
  return found;
}

}  // namespace redblue::frontend::llvm_ir
