// What is noted of single flits, if anybody watches: streams at their ends, others one by one.
#pragma once

#include "sim/noc/core/setup.h"

namespace dfsim {

/// The stream out of an input channel has sent its last flit in `end` - 1; `tail`: that was the packet's.
template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::note_stream(std::uint32_t router, std::uint32_t channel, std::uint64_t end,
                                           bool tail) {
  const std::size_t in = first_channel(router) + channel;
  note_flits(router, inputs_[in].out, inputs_[in].packet, stream_from_[in], end, tail);
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::note_flits(std::uint32_t router, std::uint32_t out, std::uint32_t slot,
                                          std::uint64_t start, std::uint64_t end, bool tail) {
  merger_.add(router, port_of_[out], vc_of_[out], packets_[slot], start, end, tail, flit_runs);
}

}  // namespace dfsim
