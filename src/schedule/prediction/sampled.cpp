// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/prediction/sampled.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "process/ahead.hpp"
#include "program/instances.hpp"
#include "schedule/prediction/chunk_walk.hpp"
#include "schedule/prediction/fates.hpp"

namespace redblue::schedule {

using program::InstanceCount;
using program::Sizes;

namespace {

// Of all walks: what tells something, and what tells whether more would.
constexpr std::size_t least_touches = 40'000'000, some_touches = 200'000'000;
constexpr std::size_t most_of_a_kind = 300;
constexpr double most_residual = 0.05, precise = 0.005;
constexpr double little = 0.005;  // of all words moved, by kinds without a walk

// Walks to fill the memory take longer.
double most_touches_of_a_chunk(std::int64_t s) {
  constexpr double least = 1 << 15, of_a_word = 64;
  return std::max(least, of_a_word * static_cast<double>(s));
}

struct Parts {
  LoopProgram loops;
  Chunks chunks;
  bool by_times = false;
};

// Of the order's loops; where instances of their chunks take too long to count and not of those by
// its times, of these.
Parts parts(const SizedOrder& order, LoopProgram loops, const Sizes& sizes, std::int64_t s) {
  const auto of = [s](LoopProgram cut) {
    Chunks into = chunks(cut, most_touches_of_a_chunk(s), most_of_a_kind);
    return Parts{std::move(cut), std::move(into)};
  };
  Parts result = of(std::move(loops));
  if (result.chunks.counted || !order.order.tree) return result;
  Parts other = of(order.by_times(sizes));
  other.by_times = true;
  return other.chunks.counted ? other : result;
}

class Sampler {
 public:
  // Without `last` dead values stay.
  Sampler(Parts parts, const LastTouches* last, std::optional<ValueReaders> readers, std::int64_t s,
          std::size_t most_touches)
      : loops_(std::move(parts.loops)),
        s_(s),
        most_touches_(most_touches),
        chunks_(std::move(parts.chunks)),
        walk_(loops_, chunks_, last, std::move(readers), s) {
    std::int64_t all = 0;
    for (const auto& [kind, of] : chunks_.kinds) all += of.instances;
    for (auto& [kind, of] : chunks_.kinds) {
      // An instance moves few hundred times as much as others do at most.
      constexpr std::int64_t least_part = 1'000'000;
      if (chunks_.counted && of.instances <= all / least_part) continue;
      strata_.push_back({kind, static_cast<double>(of.count), {}, std::move(of.drawn)});
      if (chunks_.counted) strata_.back().instances = static_cast<double>(of.instances);
    }
    if (chunks_.counted) largest_first();
  }

  // Nothing where too much is uncertain; less certain where it is clearly more than `most` an
  // instance.
  std::optional<Estimate> sampled(double most) {
    if (strata_.empty()) return std::nullopt;
    std::size_t looked_at = 0;
    look_ahead();
    while (looked_at < strata_.size() && !rest_is_little(looked_at)) {
      look(strata_[looked_at]);
      if (hopeless(++looked_at)) return std::nullopt;
    }
    ahead_.clear();
    strata_.resize(looked_at);
    Estimate now = estimate(strata_);
    for (bool largest = false; touches_ < most_touches_; largest = !largest) {
      if (touches_ >= least_touches && (2 * now.error <= wanted() || now.clearly_above(most)))
        break;
      if (touches_ >= some_touches && out_of_reach(now)) return std::nullopt;
      Stratum* next = largest ? largest_share() : most_uncertain(now);
      if (next == nullptr) next = largest_share();
      if (next == nullptr) break;
      if (!largest) look_ahead_beside(*next);
      look(*next);
      now = estimate(strata_);
    }
    return now;
  }

 private:
  using Ahead = process::Ahead<Looked>;

