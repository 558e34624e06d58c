#include "planner/cost/layout.h"

#include <algorithm>

#include "planner/lower/mapping.h"
#include "planner/ops/operator.h"

namespace dfsim {

const LayoutPart* Layout::at(PeId pe) const {
  const auto found = std::lower_bound(parts.begin(), parts.end(), pe,
                                      [](const LayoutPart& part, PeId id) { return part.pe < id; });
  return found != parts.end() && found->pe == pe ? &*found : nullptr;
}

Layout layout_of(const Graph& graph, const HardwareSpec& hardware, OpId op, const PeGroup& group,
                 const OperatorCandidate& candidate, std::uint32_t first_sample, std::uint32_t samples) {
  OperatorCandidate untiled = candidate;  // tiles do not change who reads what
  untiled.temporal.clear();
  const OperatorMapping mapping = map_operator(graph, hardware, op, group, untiled, first_sample, samples);
  const Operator& node = graph.op(op);
  const OperatorKind& kind = kind_of(node);
  Layout layout;
  layout.op = op;
  for (const MappedPart& mapped : mapping.parts) {
    LayoutPart part;
    part.pe = mapped.pe;
    for (std::size_t input = 0; input < node.inputs.size(); ++input)
      part.inputs.push_back(kind.input_box(graph, op, input, mapped.block));
    for (std::size_t output = 0; output < node.outputs.size(); ++output)
      part.outputs.push_back(share_of_reduction(kind.output_box(graph, op, output, mapped.block),
                                                mapped.share,
                                                static_cast<std::uint32_t>(mapped.partners.size())));
    layout.parts.push_back(std::move(part));
  }
  std::sort(layout.parts.begin(), layout.parts.end(),
            [](const LayoutPart& a, const LayoutPart& b) { return a.pe < b.pe; });
  return layout;
}

MovedBytes moved_bytes(const Graph& graph, const Layout& producer, const Layout& consumer) {
  const Operator &from = graph.op(producer.op), &to = graph.op(consumer.op);
  MovedBytes moved;
  for (const LayoutPart& reader : consumer.parts) {
    const LayoutPart* owner = producer.at(reader.pe);
    std::uint64_t here = 0;
    for (std::size_t output = 0; output < from.outputs.size(); ++output) {
      std::uint64_t missing = 0;  // two inputs that read the same tensor share what has been moved
      for (std::size_t input = 0; input < to.inputs.size(); ++input) {
        if (to.inputs[input] != from.outputs[output]) continue;
        const Box& box = reader.inputs[input];
        const std::uint64_t local = owner ? box.intersection(owner->outputs[output]).elements() : 0;
        missing = std::max(missing, box.elements() - local);
      }
      here += missing * bytes_of(graph.tensor(from.outputs[output]).type).count();
    }
    moved.most = std::max(moved.most, here);
    moved.total += here;
  }
  return moved;
}

}  // namespace dfsim
