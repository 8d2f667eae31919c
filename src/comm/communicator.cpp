// SPDX-License-Identifier: BSD-3-Clause
#include "comm/communicator.hpp"

#include <algorithm>
#include <ctime>
#include <numeric>
#include <utility>

#include "comm/phases.hpp"
#include "comm/recorder.hpp"

namespace redblue::comm {

namespace {

// Whether this machine runs more ranks than it has processors, as far as the launcher tells.
bool oversubscribed() {
  return processor_share() < 1;
}

// Tests until done. Where ranks share processors, a rank that waits longer sleeps in between:
// whoever it waits for may need its processor.
template <class Test>
void wait_until(Test test, int patient = 100) {  // tries before the first pause
  constexpr int tries = 5;                       // and between pauses
  constexpr timespec pause = {0, 20000};
  const InPhase waits(Phase::wait);
  for (int i = 1;; ++i) {
    int done = 0;
    test(&done);
    if (done != 0) return;
    if (i > patient && i % tries == 0 && oversubscribed()) nanosleep(&pause, nullptr);
  }
}

template <class T>
void add_up(std::vector<T>& values, MPI_Comm communicator) {
  constexpr std::size_t piece = std::size_t{1} << 24;
  for (std::size_t at = 0; at < values.size(); at += piece) {
    const int count = static_cast<int>(std::min(piece, values.size() - at));
    MPI_Allreduce(MPI_IN_PLACE, values.data() + at, count, element<T>(), MPI_SUM, communicator);
  }
}

}  // namespace

std::vector<int> world_ranks(MPI_Comm communicator, const std::vector<int>& ranks) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Comm_group(communicator, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  std::vector<int> result(ranks.size());
  MPI_Group_translate_ranks(group, static_cast<int>(ranks.size()), ranks.data(), world,
                            result.data());
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  return result;
}

Communicator::Communicator(const std::vector<int>& ranks) {
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group members = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &members);
  constexpr int tag = 7;
  MPI_Comm_create_group(MPI_COMM_WORLD, members, tag, &communicator_);
  MPI_Group_free(&members);
  MPI_Group_free(&world);
  look_around();
}

Communicator::Communicator(MPI_Comm original) {
  MPI_Comm_dup(original, &communicator_);
  look_around();
}

void Communicator::look_around() {
  MPI_Comm_rank(communicator_, &rank_.value);
  MPI_Comm_size(communicator_, &size_);
  std::vector<int> members(static_cast<std::size_t>(size_));
  std::iota(members.begin(), members.end(), 0);
  world_ranks_ = world_ranks(communicator_, members);
  // a number that none of its ranks has had for another communicator
  static std::int64_t last_number = 0;
  std::int64_t most[] = {comm::oversubscribed() ? 0 : 1, last_number + 1};
  MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT64_T, MPI_MAX, communicator_);
  oversubscribed_ = most[0] == 0;
  last_number = most[1];
  number_ = static_cast<int>(last_number);
}