  // One look at each kind, shared out over the processors: a look needs only what the first one at
  // its node tells, so nodes with many kinds are looked at once before they are shared out.
  void look_ahead() {
    const std::size_t count = std::min(process::processors(), strata_.size());
    if (count < 2) return;
    std::map<std::size_t, std::vector<Stratum*>> at;  // by node
    for (Stratum& of : strata_) at[of.kind.node].push_back(&of);
    // The next ones go where least is to do.
    std::vector<std::set<const Stratum*>> shares(count);
    const auto add = [&shares](auto begin, auto end) {
      std::ranges::min_element(shares, {}, &std::set<const Stratum*>::size)->insert(begin, end);
    };
    for (auto& [node, all] : at) {
      if (all.size() * count <= strata_.size()) {
        add(all.begin(), all.end());
        continue;
      }
      first_[all.front()] = looked(*all.front());
      enough_[node] = first_[all.front()].enough;
      for (auto of = all.begin() + 1; of != all.end(); ++of) add(of, of + 1);
    }
    for (const std::set<const Stratum*>& share : shares) {
      if (!share.empty()) look_ahead(share);
    }
  }

  void look_ahead(const std::set<const Stratum*>& share) {
    const auto ahead = std::make_shared<Ahead>([&](const Ahead::Send& send) {
      for (Stratum& of : strata_) {
        if (!share.contains(&of)) continue;
        const Looked now = looked(of);
        enough_.emplace(of.kind.node, now.enough);
        send(now);
      }
    });
    for (const Stratum* of : share) ahead_[of] = ahead;
  }

  // While this process looks at `now`, another processor looks at what has the largest share then.
  void look_ahead_beside(const Stratum& now) {
    constexpr std::size_t long_look = 1'000'000;  // touches: a copy of the process takes a while
    std::size_t looks = 0;
    for (const Stratum& of : strata_) looks += of.found.size();
    if (process::processors() < 2 || touches_ < long_look * looks) return;
    const Stratum* next = largest_share(&now);
    if (next == nullptr || next == &now || ahead_.contains(next)) return;
    ahead_[next] = std::make_shared<Ahead>([&](const Ahead::Send& send) { send(looked(*next)); });
  }

  // By instances, but each node's largest kind with as many fresh loops before others.
  void largest_first() {
    std::ranges::stable_sort(strata_, std::greater(),
                             [](const Stratum& of) { return *of.instances; });
    std::set<std::pair<std::size_t, std::size_t>> known;
    const auto others = std::ranges::stable_partition(strata_, [&known](const Stratum& of) {
      return known.emplace(of.kind.node, of.kind.fresh).second;
    });
    firsts_ = strata_.size() - others.size();
  }

  // The residual that is small enough by now: the longer it took, the less is worth while.
  double wanted() const {
    constexpr double most = 0.8 * most_residual;
    return std::min(most,
                    precise * static_cast<double>(touches_) / static_cast<double>(least_touches));
  }

  // Whether kinds not looked at yet move little, even if as much an instance as any kind so far:
  // they are taken to move as others do.
  bool rest_is_little(std::size_t looked_at) const {
    if (!chunks_.counted || looked_at < firsts_) return false;
    double most = 0, moved = 0, rest = 0;
    for (std::size_t k = 0; k < strata_.size(); ++k) {
      if (k >= looked_at) {
        rest += *strata_[k].instances;
        continue;
      }
      const Found found = strata_[k].sum();
      const double here = found.moved() / std::max(1.0, found.instances);
      most = std::max(most, here);
      moved += here * *strata_[k].instances;
    }
    return rest * most <= little * moved;
  }

  // Whether one look at each kind would take too long, as the looks so far do.
  bool hopeless(std::size_t looked_at) const {
    constexpr std::size_t some = 10;  // the first walks of a kind are longer
    return touches_ > most_touches_ ||
           (looked_at >= some && 2 * touches_ / looked_at > 3 * most_touches_ / strata_.size());
  }

  // Whether even as many walks as are allowed would leave far too much uncertain: errors fall with
  // the square root of the walks. Kinds with few walks so far are not known to differ.
  bool out_of_reach(const Estimate& now) const {
    constexpr std::size_t few = 3;
    constexpr double far = 2;
    double all = 0, known = 0;
    for (std::size_t k = 0; k < strata_.size(); ++k) {
      const double here = now.uncertainty[k] * static_cast<double>(strata_[k].found.size());
      all += here;
      if (strata_[k].found.size() > few) known += here;
    }
    const double done = static_cast<double>(touches_) / static_cast<double>(most_touches_);
    return 2 * now.error * std::sqrt(done * known) > far * most_residual * std::sqrt(all);
  }

