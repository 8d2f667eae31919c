// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/prediction/fates.hpp"

namespace redblue::schedule {

using program::InstanceCount;
using program::Sizes;

Learned learned(const SizedOrder& order, const InstanceCount& instances, const Sizes& sizes,
                double all, bool by_times) {
  constexpr std::int64_t usual = 300'000, most = 4 * usual;  // instances
  const auto from = [&](const SizedOrder& like, const Sizes& at, double tiles) {
    const double part = instances.at(at, one_by_one).to_double() / all;
    return LastTouches(by_times ? like.by_times(at) : like.at(at), order.program.statements.size(),
                       part, tiles);
  };
  const auto with = [&](std::int64_t so_many) {
    return program::scaled_down(instances, sizes, so_many, 12);
  };
  const auto [smaller, factor] = with(usual);
  if (factor == 1) return {from(order, smaller, 1), true};
  std::optional<SizedOrder::Alike> alike;
  for (std::int64_t so_many = usual; order.smaller && !alike && so_many <= most; so_many *= 2)
    alike = order.smaller(1 / with(so_many).second);
  if (!alike) return {from(order, smaller, 1), false};
  const double sides = 1 / alike->sides;
  return {from({order.program, alike->order}, program::scaled(sizes, sides), sides), true};
}

namespace {

// A touch whose element no later instance of the walk touches.
struct Unseen {
  std::size_t touch = 0, instance = 0;
  TouchKind kind;
  // Elements touched later, but before the run that counts, whose values the walk reads from there
  // on.
  std::size_t held = 0;
};

// The elements touched before the run that counts, from the last one on, whose values live there.
class Held {
 public:
  explicit Held(std::size_t elements) : met_(elements, false) {}
  void touch(std::uint32_t number, bool read_next) {
    if (!met_[number] && read_next) ++count;
    met_[number] = true;
  }
  std::size_t count = 0;

 private:
  std::vector<bool> met_;
};

class ByReaders {
 public:
  ByReaders(const Part& part, ValueReaders& readers) : part_(part), readers_(readers) {
    end_ = readers.time(at(part.ends.size() - 1));
  }

  std::optional<Fate> fate(const Unseen& u) {
    const LoopNode& statement = part_.statement(u.instance);
    const std::int64_t element = part_.elements[part_.touches[u.touch]];
    const At instance = at(u.instance);
    if (u.kind.written) return readers_.after(end_, instance, std::nullopt);
    for (const Touch& t : statement.touches) {
      if (t.number(part_.counters(u.instance), instance.iterators, subscripts_) == element)
        return readers_.after(end_, instance, t.read);
    }
    return std::nullopt;
  }

 private:
  At at(std::size_t instance) const {
    const LoopNode& statement = part_.statement(instance);
    At result{statement.statement, {}};
    statement.iterators(part_.counters(instance), result.iterators);
    return result;
  }

  const Part& part_;
  ValueReaders& readers_;
  Time end_;
  std::vector<std::int64_t> subscripts_;  // room
};

}  // namespace

Fates fates(const Part& part, const std::vector<Box>& arrays, const LastTouches& last,
            ValueReaders* readers) {
  enum class Next : std::uint8_t { unseen, read, written };
  Fates result{std::vector<Fate>(part.touches.size()), std::vector<bool>(part.ends.size())};
  std::vector<Next> next(part.elements.size(), Next::unseen);
  std::vector<Unseen> unseen;
  std::vector<double> touches(last.kinds(), 0), unseen_touches(last.kinds(), 0);
  std::vector<std::uint32_t> array;  // by number of the element
  for (const std::uint32_t element : part.elements)
    array.push_back(static_cast<std::uint32_t>(array_of(arrays, element)));
  Held held(part.elements.size());
  Notes::Instance instance = {};
  std::size_t instances = last.instances(0, 0);
  for (std::size_t i = part.ends.size(); i-- > 0;) {
    if (const Notes::Instance now = part.instances[i];
        now.statement != instance.statement || now.last != instance.last) {
      instance = now;
      instances = last.instances(now.statement, now.last);
    }
    result.results[i] = last.compute_results(instances);
    const std::size_t end = part.ends[i], begin = i > 0 ? part.ends[i - 1] : 0;
    for (std::size_t t = end; t-- > begin;) {
      const std::uint32_t number = part.touches[t];
      const bool written = t + 1 == end;
      const bool read_next = next[number] == Next::read;
      result.values[t] = read_next ? Fate::read : Fate::dead;
      if (i < part.begin) held.touch(number, read_next);
      if (i < part.counted_until()) {
        const TouchKind kind{instances, array[number], written};
        ++touches[last.index(kind)];
        if (next[number] == Next::unseen) {
          ++unseen_touches[last.index(kind)];
          unseen.push_back({t, i, kind, held.count});
        }
      }
      next[number] = written ? Next::written : Next::read;
    }
  }
  std::optional<ByReaders> known;
  if (readers != nullptr && !unseen.empty()) known.emplace(part, *readers);
  const auto fate = [&](const Unseen& u) {
    if (const auto told = known ? known->fate(u) : std::nullopt) return *told;
    const std::size_t kind = last.index(u.kind);
    return last.fate(u.kind, unseen_touches[kind] / touches[kind], part.touches.size() - u.touch,
                     part.elements[part.touches[u.touch]]);
  };
  std::size_t live = 0;  // of those before the run that counts
  for (const Unseen& u : unseen) {
    // So many later values live that this one left before the run, whatever becomes of it.
    if (u.held + live > 2 * part.words()) break;
    result.values[u.touch] = fate(u);
    if (u.instance < part.begin && result.values[u.touch] == Fate::read) ++live;
  }
  return result;
}

}  // namespace redblue::schedule
