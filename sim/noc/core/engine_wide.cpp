// Routers with more than 64 channels (ports x VCs).
#include "sim/noc/core/observe.h"

namespace dfsim {

template class RouterEngine<2>;
template class RouterEngine<kMaxChannels / 64>;

}  // namespace dfsim
