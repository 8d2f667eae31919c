// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/ir/names.hpp"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <filesystem>

namespace redblue::frontend::llvm_ir {

namespace {

int inlined_times(const llvm::DbgVariableRecord& record) {
  int times = 0;
  for (const llvm::DILocation* at = record.getDebugLoc().getInlinedAt(); at != nullptr;
       at = at->getInlinedAt()) {
    ++times;
  }
  return times;
}

// The variable that this value is, or that lives in this memory. A value that was handed to an
// inlined function is called what its caller calls it.
const llvm::DILocalVariable* declared_at(const llvm::Value& memory) {
  auto* value = const_cast<llvm::Value*>(&memory);  // LLVM's search takes no const
  llvm::SmallVector<llvm::DbgValueInst*> none;
  llvm::SmallVector<llvm::DbgVariableRecord*> records;
  llvm::findDbgValues(none, value, &records);
  for (llvm::DbgVariableRecord* record : llvm::findDVRDeclares(value)) records.push_back(record);
  // An argument keeps its name where its value begins other variables, too.
  const auto rank = [&](const llvm::DbgVariableRecord& record) {
    const bool own = llvm::isa<llvm::Argument>(memory) && record.getVariable()->isParameter();
    const bool by_compiler = record.getVariable()->getName().starts_with(".");
    return 2 * inlined_times(record) + (own ? 0 : 1) + (by_compiler ? 1000 : 0);
  };
  const auto outermost =
      std::min_element(records.begin(), records.end(),
                       [&](const auto* a, const auto* b) { return rank(*a) < rank(*b); });
  return outermost == records.end() ? nullptr : (*outermost)->getVariable();
}

// Arguments that the compiler stores into a local variable first.
const llvm::DILocalVariable* stored_to(const llvm::Argument& argument) {
  for (const llvm::User* user : argument.users()) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (store == nullptr || store->getValueOperand() != &argument) continue;
    if (const auto* variable = declared_at(*store->getPointerOperand())) return variable;
  }
  return nullptr;
}

const llvm::DIType* without_qualifiers(const llvm::DIType* type) {
  while (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
    const unsigned tag = derived->getTag();
    if (tag != llvm::dwarf::DW_TAG_typedef && tag != llvm::dwarf::DW_TAG_const_type &&
        tag != llvm::dwarf::DW_TAG_volatile_type && tag != llvm::dwarf::DW_TAG_restrict_type &&
        tag != llvm::dwarf::DW_TAG_atomic_type) {
      break;
    }
    type = derived->getBaseType();
  }
  return type;
}

bool is_pointer(const llvm::DIType* type) {
  const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type);
  if (derived == nullptr) return false;
  const unsigned tag = derived->getTag();
  return tag == llvm::dwarf::DW_TAG_pointer_type || tag == llvm::dwarf::DW_TAG_reference_type ||
         tag == llvm::dwarf::DW_TAG_rvalue_reference_type;
}

// Base classes have no size of their own.
std::int64_t bytes_of(const llvm::DIDerivedType& field) {
  const llvm::DIType* type =
      field.getSizeInBits() > 0 ? &field : without_qualifiers(field.getBaseType());
  return type == nullptr ? 0 : static_cast<std::int64_t>(type->getSizeInBits() / 8);
}

bool is_empty_class(const llvm::DIDerivedType& field) {
  const auto* type =
      llvm::dyn_cast_or_null<llvm::DICompositeType>(without_qualifiers(field.getBaseType()));
  return field.getTag() == llvm::dwarf::DW_TAG_inheritance && type != nullptr &&
         type->getSizeInBits() <= 8;
}

