// Four neighbouring bursts stay in a page, then the banks take turns; the banks are hashed with the column,
// so that strides of a power of two do not meet in one bank. As MOP4CLXOR of CMU-SAFARI/ramulator2.
#include "sim/mem/core/address_map.h"

namespace dfsim {
namespace {

/// From low to high: 2 bits of the column, rank (HBM: pseudo channel), bank group, bank, the other bits of
/// the column, row, channel. The whole column, lowest bits first, is XORed into rank, bank group and bank,
/// its remaining bits into the row. All extents must be powers of two.
class Mop4ClXor : public AddressMap {
 public:
  explicit Mop4ClXor(const DramGeometry& geometry) : g_(geometry) {
    low_ = g_.bursts_per_page < 4 ? g_.bursts_per_page : 4;
    for (std::uint32_t extent :
         {g_.channels, g_.ranks, g_.bank_groups, g_.banks_per_group, g_.rows, g_.bursts_per_page})
      if ((extent & (extent - 1)) != 0)
        throw SimulationError("address map MOP4CLXOR needs extents that are powers of two");
  }

  DramAddress decode(std::uint64_t burst) const override {
    DramAddress a;
    const auto take = [&](std::uint32_t extent) {
      const auto value = static_cast<std::uint32_t>(burst % extent);
      burst /= extent;
      return value;
    };
    const std::uint32_t low = take(low_);
    a.rank = take(g_.ranks);
    a.bank_group = take(g_.bank_groups);
    a.bank = take(g_.banks_per_group);
    a.column = take(g_.bursts_per_page / low_) * low_ + low;
    a.row = take(g_.rows);
    a.channel = take(g_.channels);
    std::uint32_t hash = a.column;
    const auto mix = [&](std::uint32_t& field, std::uint32_t extent) {
      field ^= hash % extent;
      hash /= extent;
    };
    mix(a.rank, g_.ranks);
    mix(a.bank_group, g_.bank_groups);
    mix(a.bank, g_.banks_per_group);
    mix(a.row, g_.rows);
    return a;
  }

 private:
  DramGeometry g_;
  std::uint32_t low_;  ///< bursts that stay together
};

const Registration<AddressMap, Mop4ClXor, const DramGeometry&> kMop4ClXor{
    "MOP4CLXOR", "4 bursts of a page, then rank, bank group, bank in turn; banks hashed with the column"};

}  // namespace
}  // namespace dfsim