  Stratum* most_uncertain(const Estimate& now) {
    const auto most = std::max_element(now.uncertainty.begin(), now.uncertainty.end());
    return *most <= 0 ? nullptr
                      : &strata_[static_cast<std::size_t>(most - now.uncertainty.begin())];
  }

  // Of those with chunks left the one with most instances a chunk looked at: few may look alike.
  // One may be looked at by then.
  Stratum* largest_share(const Stratum* by_then = nullptr) {
    Stratum* result = nullptr;
    double most = 0;
    for (Stratum& s : strata_) {
      const auto n = static_cast<double>(s.found.size() + (&s == by_then ? 1 : 0));
      const double instances = s.instances ? *s.instances : s.count * s.sum().instances / n;
      const double here = s.all_found() ? 0 : instances / n;
      if (here <= most) continue;
      most = here;
      result = &s;
    }
    return result;
  }

  // At the next chunk that was drawn.
  Looked looked(const Stratum& of) {
    return walk_.look(of.kind.node, of.drawn[of.found.size()], before(of));
  }

  // What was found there before its turn.
  std::optional<Looked> known(const Stratum& of) {
    if (const auto first = first_.extract(&of)) return first.mapped();
    const auto ahead = ahead_.extract(&of);
    return ahead ? ahead.mapped()->take() : std::nullopt;
  }

  void look(Stratum& of) {
    const std::optional<Looked> found = known(of);
    const Looked now = found ? *found : looked(of);
    touches_ += now.touches;
    enough_.emplace(of.kind.node, now.enough);
    // Chunks differ in size more than what is needed does.
    of.before = chunks_.counted || of.found.empty() ? now.enough : std::min(of.before, now.enough);
    of.found.push_back(now.found);
  }

  // Work walked through before a chunk: as much as was last enough for its kind, or first at this
  // node. Where nothing is known: instances that can fill some of the memory, or else a chunk.
  std::int64_t before(const Stratum& of) const {
    if (of.before != 0) return of.before;
    if (const auto known = enough_.find(of.kind.node); known != enough_.end()) return known->second;
    return chunks_.counted ? std::max<std::int64_t>(1, s_ / 8) : 1;
  }

  LoopProgram loops_;
  std::int64_t s_;
  std::size_t most_touches_;
  Chunks chunks_;
  ChunkWalk walk_;
  std::vector<Stratum> strata_;
  std::size_t firsts_ = 0;                      // of each node and number of fresh loops
  std::map<std::size_t, std::int64_t> enough_;  // for the first look at each node
  // The next looks at kinds that were taken before their turn: here, and by other processors.
  std::map<const Stratum*, Looked> first_;
  std::map<const Stratum*, std::shared_ptr<Ahead>> ahead_;
  std::size_t touches_ = 0;
};

}  // namespace

std::optional<PredictedTraffic> sampled_lru(const SizedOrder& order, const Sizes& sizes,
                                            std::int64_t s, DeadValues dead, std::int64_t most,
                                            std::size_t most_touches) {
  LoopProgram loops = order.at(sizes);
  check_room(loops, s);
  if (loops.elements <= s) return std::nullopt;
  const InstanceCount instances(order.program);
  const double all = instances.at(sizes, one_by_one).to_double();
  Parts cut = parts(order, std::move(loops), sizes, s);
  std::optional<Learned> known;
  if (dead == DeadValues::leave) known = learned(order, instances, sizes, all, cut.by_times);
  std::optional<ValueReaders> readers;
  if (known && !known->alike) readers.emplace(order.program, order.order.times, sizes);
  if (readers && !readers->any()) readers.reset();
  const double most_ratio = static_cast<double>(most) / all;
  const std::optional<Estimate> found =
      Sampler(std::move(cut), known ? &known->last : nullptr, std::move(readers), s, most_touches)
          .sampled(most_ratio);
  if (!found) return std::nullopt;
  const double moved = std::max(1.0, all * found->ratio.moved());
  const double residual = 2 * found->error + static_cast<double>(s) / moved;
  if (residual > most_residual && !found->clearly_above(most_ratio)) return std::nullopt;
  return PredictedTraffic{
      {std::llround(all * found->ratio.loads), std::llround(all * found->ratio.stores)},
      residual,
      PredictedTraffic::From::parts};
}

}  // namespace redblue::schedule
