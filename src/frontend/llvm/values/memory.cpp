#include "frontend/llvm/values/memory.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <array>

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

bool leads_somewhere(const llvm::Value& pointer) {
  return !llvm::isa<llvm::ConstantPointerNull>(pointer) && !llvm::isa<llvm::UndefValue>(pointer);
}

// Whether the function, or one that it calls, may store a pointer it was given.
bool keeps_pointers(const llvm::Function& function, std::vector<const llvm::Function*>& seen) {
  if (std::find(seen.begin(), seen.end(), &function) != seen.end()) return false;
  seen.push_back(&function);
  if (function.isDeclaration()) {
    static constexpr std::array none{
        "free",      "str",    "MPI_",          "mpi_",         "__isoc99_", "printf",
        "fprintf",   "puts",   "sprintf",       "snprintf",     "fputs",     "fgets",
        "fread",     "fwrite", "fflush",        "fclose",       "fopen",     "qsort",
        "exit",      "abort",  "__assert_fail", "gettimeofday", "time",      "ctime",
        "localtime", "atoi",   "omp_",          "__kmpc_",      "_Fortran"};
    return std::none_of(none.begin(), none.end(),
                        [&](const char* name) { return function.getName().starts_with(name); });
  }
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      const llvm::Value* stored = store->getValueOperand();
      const bool local =
          llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(store->getPointerOperand()));
      if (stored->getType()->isPointerTy() && !llvm::isa<llvm::ConstantPointerNull>(stored) &&
          !local) {
        return true;
      }
    }
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || llvm::isa<llvm::IntrinsicInst>(call)) continue;
    const llvm::Function* callee = call->getCalledFunction();
    if (callee == nullptr || keeps_pointers(*callee, seen)) return true;
  }
  return false;
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
    kept_.clear();
    copies_.clear();
    handed_.clear();
    note_writes(function);
    note_handed();
    find_targets();
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
      for (const Place& at : places(*store->getPointerOperand())) {
        for (const Place& p : places(*store->getValueOperand())) {
          if (leads_somewhere(*objects_[p.object].value)) kept_.push_back({at, p.object});
        }
      }
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
    if (!from) continue;
    const auto* store =
        llvm::dyn_cast_or_null<llvm::StoreInst>(last_writer(*load, writers(*from, bytes)));
    if (store == nullptr || store->getValueOperand()->getType() != load->getType()) continue;
    const llvm::Loop* around = loops_.getLoopFor(store->getParent());
    const bool same_loop = around == nullptr || around->contains(load->getParent());
    if (writes_exactly(*store, *from) && same_loop) loaded_[load] = store->getValueOperand();
  }
  return loaded_.size() > before;
}

void Memory::note_call(const llvm::CallBase& call) {
  if (llvm::isa<llvm::DbgInfoIntrinsic>(call)) return;
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    if (intrinsic->isAssumeLikeIntrinsic() || !intrinsic->mayWriteToMemory()) return;
  }
  if (const auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(&call)) {
    for (const Place& to : places(*transfer->getRawDest())) {
      for (const Place& from : places(*transfer->getRawSource())) {
        copies_.push_back({{to.object, std::nullopt}, from});
      }
    }
  }
  std::vector<Place> handed;
  for (unsigned a = 0; a < call.arg_size(); ++a) {
    const llvm::Value* argument = call.getArgOperand(a);
    if (!argument->getType()->isPointerTy() || only_reads(call, a)) continue;
    for (const Place& p : places(*argument)) {
      // What is handed over may be written from there on; the object's beginning is written by
      // functions that yield one number.
      writes_.push_back({&call, {p.object, p.offset}, 0});
      handed.push_back(p);
    }
  }
  const llvm::Function* callee = call.getCalledFunction();
  if (callee != nullptr && !callee->isDeclaration()) {
    std::vector<const llvm::Function*> seen;
    std::vector<const llvm::Value*> globals;
    stored_globals(*callee, seen, globals);
    for (const llvm::Value* global : globals) handed.push_back({object_of(*global), std::nullopt});
  }
  if (!handed.empty() && !llvm::isa<llvm::IntrinsicInst>(call)) handed_.emplace_back(&call, handed);
}

