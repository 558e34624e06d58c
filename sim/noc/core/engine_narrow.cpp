// Routers with up to 64 channels (ports x VCs): every set is a machine word.
#include "sim/noc/core/observe.h"

namespace dfsim {

template class RouterEngine<1, false>;
template class RouterEngine<1, true>;

}  // namespace dfsim