SourceVariable member(const SourceVariable& object, const llvm::DICompositeType& type,
                      std::int64_t offset) {
  for (const llvm::DINode* element : type.getElements()) {
    const auto* field = llvm::dyn_cast<llvm::DIDerivedType>(element);
    if (field == nullptr || field->isStaticMember()) continue;
    const auto begin = static_cast<std::int64_t>(field->getOffsetInBits() / 8);
    if (is_empty_class(*field) || offset < begin || offset >= begin + bytes_of(*field)) continue;
    // Base classes, and a class of the library that only holds the others, are not named.
    const bool unnamed =
        field->getTag() == llvm::dwarf::DW_TAG_inheritance || field->getName() == "_M_impl";
    const std::string name = unnamed ? object.name : object.name + "_" + field->getName().str();
    return part({name, field->getBaseType()}, offset - begin);
  }
  return {object.name + "_" + std::to_string(offset), nullptr};
}

const llvm::DILocation* scope_location(const llvm::Instruction& instruction) {
  return instruction.getDebugLoc().get();
}

// A function's name without what compilers add to it: the parameters' types, the part that threads
// of OpenMP run ("conj_grad" for "conj_grad_..omp_par.2", "rank" for "_Z4ranki.omp_outlined").
std::string without_additions(llvm::StringRef name) {
  const std::size_t part = std::min(name.find(".omp_outlined"), name.find("..omp_par"));
  name = name.substr(0, part);
  if (part != llvm::StringRef::npos) name.consume_back("_");
  std::string plain = llvm::demangle(name);
  plain = plain.substr(0, plain.find('('));
  plain = plain.substr(0, plain.find('<'));
  return plain == fortran_main ? "main" : plain;
}

counting::Location location(const llvm::DILocation* at, const llvm::Function& function) {
  counting::Location found;
  found.function = source_name(function);
  if (at == nullptr) return found;
  if (const auto* scope = at->getScope()->getSubprogram()) {
    const std::string name = without_additions(scope->getName());
    if (!name.empty()) found.function = name;
  }
  found.function = without_additions(found.function);
  found.file = std::filesystem::path(at->getFilename().str()).lexically_normal().string();
  found.line = static_cast<int>(at->getLine());
  return found;
}

}  // namespace

void name_variables(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (!llvm::isa<llvm::AllocaInst>(instruction)) continue;
      if (const auto* variable = declared_at(instruction)) instruction.setName(variable->getName());
    }
    for (llvm::Argument& argument : function.args()) {
      const auto* variable = declared_at(argument);
      if (variable == nullptr) variable = stored_to(argument);
      if (variable != nullptr) argument.setName(variable->getName());
    }
  }
}

std::string plain_name(const llvm::Value& value) {
  if (const auto* variable = declared_at(value)) return variable->getName().str();
  const std::string name = value.getName().str();
  return name.substr(0, name.find('.'));
}

std::string stored_name(const llvm::Value& value) {
  if (!value.hasOneUse()) return {};
  const llvm::User* user = value.user_back();
  if (llvm::isa<llvm::CastInst>(user)) {
    const std::string name = plain_name(*user);
    return name.empty() ? stored_name(*user) : name;
  }
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
  if (store == nullptr || store->getValueOperand() != &value) return {};
  return variable_of(*store->getPointerOperand()).name;
}

std::string source_name(const llvm::Function& function) {
  const llvm::DISubprogram* subprogram = function.getSubprogram();
  const bool is_named = subprogram != nullptr && !subprogram->getName().empty();
  const std::string name = is_named ? subprogram->getName().str() : function.getName().str();
  return name == fortran_main ? "main" : name;
}

SourceVariable variable_of(const llvm::Value& memory) {
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(&memory)) {
    llvm::SmallVector<llvm::DIGlobalVariableExpression*> descriptions;
    global->getDebugInfo(descriptions);
    if (!descriptions.empty()) {
      const llvm::DIGlobalVariable* variable = descriptions.front()->getVariable();
      return {variable->getName().str(), variable->getType()};
    }
    return {global->getName().str(), nullptr};
  }
  const auto* variable = declared_at(memory);
  if (variable == nullptr) {
    const auto* argument = llvm::dyn_cast<llvm::Argument>(&memory);
    if (argument != nullptr) variable = stored_to(*argument);
  }
  if (variable != nullptr) return {variable->getName().str(), variable->getType()};
  return {plain_name(memory), nullptr};
}

