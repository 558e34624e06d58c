// sim/eth/ethernet_switch.h: an Ethernet switch: frames from any of its lines to any other.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/base/ring_queue.h"
#include "sim/eth/frame.h"

namespace dfsim {

/// Bind `lines[i]` to the line towards the i-th port that is joined, and the line from there to `input(i)`.
///
/// Each input has a queue per output (virtual output queues), so a frame waits only for its own output and
/// for the frames before it on that way. An output serves the inputs that wait for it in turn, frame by
/// frame. Store-and-forward: a frame may begin to leave `latency_ns` after its last bit has arrived.
/// Cut-through: `latency_ns` after its header has, or as much later as it takes for its last bit to be there
/// when it is sent (a faster output); if the output is busy, it waits in the input like any other.
///
/// Lossless: an input whose frames hold more than `pause_bytes` asks its sender to pause and below
/// `resume_bytes` to go on; a paused output holds its frames. A frame holds its room until its last bit has
/// left. Pause frames go before data. What happens at the same instant is seen as one: the switch decides
/// when all of it has come (two delta cycles later). Not modelled: buffers shared between inputs, a limit of
/// the fabric inside.
class EthernetSwitch : public sc_core::sc_module {
 public:
  sc_core::sc_vector<sc_core::sc_port<FrameLine>> lines;

  /// `destinations[i]` is the Ethernet port at the far end of line i.
  EthernetSwitch(sc_core::sc_module_name name, const EthernetSwitchSpec& spec,
                 const std::vector<std::uint32_t>& destinations);
  FrameReceiver& input(std::size_t line);

  std::uint64_t most_buffered_bytes(std::size_t line) const {
    return inputs_[line]->most_bytes;
  }                                                                     ///< since reset()
  std::uint64_t forwarded_frames() const { return forwarded_frames_; }  ///< since reset()
  bool idle() const;
  void set_draining(bool draining) { draining_ = draining; }
  void reset();

 private:
  SC_HAS_PROCESS(EthernetSwitch);
  struct Held {
    EthernetFrame frame;
    std::uint64_t ready_ps = 0;  ///< may begin to leave
  };
  /// The way from one input to one output.
  struct Way {
    RingQueue<Held> frames;
    RingQueue<Packet> packets;  ///< of the frames, in order
  };
  /// The receiving side of a line.
  struct Input : FrameReceiver {
    Input(EthernetSwitch& at, std::size_t line, std::size_t outputs)
        : node(at), number(line), ways(outputs) {}
    void frame_arrived(const EthernetFrame& frame, const Packet* packets) override;
    bool wants_headers() const override { return node.cut_through_; }
    void header_arrived(const EthernetFrame& frame, const Packet* packets, std::uint64_t rest_ps) override;

    EthernetSwitch& node;
    std::size_t number;
    std::vector<Way> ways;
    std::uint64_t bytes = 0, most_bytes = 0;
    bool told_pause = false;  ///< the sender was asked to pause
  };
  struct Output {
    std::uint64_t free_ps = 0;
    bool paused = false;        ///< by the far end
    std::size_t turn = 0;       ///< input that was served last; while a frame is being sent, its
    std::uint64_t leaving = 0;  ///< bytes of the frame being sent; 0: none
    std::uint64_t gone_ps = 0;  ///< when its last bit has left
  };

  void hold(Input& input, const EthernetFrame& frame, const Packet* packets, std::uint64_t ready_ps);
  std::size_t output_of(const EthernetFrame& frame) const;
  void pause(std::size_t line, FrameKind kind);
  void serve();
  void finish(Output& output);
  std::uint64_t serve_line(std::size_t line);
  bool send_control(std::size_t line);
  std::uint64_t send_data(std::size_t line);
  void transmit(std::size_t line, std::size_t from);
  std::uint64_t now_ps() const { return (sc_core::sc_time_stamp() - start_).value(); }

  EthernetSwitchSpec spec_;
  bool cut_through_;
  std::uint64_t latency_ps_;
  std::vector<std::uint32_t> destinations_;
  std::vector<std::unique_ptr<Input>> inputs_;
  std::vector<Output> outputs_;
  std::vector<Packet> ending_;  ///< in the frame being sent; reused
  sc_core::sc_event serve_;
  sc_core::sc_time start_;
  std::uint64_t forwarded_frames_ = 0;
  bool draining_ = false;
  bool settled_ = false;  ///< serve() is called again in this instant
};

}  // namespace dfsim
