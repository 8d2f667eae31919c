// SPDX-License-Identifier: BSD-3-Clause
// Messages: what is sent or read at once, as runs of an array.
#include <algorithm>
#include <atomic>
#include <utility>

#include "comm/communicator.hpp"

namespace redblue::comm {

template <>
MPI_Datatype element<int>() {
  return MPI_INT;
}
template <>
MPI_Datatype element<float>() {
  return MPI_FLOAT;
}
template <>
MPI_Datatype element<double>() {
  return MPI_DOUBLE;
}
template <>
MPI_Datatype element<std::complex<float>>() {
  return MPI_C_FLOAT_COMPLEX;
}
template <>
MPI_Datatype element<std::complex<double>>() {
  return MPI_C_DOUBLE_COMPLEX;
}

namespace {

// MPICH 4.0 packs contiguous derived types wrongly, anyone's, where a process has 768 or more of
// them: it takes a byte of their handle for the size of an element. So messages own few.
constexpr int most_owned = 256;
std::atomic<int> owned = 0;

constexpr std::int64_t longest_block = std::int64_t{1} << 30;  // words; fits an int

MPI_Datatype indexed(const std::vector<Run>& runs, MPI_Datatype element,
                     std::size_t element_bytes) {
  std::vector<int> lengths;
  std::vector<MPI_Aint> offsets;
  for (Run s : runs) {
    for (; s.length > 0; s.offset += longest_block, s.length -= longest_block) {
      lengths.push_back(static_cast<int>(std::min(s.length, longest_block)));
      offsets.push_back(static_cast<MPI_Aint>(s.offset * static_cast<std::int64_t>(element_bytes)));
    }
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), offsets.data(),
                           element, &type);
  MPI_Type_commit(&type);
  return type;
}

}  // namespace

void append(std::vector<Run>& runs, Run next) {
  if (next.length == 0) return;
  if (!runs.empty() && runs.back().offset + runs.back().length == next.offset) {
    runs.back().length += next.length;
  } else {
    runs.push_back(next);
  }
}

Message::Message(Rank peer, int tag, const std::vector<Run>& runs, MPI_Datatype element,
                 std::size_t element_bytes)
    : peer_(peer),
      tag_(tag),
      element_(element),
      element_bytes_(static_cast<std::int64_t>(element_bytes)),
      type_(element) {
  for (const Run& s : runs) words_ += Words(s.length);
  if (words_.value == 0) return;
  if (runs.size() == 1 && words_.value <= longest_block) {
    offset_ = runs.front().offset * static_cast<std::int64_t>(element_bytes);
    count_ = static_cast<int>(words_.value);
  } else {
    count_ = 1;
    owns_type_ = ++owned <= most_owned;
    if (owns_type_) {
      type_ = indexed(runs, element, element_bytes);
    } else {
      --owned;
      runs_ = runs;
    }
  }
}

Message::~Message() {
  if (!owns_type_) return;
  --owned;
  if (!finalized()) MPI_Type_free(&type_);
}

Message::Type::Type(const Message& message) : type_(message.type_), made_(!message.runs_.empty()) {
  if (made_) {
    type_ =
        indexed(message.runs_, message.element_, static_cast<std::size_t>(message.element_bytes_));
  }
}

Message::Type::~Type() {
  if (made_) MPI_Type_free(&type_);
}

Message::Message(Message&& other) noexcept
    : peer_(other.peer_),
      tag_(other.tag_),
      words_(other.words_),
      element_(other.element_),
      element_bytes_(other.element_bytes_),
      offset_(other.offset_),
      count_(other.count_),
      type_(other.type_),
      owns_type_(std::exchange(other.owns_type_, false)),
      runs_(std::move(other.runs_)) {}

Message& Message::operator=(Message&& other) noexcept {
  std::swap(peer_, other.peer_);
  std::swap(tag_, other.tag_);
  std::swap(words_, other.words_);
  std::swap(element_, other.element_);
  std::swap(element_bytes_, other.element_bytes_);
  std::swap(offset_, other.offset_);
  std::swap(count_, other.count_);
  std::swap(type_, other.type_);
  std::swap(owns_type_, other.owns_type_);
  std::swap(runs_, other.runs_);
  return *this;
}

void Message::get_into(void* buffer, std::int64_t offset, MPI_Win window) const {
  // Counts fit an int: one element type of that many elements where words do not.
  MPI_Datatype whole = element_;
  int count = static_cast<int>(words_.value);
  const bool large = words_.value > longest_block;
  if (large) {
    whole = indexed({{0, words_.value}}, element_, static_cast<std::size_t>(element_bytes_));
    count = 1;
  }
  MPI_Get(static_cast<char*>(buffer) + offset_, count_, Type(*this).get(), peer_.value,
          static_cast<MPI_Aint>(offset * element_bytes_), count, whole, window);
  if (large) MPI_Type_free(&whole);
}

void Message::get_into(void* buffer, const Message& there, MPI_Win window) const {
  MPI_Get(static_cast<char*>(buffer) + offset_, count_, Type(*this).get(), there.peer_.value,
          static_cast<MPI_Aint>(there.offset_), there.count_, Type(there).get(), window);
}

}  // namespace redblue::comm
