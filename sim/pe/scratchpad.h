// sim/pe/scratchpad.h: banks shared by network interface, matrix unit and vector unit.
#pragma once

#include <cstdint>
#include <systemc>

#include "sim/api/hardware.h"
#include "sim/pe/rated_work.h"

namespace dfsim {

/// What the banks leave to each unit, in 1/65536 of its full speed.
struct Rates {
  std::uint64_t matrix = kFullRate, vector = kFullRate;
  bool operator==(const Rates&) const = default;
};

/// Bandwidth: each of the banks reads and writes `bank_width_bytes` per cycle. One read and one write port
/// are always reserved for leaving and arriving flits, so that a PE takes a flit in every cycle; then comes
/// the matrix unit, then the vector unit. A unit that wants more than is left is slowed to what is left, in
/// steps of 1/65536. With a single bank the units share it as if the network interface took nothing.
Rates share_bandwidth(const ScratchpadSpec& spec, const Demand& matrix, const Demand& vector);

/// Not modelled: conflicts that depend on addresses (accesses are taken as spread evenly over the banks), the
/// bytes that the network interface leaves unused in a cycle, and the demand of a matmul's last results after
/// its last fold has been issued.
class Scratchpad : public sc_core::sc_module {
 public:
  Scratchpad(sc_core::sc_module_name name, const ScratchpadSpec& spec);
  Rates rates(const Demand& matrix, const Demand& vector) const {
    return share_bandwidth(spec_, matrix, vector);
  }

  void reset() { read_bytes_ = write_bytes_ = 0; }
  void count(std::uint64_t read_bytes, std::uint64_t write_bytes) {
    read_bytes_ += read_bytes;
    write_bytes_ += write_bytes;
  }
  std::uint64_t read_bytes() const { return read_bytes_; }    ///< since reset()
  std::uint64_t write_bytes() const { return write_bytes_; }  ///< since reset()

 private:
  const ScratchpadSpec& spec_;
  std::uint64_t read_bytes_ = 0, write_bytes_ = 0;
};

}  // namespace dfsim
