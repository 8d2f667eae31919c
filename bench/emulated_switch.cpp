// SPDX-License-Identifier: BSD-3-Clause
// A switch between emulated hosts: Ethernet frames from one TAP device per network namespace to the
// others, each link with a bandwidth in both directions and a latency.
//   emulated_switch BITS_PER_SECOND LATENCY_SECONDS [QUEUE_BYTES] -- NAMESPACE..
// Namespace number i (from 1) gets a device rbtap with the address 02:00:00:00:00:0i; "." is the
// namespace the switch is started in. Prints "ready" when all are there, runs until it is killed.
// 0 bits per second: no limit. Needs root and /dev/net/tun.
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <net/if_arp.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <queue>
#include <string>
#include <vector>

namespace {

double now() {
  timespec t = {};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

[[noreturn]] void fail(const std::string& what) {
  std::perror(("emulated_switch: " + what).c_str());
  std::exit(1);
}

struct Frame {
  double due;
  std::size_t number;  // frames with the same time in their order
  std::vector<char> bytes;
};

struct Later {
  bool operator()(const Frame& a, const Frame& b) const {
    return a.due != b.due ? a.due > b.due : a.number > b.number;
  }
};

// A host's cable: what it sends and what it is sent take their turns.
struct Link {
  int device = -1;
  double out_free = 0, in_free = 0;
  std::priority_queue<Frame, std::vector<Frame>, Later> arriving;
};

int open_device(const std::string& name_space, std::size_t number) {
  if (name_space != ".") {
    const int space = open(("/run/netns/" + name_space).c_str(), O_RDONLY);
    if (space < 0 || setns(space, CLONE_NEWNET) != 0) fail(name_space);
    close(space);
  }
  const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  if (device < 0) fail("/dev/net/tun");
  ifreq request = {};
  std::strncpy(request.ifr_name, "rbtap", IFNAMSIZ - 1);
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  if (ioctl(device, TUNSETIFF, &request) != 0) fail("TUNSETIFF");
  request.ifr_hwaddr.sa_family = ARPHRD_ETHER;
  const std::array<char, 6> address = {2, 0, 0, 0, 0, static_cast<char>(number)};
  std::copy(address.begin(), address.end(), request.ifr_hwaddr.sa_data);
  if (ioctl(device, SIOCSIFHWADDR, &request) != 0) fail("SIOCSIFHWADDR");
  return device;
}

class Switch {
 public:
  Switch(double bits_per_second, double latency, double queue_bytes)
      : seconds_per_byte_(bits_per_second > 0 ? 8 / bits_per_second : 0),
        latency_(latency),
        queue_seconds_(queue_bytes * seconds_per_byte_) {}

  void add(int device) {
    links_.emplace_back();
    links_.back().device = device;
  }

  [[noreturn]] void run() {
    for (;;) {
      double next = now() + 1;
      for (Link& link : links_) {
        deliver(link);
        if (!link.arriving.empty()) next = std::min(next, link.arriving.top().due);
      }
      wait(next);
      for (std::size_t i = 0; i < links_.size(); ++i) take(i);
    }
  }

 private:
  void wait(double until) {
    std::vector<pollfd> devices;
    for (const Link& link : links_) devices.push_back({link.device, POLLIN, 0});
    const double left = std::max(0.0, until - now());
    timespec t = {};
    t.tv_sec = static_cast<time_t>(left);
    t.tv_nsec = static_cast<long>((left - static_cast<double>(t.tv_sec)) * 1e9);
    if (ppoll(devices.data(), devices.size(), &t, nullptr) < 0 && errno != EINTR) fail("poll");
  }

  // Frames that a host has sent.
  void take(std::size_t from) {
    constexpr int at_once = 16;
    for (int i = 0; i < at_once; ++i) {
      const ssize_t length = read(links_[from].device, buffer_.data(), buffer_.size());
      if (length < 14) return;
      const double time = now();
      const double wire = static_cast<double>(length) * seconds_per_byte_;
      Link& out = links_[from];
      if (out.out_free - time > queue_seconds_ && seconds_per_byte_ > 0) continue;  // it is full
      const double start = std::max(time, out.out_free);
      out.out_free = start + wire;
      const bool to_all = (buffer_[0] & 1) != 0;
      for (std::size_t to = 0; to < links_.size(); ++to) {
        if (to == from || (!to_all && static_cast<std::size_t>(buffer_[5]) != to + 1)) continue;
        Link& in = links_[to];
        if (in.in_free - time > latency_ + queue_seconds_ && seconds_per_byte_ > 0) continue;
        in.in_free = std::max(start + latency_, in.in_free) + wire;
        in.arriving.push({in.in_free, frames_++, {buffer_.data(), buffer_.data() + length}});
      }
    }
  }

  void deliver(Link& link) {
    while (!link.arriving.empty() && link.arriving.top().due <= now()) {
      const std::vector<char>& bytes = link.arriving.top().bytes;
      if (write(link.device, bytes.data(), bytes.size()) < 0 && errno == EAGAIN) return;
      link.arriving.pop();
    }
  }

  double seconds_per_byte_, latency_, queue_seconds_;
  std::vector<Link> links_;
  std::size_t frames_ = 0;
  std::array<char, 65536> buffer_ = {};
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (dashes - arguments.begin() < 2 || dashes == arguments.end()) {
    std::fprintf(stderr, "emulated_switch BITS LATENCY [QUEUE_BYTES] -- NAMESPACE..\n");
    return 2;
  }
  const double queue = dashes - arguments.begin() > 2 ? std::atof(arguments[2].c_str()) : 4e6;
  Switch s(std::atof(arguments[0].c_str()), std::atof(arguments[1].c_str()), queue);
  std::size_t number = 0;
  // the switch's own namespace first: setns() leaves it
  std::vector<int> devices(static_cast<std::size_t>(arguments.end() - dashes) - 1);
  for (const bool own : {true, false}) {
    number = 0;
    for (auto space = dashes + 1; space != arguments.end(); ++space, ++number) {
      if ((*space == ".") == own) devices[number] = open_device(*space, number + 1);
    }
  }
  for (const int device : devices) s.add(device);
  sched_param priority = {};
  priority.sched_priority = 1;
  sched_setscheduler(0, SCHED_FIFO, &priority);  // where it may: frames are to be on time
  prctl(PR_SET_TIMERSLACK, 1);
  std::printf("ready\n");
  std::fflush(stdout);
  s.run();
}