// All objects that pointers in the memory of these lead to, with them.
std::set<std::size_t> Memory::reached_from(std::set<std::size_t> objects) const {
  for (bool more = true; more;) {
    const std::size_t before = objects.size();
    for (const Kept& kept : kept_) {
      if (objects.contains(kept.at.object)) objects.insert(kept.object);
    }
    for (std::size_t k = 0; k < objects_.size(); ++k) {
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(objects_[k].value);
      if (load == nullptr || objects.contains(k)) continue;
      for (const Place& from : places(*load->getPointerOperand())) {
        if (objects.contains(from.object)) objects.insert(k);
      }
    }
    more = objects.size() != before;
  }
  return objects;
}

// A function may store each pointer it is given behind each other one. One of this program, which
// is not taken in, may write all that they lead to.
void Memory::note_handed() {
  for (const auto& [call, handed] : handed_) {
    std::set<std::size_t> objects;
    for (const Place& place : handed) objects.insert(place.object);
    const llvm::Function* callee = call->getCalledFunction();
    const bool is_ours = callee == nullptr || !callee->isDeclaration();
    if (is_ours) {
      for (const std::size_t object : objects = reached_from(objects)) {
        writes_.push_back({call, {object, std::nullopt}, 0});
      }
    }
    std::vector<const llvm::Function*> seen;
    if (callee != nullptr && !keeps_pointers(*callee, seen)) continue;
    for (const std::size_t at : objects) {
      for (const std::size_t object : objects) kept_.push_back({{at, std::nullopt}, object});
    }
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
    const bool other_name = leads_to(write.place.object, place.object);
    const Place written{other_name ? place.object : write.place.object, write.place.offset};
    if (overlap(written, write.bytes, place, bytes)) found.push_back(write.by);
  }
  return found;
}

bool Memory::leads_to(std::size_t pointer, std::size_t object) const {
  const llvm::BitVector& targets = objects_[pointer].targets;
  return object < targets.size() && targets.test(static_cast<unsigned>(object));
}

// Both may be one place of memory: the same object's, or objects that loaded pointers lead to.
bool Memory::may_be_same(const Place& a, const Place& b) const {
  const std::uint64_t bytes = layout_.getPointerSize();
  if (!overlap({0, a.offset}, bytes, {0, b.offset}, bytes)) return false;
  return a.object == b.object || leads_to(a.object, b.object) || leads_to(b.object, a.object) ||
         objects_[a.object].targets.anyCommon(objects_[b.object].targets);
}

// Where a pointer loaded from `from` was stored: there, or where it was copied from.
void Memory::add_sources(std::vector<Place>& from) const {
  for (std::size_t k = 0; k < from.size(); ++k) {
    for (const Copy& copy : copies_) {
      const bool known = std::any_of(from.begin(), from.end(), [&copy](const Place& place) {
        return place.object == copy.from.object && !place.offset;
      });
      if (!known && may_be_same(copy.to, from[k])) from.push_back({copy.from.object, std::nullopt});
    }
  }
}

// What loaded pointers lead to: what the program stores where they are loaded from.
void Memory::find_targets() {
  std::vector<std::pair<std::size_t, std::vector<Place>>> loads;
  for (std::size_t k = 0; k < objects_.size(); ++k) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(objects_[k].value);
    if (load != nullptr) loads.emplace_back(k, places(*load->getPointerOperand()));
  }
  const auto number = [](std::size_t object) { return static_cast<unsigned>(object); };
  for (Object& object : objects_) object.targets.resize(number(objects_.size()));
  for (bool more = true; more;) {
    more = false;
    for (auto& [object, from] : loads) {
      add_sources(from);
      llvm::BitVector& targets = objects_[object].targets;
      const unsigned before = targets.count();
      for (const Kept& kept : kept_) {
        const bool found = std::any_of(from.begin(), from.end(), [&](const Place& place) {
          return may_be_same(kept.at, place);
        });
        if (!found) continue;
        targets.set(number(kept.object));
        targets |= objects_[kept.object].targets;
      }
      more = more || targets.count() != before;
    }
  }
}

bool Memory::changes_in(const llvm::Loop& loop, const Place& place, std::uint64_t bytes) const {
  for (const llvm::Instruction* writer : writers(place, bytes)) {
    if (loop.contains(writer->getParent())) return true;
  }
  const Object& object = objects_[place.object];
  if (object.loaded_from) return changes_in(loop, *object.loaded_from, layout_.getPointerSize());
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