int Communicator::ranks_on_this_machine() const {
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(communicator_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  int ranks = 1;
  MPI_Comm_size(here, &ranks);
  MPI_Comm_free(&here);
  return ranks;
}

task_graph::Action Communicator::recorded(const Message& message, Words words) const {
  task_graph::Action action;
  action.peer = world_ranks_[static_cast<std::size_t>(message.peer_.value)];
  action.tag = message.tag_;
  action.communicator = number_;
  action.words = words.value;
  action.word_bytes = static_cast<int>(message.element_bytes_);
  return action;
}

// Around one of MPI's collectives.
class Communicator::RecordedCollective {
 public:
  explicit RecordedCollective(const Communicator& c) : communicator_(c) {}
  ~RecordedCollective() {
    if (call_) {
      call_->collective(communicator_.number_, communicator_.world_ranks_.front(),
                        communicator_.size_);
    }
  }
  RecordedCollective(const RecordedCollective&) = delete;
  RecordedCollective& operator=(const RecordedCollective&) = delete;

 private:
  InPhase waits_{Phase::wait};
  RecordedCall call_;
  const Communicator& communicator_;
};

Communicator::~Communicator() {
  if (!finalized()) MPI_Comm_free(&communicator_);
}

void Communicator::send(const void* buffer, const Message& message,
                        std::vector<MPI_Request>& pending, Traffic& count) const {
  const InPhase exchanges(Phase::exchange);
  const RecordedCall call;
  pending.emplace_back();
  MPI_Isend(static_cast<const char*>(buffer) + message.offset_, message.count_,
            Message::Type(message).get(), message.peer_.value, message.tag_, communicator_,
            &pending.back());
  count.words_sent += message.words_;
  count.messages_sent += Messages(1);
  if (call) call->sent(recorded(message, message.words_), pending.back());
}

void Communicator::receive(void* buffer, const Message& message, std::vector<MPI_Request>& pending,
                           Traffic& count) const {
  const InPhase exchanges(Phase::exchange);
  const RecordedCall call;
  pending.emplace_back();
  MPI_Irecv(static_cast<char*>(buffer) + message.offset_, message.count_,
            Message::Type(message).get(), message.peer_.value, message.tag_, communicator_,
            &pending.back());
  count.words_received += message.words_;
  count.messages_received += Messages(1);
  if (call) call->received(recorded(message, message.words_), pending.back());
}

void Communicator::receive_up_to(void* buffer, const Message& message, Traffic& count) const {
  const RecordedCall call;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(static_cast<char*>(buffer) + message.offset_, message.count_,
            Message::Type(message).get(), message.peer_.value, message.tag_, communicator_,
            &request);
  std::vector<std::size_t> awaited;
  if (call) {
    call->received(recorded(message, message.words_), request);
    awaited = call->messages_of(&request, 1);
  }
  MPI_Status status;
  wait_until([&](int* done) { MPI_Test(&request, done, &status); });
  int words = 0;
  MPI_Get_count(&status, message.element_, &words);
  if (call) call->waited(awaited);
  count.words_received += Words(words);
  count.messages_received += Messages(1);
}

void Communicator::wait(std::vector<MPI_Request>& pending) {
  const RecordedCall call;
  std::vector<std::size_t> awaited;
  if (call) awaited = call->messages_of(pending.data(), pending.size());
  const int count = static_cast<int>(pending.size());
  if (count > 0) {
    wait_until([&pending, count](int* done) {
      MPI_Testall(count, pending.data(), done, MPI_STATUSES_IGNORE);
    });
  }
  pending.clear();
  if (call) call->waited(awaited);
}

void Communicator::wait_briefly(std::vector<MPI_Request>& pending) {
  constexpr int patient = 1000;
  const int count = static_cast<int>(pending.size());
  if (count > 0) {
    wait_until([&pending, count](
                   int* done) { MPI_Testall(count, pending.data(), done, MPI_STATUSES_IGNORE); },
               patient);
  }
  pending.clear();
}

void Communicator::wait(MPI_Request& request) {
  const RecordedCall call;
  std::vector<std::size_t> awaited;
  if (call) awaited = call->messages_of(&request, 1);
  wait_until([&request](int* done) { MPI_Test(&request, done, MPI_STATUS_IGNORE); });
  if (call) call->waited(awaited);
}

void Communicator::progress() const {
  const InPhase exchanges(Phase::exchange);
  const RecordedCall call;
  int flag = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicator_, &flag, MPI_STATUS_IGNORE);
}

void Communicator::barrier() {
  const RecordedCollective call(*this);
  MPI_Barrier(communicator_);
}

void Communicator::sum(std::vector<double>& values) {
  const RecordedCollective call(*this);
  add_up(values, communicator_);
}

void Communicator::sum(std::vector<std::complex<double>>& values) {
  const RecordedCollective call(*this);
  add_up(values, communicator_);
}

void Communicator::maximum(std::vector<double>& values) {
  const RecordedCollective call(*this);
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                communicator_);
}

double Communicator::maximum(double value) {
  const RecordedCollective call(*this);
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, communicator_);
  return value;
}

std::int64_t Communicator::maximum(std::int64_t value) {
  const RecordedCollective call(*this);
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MAX, communicator_);
  return value;
}

bool Communicator::all(bool condition) {
  return maximum(std::int64_t{condition ? 0 : 1}) == 0;
}

