// Routers with more than 64 channels (ports x VCs).
#include "sim/noc/core/observe.h"

namespace dfsim {

template class RouterEngine<2, false>;
template class RouterEngine<2, true>;
template class RouterEngine<kMaxChannels / 64, false>;
template class RouterEngine<kMaxChannels / 64, true>;

}  // namespace dfsim
