#include "comm/communicator.hpp"

#include <algorithm>
#include <utility>

namespace redblue::comm {

namespace {

constexpr std::int64_t longest_block = std::int64_t{1} << 30;  // words; fits an int

MPI_Datatype indexed(const std::vector<Segment>& segments) {
  std::vector<int> lengths;
  std::vector<MPI_Aint> offsets;
  for (Segment s : segments) {
    for (; s.length > 0; s.offset += longest_block, s.length -= longest_block) {
      lengths.push_back(static_cast<int>(std::min(s.length, longest_block)));
      offsets.push_back(
          static_cast<MPI_Aint>(s.offset * static_cast<std::int64_t>(sizeof(double))));
    }
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), offsets.data(),
                           MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

}  // namespace

void append(std::vector<Segment>& segments, Segment next) {
  if (next.length == 0) return;
  if (!segments.empty() && segments.back().offset + segments.back().length == next.offset) {
    segments.back().length += next.length;
  } else {
    segments.push_back(next);
  }
}

Message::Message(Rank peer, int tag, const std::vector<Segment>& segments)
    : peer_(peer), tag_(tag) {
  for (const Segment& s : segments) words_ += Words(s.length);
  if (segments.size() == 1 && words_.value <= longest_block) {
    offset_ = segments.front().offset;
    count_ = static_cast<int>(words_.value);
  } else {
    count_ = 1;
    type_ = indexed(segments);
  }
}

Message::~Message() {
  if (type_ != MPI_DOUBLE && !finalized()) MPI_Type_free(&type_);
}

Message::Message(Message&& other) noexcept
    : peer_(other.peer_),
      tag_(other.tag_),
      words_(other.words_),
      offset_(other.offset_),
      count_(other.count_),
      type_(std::exchange(other.type_, MPI_DOUBLE)) {}

Message& Message::operator=(Message&& other) noexcept {
  std::swap(peer_, other.peer_);
  std::swap(tag_, other.tag_);
  std::swap(words_, other.words_);
  std::swap(offset_, other.offset_);
  std::swap(count_, other.count_);
  std::swap(type_, other.type_);
  return *this;
}

Communicator::Communicator(MPI_Comm original) {
  MPI_Comm_dup(original, &communicator_);
  MPI_Comm_rank(communicator_, &rank_.value);
  MPI_Comm_size(communicator_, &size_);
}

Communicator::~Communicator() {
  if (!finalized()) MPI_Comm_free(&communicator_);
}

void Communicator::send(const double* buffer, const Message& message,
                        std::vector<MPI_Request>& pending, Traffic& count) {
  pending.emplace_back();
  MPI_Isend(buffer + message.offset_, message.count_, message.type_, message.peer_.value,
            message.tag_, communicator_, &pending.back());
  count.words_sent += message.words_;
  count.messages_sent += Messages(1);
}

void Communicator::receive(double* buffer, const Message& message,
                           std::vector<MPI_Request>& pending, Traffic& count) {
  pending.emplace_back();
  MPI_Irecv(buffer + message.offset_, message.count_, message.type_, message.peer_.value,
            message.tag_, communicator_, &pending.back());
  count.words_received += message.words_;
  count.messages_received += Messages(1);
}

void Communicator::wait(std::vector<MPI_Request>& pending) {
  MPI_Waitall(static_cast<int>(pending.size()), pending.data(), MPI_STATUSES_IGNORE);
  pending.clear();
}

void Communicator::barrier() {
  MPI_Barrier(communicator_);
}

void Communicator::sum(std::vector<double>& values) {
  constexpr std::size_t piece = std::size_t{1} << 24;
  for (std::size_t at = 0; at < values.size(); at += piece) {
    const int count = static_cast<int>(std::min(piece, values.size() - at));
    MPI_Allreduce(MPI_IN_PLACE, values.data() + at, count, MPI_DOUBLE, MPI_SUM, communicator_);
  }
}

double Communicator::maximum(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, communicator_);
  return value;
}

std::int64_t Communicator::maximum(std::int64_t value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MAX, communicator_);
  return value;
}

bool Communicator::all(bool condition) {
  return maximum(std::int64_t{condition ? 0 : 1}) == 0;
}

bool Communicator::same_everywhere(std::int64_t value) {
  const std::int64_t most = maximum(value);
  const std::int64_t least = -maximum(-value);
  return most == least;
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

}  // namespace redblue::comm