SourceVariable pointee(const SourceVariable& pointer, std::int64_t offset) {
  const llvm::DIType* type = without_qualifiers(pointer.type);
  if (is_pointer(type)) {
    return part({pointer.name, llvm::cast<llvm::DIDerivedType>(type)->getBaseType()}, offset);
  }
  return part(pointer, offset);  // Fortran hands over addresses of what it names
}

SourceVariable part(const SourceVariable& object, std::int64_t offset) {
  const llvm::DIType* type = without_qualifiers(object.type);
  const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(type);
  if (composite != nullptr && composite->getTag() != llvm::dwarf::DW_TAG_array_type &&
      composite->getTag() != llvm::dwarf::DW_TAG_enumeration_type &&
      composite->getTag() != llvm::dwarf::DW_TAG_union_type) {
    return member(object, *composite, offset);
  }
  if (composite != nullptr && composite->getTag() == llvm::dwarf::DW_TAG_array_type) {
    const llvm::DIType* element = composite->getBaseType();
    const auto bytes = static_cast<std::int64_t>(
        element == nullptr ? 0 : without_qualifiers(element)->getSizeInBits() / 8);
    if (bytes > 0) {
      return part({object.name + "_" + std::to_string(offset / bytes), element}, offset % bytes);
    }
  }
  if (offset == 0) return {object.name, type};
  const auto bytes = static_cast<std::int64_t>(type == nullptr ? 0 : type->getSizeInBits() / 8);
  const std::int64_t index = bytes > 0 ? offset / bytes : offset;
  return {object.name + "_" + std::to_string(index), type};
}

std::int64_t pointee_bytes(const llvm::DIType* pointer) {
  const llvm::DIType* type = without_qualifiers(pointer);
  if (!is_pointer(type)) return 0;
  type = without_qualifiers(llvm::cast<llvm::DIDerivedType>(type)->getBaseType());
  return type == nullptr ? 0 : static_cast<std::int64_t>(type->getSizeInBits() / 8);
}

counting::Location location_of(const llvm::Instruction& instruction) {
  return location(scope_location(instruction), *instruction.getFunction());
}

llvm::DebugLoc start_of(const llvm::Loop& loop) {
  const auto is_known = [](const llvm::DILocation* at) {
    return at != nullptr && at->getLine() > 0;
  };
  if (const llvm::MDNode* id = loop.getLoopID()) {
    for (const llvm::MDOperand& part : llvm::drop_begin(id->operands())) {
      const auto* at = llvm::dyn_cast<llvm::DILocation>(part);
      if (is_known(at)) return llvm::DebugLoc(at);
    }
  }
  const llvm::BasicBlock& header = *loop.getHeader();
  if (is_known(header.getTerminator()->getDebugLoc())) return header.getTerminator()->getDebugLoc();
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (is_known(instruction.getDebugLoc())) return instruction.getDebugLoc();
    }
  }
  return {};
}

void note_places(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    llvm::DominatorTree dominators(function);
    const llvm::LoopInfo loops(dominators);
    for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
      const llvm::DebugLoc at = start_of(*loop);
      if (!at) continue;
      llvm::SmallVector<llvm::Metadata*> parts{nullptr, at.get()};
      if (const llvm::MDNode* known = loop->getLoopID()) {
        for (const llvm::MDOperand& part : llvm::drop_begin(known->operands()))
          parts.push_back(part);
      }
      llvm::MDNode* id = llvm::MDNode::getDistinct(module.getContext(), parts);
      id->replaceOperandWith(0, id);
      loop->setLoopID(id);
    }
  }
}

std::string written_in(const llvm::Loop& loop) {
  const llvm::DebugLoc at = start_of(loop);
  const auto* scope = at ? llvm::cast<llvm::DILocalScope>(at.getScope())->getSubprogram() : nullptr;
  if (scope != nullptr && without_additions(scope->getName()).empty()) return {};
  return location_of(loop).function;
}

counting::Location location_of(const llvm::Loop& loop) {
  return location(start_of(loop).get(), *loop.getHeader()->getParent());
}

}  // namespace redblue::frontend::llvm_ir
