// Address maps of umd-memsys/DRAMsim3, under the names its configuration files use: two letters per field
// from high to low (row, channel, rank, bank, bank group, column).
#include "sim/mem/core/address_map.h"

namespace dfsim {
namespace {

class RoChRaBaBgCo : public FieldMap {
 public:
  explicit RoChRaBaBgCo(const DramGeometry& geometry)
      : FieldMap(geometry,
                 {Field::column, Field::bank_group, Field::bank, Field::rank, Field::channel, Field::row}) {}
};

class RoRaBgBaChCo : public FieldMap {
 public:
  explicit RoRaBgBaChCo(const DramGeometry& geometry)
      : FieldMap(geometry,
                 {Field::column, Field::channel, Field::bank, Field::bank_group, Field::rank, Field::row}) {}
};

const Registration<AddressMap, RoChRaBaBgCo, const DramGeometry&> kDdr{
    "rochrababgco", "row, channel, rank, bank, bank group, column from high to low (DRAMsim3, DDR)"};
const Registration<AddressMap, RoRaBgBaChCo, const DramGeometry&> kHbm{
    "rorabgbachco", "row, rank, bank group, bank, channel, column from high to low (DRAMsim3, HBM)"};

}  // namespace
}  // namespace dfsim
