// sim/base/coverage.h: the union of address ranges.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace dfsim {

/// Half-open range of byte addresses.
struct AddressRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool operator==(const AddressRange&) const = default;
};

/// Adding a range that continues the one added last costs a comparison.
class Coverage {
 public:
  void add(std::uint64_t begin, std::uint64_t end);
  std::vector<AddressRange> ranges() const;  ///< sorted, disjoint, not touching
  std::uint64_t bytes() const;
  void clear();

 private:
  void flush() const;
  // The range being extended is merged into the map only when another is begun or somebody asks.
  mutable AddressRange open_;
  mutable std::map<std::uint64_t, std::uint64_t> ranges_;  ///< begin -> end
};

}  // namespace dfsim
