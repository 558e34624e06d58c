// Row, bank, bank group, rank, column, channel from high to low, as in reference/dram (Ramulator): a stream
// stays in one bank for a whole page, so that CCD_L spaces it.
#include "sim/mem/core/address_map.h"

namespace dfsim {
namespace {

class RoBaRaCoCh : public FieldMap {
 public:
  explicit RoBaRaCoCh(const DramGeometry& geometry)
      : FieldMap(geometry,
                 {Field::channel, Field::column, Field::rank, Field::bank_group, Field::bank, Field::row}) {}
};

const Registration<AddressMap, RoBaRaCoCh, const DramGeometry&> kRoBaRaCoCh{
    "RoBaRaCoCh", "row, bank, bank group, rank, column, channel from high to low"};

}  // namespace
}  // namespace dfsim