bool Communicator::same_everywhere(const std::vector<std::int64_t>& values) {
  const RecordedCollective call(*this);
  // the largest of x and of -x tell the largest and the least x
  std::vector<std::int64_t> extremes;
  for (const std::int64_t x : values) {
    extremes.push_back(x);
    extremes.push_back(-x);
  }
  MPI_Allreduce(MPI_IN_PLACE, extremes.data(), static_cast<int>(extremes.size()), MPI_INT64_T,
                MPI_MAX, communicator_);
  for (std::size_t x = 0; x < extremes.size(); x += 2) {
    if (extremes[x] != -extremes[x + 1]) return false;
  }
  return true;
}

void Communicator::broadcast(std::vector<std::int64_t>& values) {
  const RecordedCollective call(*this);
  MPI_Bcast(values.data(), static_cast<int>(values.size()), MPI_INT64_T, 0, communicator_);
}

std::vector<int> Communicator::gather(const std::vector<int>& mine) {
  const RecordedCollective call(*this);
  std::vector<int> all(mine.size() * static_cast<std::size_t>(size_));
  const int count = static_cast<int>(mine.size());
  MPI_Allgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, communicator_);
  return all;
}

std::vector<std::int64_t> Communicator::exchange(const std::vector<std::int64_t>& to_each) const {
  const RecordedCollective call(*this);
  std::vector<std::int64_t> from_each(to_each.size());
  MPI_Alltoall(to_each.data(), 1, MPI_INT64_T, from_each.data(), 1, MPI_INT64_T, communicator_);
  return from_each;
}

std::string Communicator::gather(const std::string& mine) const {
  constexpr int tag = 0;
  constexpr std::int64_t piece = std::int64_t{1} << 30;
  auto length = static_cast<std::int64_t>(mine.size());
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(size_));
  MPI_Gather(&length, 1, MPI_INT64_T, lengths.data(), 1, MPI_INT64_T, 0, communicator_);
  if (rank_.value != 0) {
    for (std::int64_t at = 0; at < length; at += piece) {
      MPI_Send(mine.data() + at, static_cast<int>(std::min(piece, length - at)), MPI_CHAR, 0, tag,
               communicator_);
    }
    return {};
  }
  std::string all = mine;
  for (int r = 1; r < size_; ++r) {
    length = lengths[static_cast<std::size_t>(r)];
    const std::size_t begin = all.size();
    all.resize(begin + static_cast<std::size_t>(length));
    for (std::int64_t at = 0; at < length; at += piece) {
      MPI_Recv(all.data() + begin + at, static_cast<int>(std::min(piece, length - at)), MPI_CHAR, r,
               tag, communicator_, MPI_STATUS_IGNORE);
    }
  }
  return all;
}

std::vector<std::vector<std::int64_t>> Communicator::exchange(
    const std::vector<std::vector<std::int64_t>>& to_each) const {
  std::vector<std::int64_t> lengths;
  for (const auto& list : to_each) lengths.push_back(static_cast<std::int64_t>(list.size()));
  const std::vector<std::int64_t> arriving = exchange(lengths);
  std::vector<std::vector<std::int64_t>> from_each(to_each.size());
  std::vector<MPI_Request> pending;
  constexpr int tag = 8;
  for (std::size_t r = 0; r < to_each.size(); ++r) {
    from_each[r].resize(static_cast<std::size_t>(arriving[r]));
    if (arriving[r] == 0) continue;
    pending.emplace_back();
    MPI_Irecv(from_each[r].data(), static_cast<int>(arriving[r]), MPI_INT64_T, static_cast<int>(r),
              tag, communicator_, &pending.back());
  }
  for (std::size_t r = 0; r < to_each.size(); ++r) {
    if (lengths[r] == 0) continue;
    pending.emplace_back();
    MPI_Isend(to_each[r].data(), static_cast<int>(lengths[r]), MPI_INT64_T, static_cast<int>(r),
              tag, communicator_, &pending.back());
  }
  wait(pending);
  return from_each;
}

Session::Session() {
  MPI_Init(nullptr, nullptr);
}

Session::~Session() {
  MPI_Finalize();
}

bool finalized() {
  int flag = 0;
  MPI_Finalized(&flag);
  return flag != 0;
}

double seconds() {
  return MPI_Wtime();
}

double processor_seconds() {
  timespec t = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace redblue::comm
