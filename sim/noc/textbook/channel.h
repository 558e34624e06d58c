// sim/noc/textbook/channel.h: what passes between routers, and the wires it passes on.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <ostream>
#include <string>
#include <systemc>

namespace dfsim::textbook {

struct Flit {
  bool valid = false;
  bool head = false, tail = false;
  std::uint8_t vc = 0;
  std::uint32_t packet = 0;  ///< in the network's table
  bool operator==(const Flit&) const = default;
};
struct Credit {
  bool valid = false;
  std::uint8_t vc = 0;
  bool operator==(const Credit&) const = default;
};
inline std::ostream& operator<<(std::ostream& out, const Flit& flit) {
  return flit.valid ? out << "packet " << flit.packet << " vc " << int{flit.vc} : out << "-";
}
inline std::ostream& operator<<(std::ostream& out, const Credit& credit) {
  return credit.valid ? out << "vc " << int{credit.vc} : out << "-";
}
inline void sc_trace(sc_core::sc_trace_file* file, const Flit& flit, const std::string& name) {
  sc_core::sc_trace(file, flit.valid, name + ".valid");
  sc_core::sc_trace(file, flit.packet, name + ".packet");
}
inline void sc_trace(sc_core::sc_trace_file* file, const Credit& credit, const std::string& name) {
  sc_core::sc_trace(file, credit.valid, name + ".valid");
}

/// Written by its driver in each cycle, and by the network when it is emptied.
template <class T>
using Wire = sc_core::sc_signal<T, sc_core::SC_MANY_WRITERS>;

/// The clock: number of the cycle; its change is the edge. kNoCycle between runs.
using Clock = Wire<std::uint64_t>;
inline constexpr std::uint64_t kNoCycle = std::numeric_limits<std::uint64_t>::max();

/// What is written to `in` in cycle c can be read from `out` in cycle c + `delay`; `delay` is at least 2.
template <class T>
class Channel : public sc_core::sc_module {
 public:
  sc_core::sc_in<std::uint64_t> clock;
  Wire<T> in, out;

  Channel(sc_core::sc_module_name name, std::uint32_t delay)
      : sc_module(name), in("in"), out("out"), stages_(delay - 1) {
    SC_METHOD(shift);
    sensitive << clock;
    dont_initialize();
  }
  void reset() {
    for (T& stage : stages_) stage = T{};
    in.write(T{});
    out.write(T{});
  }

 private:
  SC_HAS_PROCESS(Channel);
  void shift() {
    if (clock.read() == kNoCycle) return;
    stages_.push_back(in.read());
    stages_.pop_front();
    out.write(stages_.front());
  }
  std::deque<T> stages_;
};

}  // namespace dfsim::textbook
