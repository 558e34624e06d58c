// Row, rank, bank, column, bank group from high to low: neighbouring bursts alternate between the bank
// groups, so that a stream is spaced by CCD_S and reaches the peak of devices with CCD_L > CCD_S.
#include "sim/mem/core/address_map.h"

namespace dfsim {
namespace {

class BankGroupLow : public FieldMap {
 public:
  explicit BankGroupLow(const DramGeometry& geometry)
      : FieldMap(geometry,
                 {Field::channel, Field::bank_group, Field::column, Field::bank, Field::rank, Field::row}) {}
};

const Registration<AddressMap, BankGroupLow, const DramGeometry&> kBankGroupLow{
    "bank_group_low", "row, rank, bank, column, bank group from high to low; streams reach the peak"};

}  // namespace
}  // namespace dfsim
