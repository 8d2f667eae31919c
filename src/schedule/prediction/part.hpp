// SPDX-License-Identifier: BSD-3-Clause
// What a walk through a part of an order notes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/prediction/chunks.hpp"

namespace redblue::schedule {

// What walks note, kept from one to the next: fresh memory is slow.
struct Notes {
  struct Instance {
    std::uint32_t last = 0;  // of the loops around it, as walks tell
    std::uint16_t statement = 0;
    bool counts = false;
  };
  std::vector<std::uint32_t> touches;  // of all instances, one behind the other
  std::vector<std::uint32_t> ends;     // of each instance's touches
  std::vector<Instance> instances;
  std::vector<std::uint32_t> elements;  // by number
  std::vector<std::uint32_t> number;    // by element: its number, from 1; 0: none, as between walks
  // How many counters of loops are kept of each instance, and these.
  std::size_t counters_of_each = 0;
  std::vector<const LoopNode*> statements;
  std::vector<std::int64_t> counters;
};

// A walk's touches, their elements numbered in the order of their first; which of them are of the
// run that counts.
class Part {
 public:
  // From the chunk `first` on.
  Part(const Chunks& chunks, std::int64_t first, std::size_t node, const ChunkRun& counted,
       Notes& notes, std::size_t words)
      : touches(notes.touches),
        ends(notes.ends),
        instances(notes.instances),
        elements(notes.elements),
        notes_(notes),
        chunks_(chunks),
        at_(first - 1),
        node_(node),
        counted_(counted),
        number_(notes.number),
        words_(words) {}
  ~Part() {
    for (const std::uint32_t e : elements) number_[e] = 0;
    touches.clear();
    ends.clear();
    instances.clear();
    elements.clear();
    notes_.statements.clear();
    notes_.counters.clear();
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  void enters(std::size_t node) {
    if (!chunks_.is_chunk[node]) return;
    ++at_;
    if (at_ == counted_.first) {
      begin = ends.size();
      met = elements.size();
      may_fill = full_at_ > 0 && touches.size() >= 2 * full_at_;
    }
    if (at_ == counted_.until) end = ends.size();
    counts_ = node == node_ && at_ >= counted_.first && at_ < counted_.until;
  }
  void step(const std::uint32_t* touched, std::size_t n) {
    for (std::size_t t = 0; t < n; ++t) {
      std::uint32_t& number = number_[touched[t]];
      if (number == 0) {
        elements.push_back(touched[t]);
        number = static_cast<std::uint32_t>(elements.size());
      }
      touches.push_back(number - 1);
    }
    ends.push_back(static_cast<std::uint32_t>(touches.size()));
    instance_.counts = counts_;
    instances.push_back(instance_);
    if (full_at_ == 0 && elements.size() >= words_) full_at_ = touches.size();
  }
  void runs(std::size_t statement, std::uint32_t last) {
    instance_.statement = static_cast<std::uint16_t>(statement);
    instance_.last = last;
  }
  void at(const LoopNode& statement, const std::int64_t* counters) {
    if (notes_.counters_of_each == 0) return;
    notes_.statements.push_back(&statement);
    notes_.counters.insert(notes_.counters.end(), counters, counters + notes_.counters_of_each);
  }
  // Of an instance, where they are kept.
  const LoopNode& statement(std::size_t instance) const { return *notes_.statements[instance]; }
  const std::int64_t* counters(std::size_t instance) const {
    return notes_.counters.data() + instance * notes_.counters_of_each;
  }
  std::size_t words() const { return words_; }  // of the fast memory
  std::size_t counted_until() const { return end > 0 ? end : ends.size(); }
  // Of touches before the run that counts, the part that a walk needs at least to touch as many
  // elements as the memory has words twice; nothing where they did not once.
  std::optional<double> needed() const {
    if (full_at_ == 0 || touches_before() < full_at_) return std::nullopt;
    return needed_by(full_at_);
  }
  // Twice what so many touches are of them; all where there are none.
  double needed_by(std::size_t so_many) const {
    if (so_many == 0 || touches_before() == 0) return 1;
    return 2 * static_cast<double>(so_many) / static_cast<double>(touches_before());
  }
  bool enough() const { return (end > 0 && ends.size() > end + end / 4) || too_long(); }
  // It did not even get to the run that counts.
  bool too_long() const {
    constexpr std::size_t most = 24'000'000;
    return at_ < counted_.first && touches.size() > most;
  }

  std::vector<std::uint32_t>& touches;
  std::vector<std::uint32_t>& ends;
  std::vector<Notes::Instance>& instances;
  std::vector<std::uint32_t>& elements;
  std::size_t begin = 0, end = 0;  // instances of the run that counts; end 0: the walk's
  std::size_t met = 0;             // elements before it
  bool may_fill = false;           // what was touched before it

 private:
  std::size_t touches_before() const { return begin > 0 ? ends[begin - 1] : 0; }

  Notes& notes_;
  const Chunks& chunks_;
  std::int64_t at_;
  std::size_t node_;
  ChunkRun counted_;
  bool counts_ = false;
  std::vector<std::uint32_t>& number_;  // by element: its number here, from 1; 0: none
  std::size_t words_, full_at_ = 0;
  Notes::Instance instance_ = {};
};

}  // namespace redblue::schedule
