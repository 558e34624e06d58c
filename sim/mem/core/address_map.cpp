#include "sim/mem/core/address_map.h"

#include <bit>

namespace dfsim {

DramGeometry DramGeometry::of(const DramDeviceSpec& device, std::uint32_t channels) {
  return {channels,           device.ranks,
          device.bank_groups, device.banks_per_group,
          device.rows,        device.page_bytes / device.burst_bytes};
}

FieldMap::FieldMap(const DramGeometry& geometry, std::initializer_list<Field> low_to_high) {
  const auto cut = [](std::uint32_t DramAddress::*member, std::uint32_t extent) {
    return Cut{member, extent, static_cast<std::uint8_t>(std::countr_zero(extent)),
               std::has_single_bit(extent)};
  };
  bool open = true;
  for (Field field : low_to_high) {
    switch (field) {
      case Field::channel:
        cuts_.push_back(cut(&DramAddress::channel, geometry.channels));
        break;
      case Field::rank:
        cuts_.push_back(cut(&DramAddress::rank, geometry.ranks));
        break;
      case Field::bank_group:
        cuts_.push_back(cut(&DramAddress::bank_group, geometry.bank_groups));
        break;
      case Field::bank:
        cuts_.push_back(cut(&DramAddress::bank, geometry.banks_per_group));
        break;
      case Field::row:
        cuts_.push_back(cut(&DramAddress::row, geometry.rows));
        break;
      case Field::column:
        cuts_.push_back(cut(&DramAddress::column, geometry.bursts_per_page));
        break;
    }
    if (cuts_.back().extent == 1) continue;
    open = open && (field == Field::column || field == Field::bank_group);
    if (!open) continue;
    run_.bursts *= cuts_.back().extent;
    if (field == Field::bank_group) run_.banks = cuts_.back().extent;
    open = field != Field::column;
  }
  // Without a column below them the fields are no run: every burst has a bank group of its own.
  if (run_.bursts == run_.banks) run_ = {};
}

DramAddress FieldMap::decode(std::uint64_t burst) const {
  DramAddress address;
  for (const Cut& c : cuts_) {
    if (c.power_of_two) {
      address.*c.member = static_cast<std::uint32_t>(burst & (c.extent - 1));
      burst >>= c.shift;
    } else {
      address.*c.member = static_cast<std::uint32_t>(burst % c.extent);
      burst /= c.extent;
    }
  }
  return address;
}

}  // namespace dfsim
