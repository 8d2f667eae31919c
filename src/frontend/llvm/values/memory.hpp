// SPDX-License-Identifier: BSD-3-Clause
// Scalars that live in memory: globals, members, what arguments point to.
//
// Different names are different memory, as everywhere in redblue: two arguments, an argument and
// a global, two pointers loaded from different places do not overlap.
#pragma once

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/llvm/ir/names.hpp"
#include "frontend/llvm/ir/reading.hpp"
#include "frontend/llvm/values/type_aliasing.hpp"

namespace redblue::frontend::llvm_ir {

// Bytes of an object, as far as they are known.
struct Place {
  std::size_t object = 0;
  std::optional<std::int64_t> offset;
  bool operator<(const Place& other) const {
    return std::tie(object, offset) < std::tie(other.object, other.offset);
  }
};

// Some bytes of one place may be bytes of the other; 0 bytes: any number.
bool overlap(const Place& a, std::uint64_t bytes_a, const Place& b, std::uint64_t bytes_b);

class Memory {
 public:
  Memory(llvm::Function& function, const llvm::DominatorTree& dominators,
         const llvm::LoopInfo& loops);

  // Where a pointer may point to.
  std::vector<Place> places(const llvm::Value& pointer) const;
  // The only one, if its offset is known.
  std::optional<Place> place(const llvm::Value& pointer) const;

  // What the source calls a place with a known offset.
  SourceVariable name(const Place& place) const;

  // What the source calls the object as a whole: "a" for an array of which place 0 is a[0].
  const std::string& object_name(const Place& place) const {
    return objects_[place.object].variable.name;
  }

  // The global, the local variable, the call that allocates: what makes the object. Null for one
  // that is known as where a pointer leads only.
  const llvm::Value* object(const Place& place) const;

  // The object's memory holds what the caller put there: an argument's, a global's; no local
  // variable's, none that was allocated here or is reached through a pointer that changes.
  bool comes_from_outside(const Place& place) const;

  // How a caller reaches the place: an argument or a global, and offsets that lead on.
  Input route(const Place& place) const;
  // Places from which pointers to further objects are loaded.
  std::vector<Place> pointers() const;

  // Instructions that write it or may do so, as a whole or in part, by any name. `read`: not those
  // that write a number of another type than this load reads (C and C++ do not let them meet).
  std::vector<const llvm::Instruction*> writers(const Place& place, std::uint64_t bytes,
                                                const llvm::LoadInst* read = nullptr) const;

  // Some writers were left out by the types of numbers.
  bool rests_on_types() const { return rests_on_types_; }

  // Whether the place, or which memory it is, may change while the loop runs.
  bool changes_in(const llvm::Loop& loop, const Place& place, std::uint64_t bytes,
                  const llvm::LoadInst* read = nullptr) const;

  // A store to this place and no other.
  bool writes_exactly(const llvm::Instruction& writer, const Place& place) const;

  // The last writer before `load` on every path to it; null where paths differ.
  const llvm::Instruction* last_writer(const llvm::LoadInst& load,
                                       const std::vector<const llvm::Instruction*>& all) const;

 private:
  struct Object {
    const llvm::Value* value = nullptr;  // argument, global, local variable, call, pointer loaded
    std::optional<Place> loaded_from;
    SourceVariable variable;
    bool is_pointer = false;  // `variable` points to the object; else it is the object
    llvm::BitVector targets;  // a loaded pointer: the objects of this program it may lead to
  };
  struct Write {
    const llvm::Instruction* by = nullptr;
    Place place;
    std::uint64_t bytes = 0;  // 0: any
  };
  static llvm::SmallPtrSet<const llvm::BasicBlock*, 32> blocks_between(const llvm::BasicBlock& from,
                                                                       const llvm::BasicBlock& to);
  std::size_t object_of(const llvm::Value& value) const;
  std::size_t object_at(const Place& place, const llvm::LoadInst& load) const;
  void walk(const llvm::Value& pointer, std::optional<std::int64_t> offset,
            std::vector<const llvm::Value*>& seen, std::vector<Place>& found) const;
  // A pointer to the object is stored at this place.
  struct Kept {
    Place at;
    std::size_t object = 0;
  };
  struct Copy {
    Place to, from;
  };
  std::set<std::size_t> reached_from(std::set<std::size_t> objects) const;
  void note_handed();
  void add_sources(std::vector<Place>& from) const;
  bool leads_to(std::size_t pointer, std::size_t object) const;
  bool may_be_same(const Place& a, const Place& b) const;
  void note_writes(llvm::Function& function);
  void find_targets();
  bool note_stored_pointers(llvm::Function& function);
  void note_call(const llvm::CallBase& call);

  const llvm::DominatorTree& dominators_;
  const llvm::LoopInfo& loops_;
  const llvm::DataLayout& layout_;
  mutable TypeAliasing types_;
  mutable bool rests_on_types_ = false;
  mutable std::vector<Object> objects_;
  mutable std::map<const llvm::Value*, std::size_t> by_value_;
  mutable std::map<Place, std::size_t> by_place_;
  mutable std::map<const llvm::Value*, std::vector<Place>> places_;  // by pointer
  mutable std::set<const llvm::LoadInst*> open_;                     // loads that `walk` is at
  std::map<const llvm::LoadInst*, const llvm::Value*> loaded_;  // pointers: what was stored there
  std::vector<Write> writes_;
  std::vector<Kept> kept_;
  std::vector<Copy> copies_;
  std::vector<std::pair<const llvm::CallBase*, std::vector<Place>>> handed_;  // to calls
};

}  // namespace redblue::frontend::llvm_ir
