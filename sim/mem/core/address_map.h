// sim/mem/core/address_map.h: from a burst's number to channel, rank, bank, row and column.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/base/registry.h"

namespace dfsim {

/// Extents of the fields of an address; all at least 1.
struct DramGeometry {
  std::uint32_t channels = 1;
  std::uint32_t ranks = 1;
  std::uint32_t bank_groups = 1;
  std::uint32_t banks_per_group = 1;
  std::uint32_t rows = 1;
  std::uint32_t bursts_per_page = 1;

  static DramGeometry of(const DramDeviceSpec& device, std::uint32_t channels = 1);
  std::uint64_t bursts() const {
    return std::uint64_t{channels} * ranks * bank_groups * banks_per_group * rows * bursts_per_page;
  }
};

struct DramAddress {
  std::uint32_t channel = 0;
  std::uint32_t rank = 0;
  std::uint32_t bank_group = 0;
  std::uint32_t bank = 0;  ///< in its group
  std::uint32_t row = 0;
  std::uint32_t column = 0;  ///< burst in its page
  bool operator==(const DramAddress&) const = default;
};

/// A bijection between burst numbers and addresses; registered by the name used in `memory.address_map`.
class AddressMap {
 public:
  virtual ~AddressMap() = default;
  /// Burst numbers beyond the capacity wrap around.
  virtual DramAddress decode(std::uint64_t burst) const = 0;
  /// `bursts` consecutive burst numbers, from any multiple of it on, lie in one row of each bank they touch;
  /// `banks` of them, in different bank groups, take turns. {1, 1} if nothing is known.
  struct Run {
    std::uint64_t bursts = 1;
    std::uint32_t banks = 1;
  };
  virtual Run run() const { return {}; }
};

using AddressMapRegistry = Registry<AddressMap, const DramGeometry&>;

/// Fields cut out of the burst number one after another, from the lowest bits on.
class FieldMap : public AddressMap {
 public:
  enum class Field : std::uint8_t { channel, rank, bank_group, bank, row, column };
  FieldMap(const DramGeometry& geometry, std::initializer_list<Field> low_to_high);
  DramAddress decode(std::uint64_t burst) const override;
  Run run() const override { return run_; }

 private:
  struct Cut {
    std::uint32_t DramAddress::*member;
    std::uint32_t extent;
    std::uint8_t shift;  ///< log2(extent) if it is a power of two
    bool power_of_two;
  };
  std::vector<Cut> cuts_;
  Run run_;
};

}  // namespace dfsim
