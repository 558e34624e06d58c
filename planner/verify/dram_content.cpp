#include "planner/verify/dram_content.h"

#include <fmt/format.h>

#include <algorithm>

namespace dfsim {

DramContent::DramContent(const Program& program, const ProgramMap& map, const Graph& graph,
                         Comparison& comparison)
    : program_(program), map_(map), graph_(graph), comparison_(comparison) {
  for (const DramTensor& tensor : program.dram_tensors) add_pieces(tensor);
  for (const Transfer& transfer : program.transfers)
    if (transfer.kind == TransferKind::load &&
        graph.tensor(map.tensor(transfer.tensor)).role == TensorRole::weight)
      add_tiles(transfer);
}

/// No two pieces may share a byte; those of an input or output are whole copies of it.
void DramContent::add_pieces(const DramTensor& tensor) {
  std::uint64_t first = 0;
  for (const DramSegment& piece : tensor.pieces) {
    const bool table = tensor.role == DramTensorRole::embedding;
    const std::uint64_t end =
        piece.address + std::uint64_t{piece.stride} * (std::max(piece.count, 1u) - 1) + piece.bytes;
    const auto next = pieces_.lower_bound({piece.port, piece.address});
    const bool meets_next =
        next != pieces_.end() && next->first.first == piece.port && next->first.second < end;
    const bool meets_previous = next != pieces_.begin() && std::prev(next)->first.first == piece.port &&
                                std::prev(next)->second.end > piece.address;
    if (meets_next || meets_previous)
      throw FaultFound(fmt::format("a piece of '{}' lies on another at byte {} of memory port {}",
                                   program_.tensors[tensor.tensor.value()].name, piece.address,
                                   piece.port.value()));
    pieces_.emplace(Address{piece.port, piece.address},
                    Piece{end, tensor.tensor.value(), first, table ? piece.bytes : 0});
    first += std::uint64_t{piece.bytes} * piece.count;
  }
  const Tensor& whole = graph_.tensor(map_.tensor(tensor.tensor));
  if (!whole.has_samples()) return;
  const std::uint64_t bytes = whole.elements() * map_.element_bytes(tensor.tensor) * program_.samples;
  if (first % bytes != 0)
    throw FaultFound(fmt::format("the pieces of '{}' hold {} bytes and no whole copies of its {}",
                                 program_.tensors[tensor.tensor.value()].name, first, bytes));
}

void DramContent::add_tiles(const Transfer& transfer) {
  if (!comparison_.reference().stored_box(map_.tensor(transfer.tensor)).contains(transfer.box))
    throw FaultFound(fmt::format("a load brings {} of '{}', which has no such region",
                                 transfer.box.to_string(), program_.tensors[transfer.tensor.value()].name));
  Tile tile{transfer.tensor.value(), transfer.box, 0};
  for (std::uint32_t s = transfer.segments.begin; s < transfer.segments.end; ++s) {
    const DramSegment& segment = program_.segments[s];
    const auto [it, added] = tiles_.emplace(Address{segment.port, segment.address}, tile);
    if (!added && !(it->second == tile))
      throw FaultFound(fmt::format("two loads of '{}' bring different tiles from byte {} of memory port {}",
                                   program_.tensors[transfer.tensor.value()].name, segment.address,
                                   segment.port.value()));
    tile.skipped += std::uint64_t{segment.bytes} * segment.count;
  }
}

const std::pair<const DramContent::Address, DramContent::Piece>& DramContent::piece_at(
    const Transfer& transfer, PortId port, std::uint64_t address, std::uint64_t bytes) const {
  auto it = pieces_.upper_bound({port, address});
  if (it != pieces_.begin()) {
    --it;
    if (it->first.first == port && address + bytes <= it->second.end &&
        it->second.tensor == transfer.tensor.value())
      return *it;
  }
  throw FaultFound(fmt::format("bytes {} to {} of memory port {} are no part of '{}'", address,
                               address + bytes, port.value(),
                               program_.tensors[transfer.tensor.value()].name));
}

/// Calls visit(sample, first element in the sample, elements) for every contiguous stretch, in order.
template <class Visit>
void DramContent::each_stretch(const Transfer& transfer, const Visit& visit) const {
  const std::uint32_t width = map_.element_bytes(transfer.tensor);
  const std::uint64_t per_sample = graph_.tensor(map_.tensor(transfer.tensor)).elements();
  for (std::uint32_t s = transfer.segments.begin; s < transfer.segments.end; ++s) {
    const DramSegment& segment = program_.segments[s];
    for (std::uint32_t i = 0; i < segment.count; ++i) {
      const std::uint64_t address = segment.address + std::uint64_t{segment.stride} * i;
      const auto& [begin, piece] = piece_at(transfer, segment.port, address, segment.bytes);
      // Pieces follow each other in the order of the tensor's bytes, samples outermost, copy after copy.
      std::uint64_t element = (piece.first + address - begin.second) / width, left = segment.bytes / width;
      while (left > 0) {
        const std::uint64_t inside = element % per_sample, here = std::min(left, per_sample - inside);
        visit(static_cast<std::uint32_t>(element / per_sample % program_.samples), inside, here);
        element += here;
        left -= here;
      }
    }
  }
}

std::vector<float> DramContent::load(const Transfer& transfer, std::uint32_t period) const {
  const TensorId tensor = map_.tensor(transfer.tensor);
  std::vector<float> values(transfer.bytes / map_.element_bytes(transfer.tensor));
  if (!graph_.tensor(tensor).has_samples()) {
    const DramSegment& first = program_.segments[transfer.segments.begin];
    piece_at(transfer, first.port, first.address, first.bytes);
    const Tile& tile = tiles_.at({first.port, first.address});
    if (tile.box.elements() != values.size())
      throw FaultFound(
          fmt::format("the load brings {} elements for a region of {}", values.size(), tile.box.elements()));
    comparison_.expected(tensor, tile.box, period, values.data());
    return values;
  }
  std::uint64_t at = 0;
  each_stretch(transfer, [&](std::uint32_t sample, std::uint64_t element, std::uint64_t elements) {
    const float* from =
        comparison_.reference().sample_values(tensor, comparison_.data_sample(sample, period));
    std::copy_n(from + element, elements, values.data() + at);
    at += elements;
  });
  return values;
}

void DramContent::check_rows(const Transfer& transfer) const {
  for (std::uint32_t s = transfer.segments.begin; s < transfer.segments.end; ++s) {
    const DramSegment& segment = program_.segments[s];
    const auto& [begin, piece] = piece_at(transfer, segment.port, segment.address, segment.bytes);
    if (piece.row_bytes != 0 && (segment.bytes != piece.row_bytes || segment.count != 1 ||
                                 (segment.address - begin.second) % piece.row_bytes != 0))
      throw FaultFound(fmt::format("bytes {} to {} of memory port {} are no row of the table",
                                   segment.address, segment.address + segment.bytes, segment.port.value()));
  }
}

void DramContent::store(const Transfer& transfer, const Box& box, std::uint32_t period, const float* values) {
  const TensorId tensor = map_.tensor(transfer.tensor);
  std::vector<std::uint32_t>& stored = stored_[transfer.tensor.value()];
  const std::uint64_t per_sample = graph_.tensor(tensor).elements();
  stored.resize(per_sample * program_.samples, 0);
  // What belongs at the addresses, in the order of the segments, must be what `box` is to hold.
  std::vector<float> wanted(box.elements()), there;
  comparison_.expected(tensor, box, period, wanted.data());
  each_stretch(transfer, [&](std::uint32_t sample, std::uint64_t element, std::uint64_t elements) {
    const float* from =
        comparison_.reference().sample_values(tensor, comparison_.data_sample(sample, period));
    there.insert(there.end(), from + element, from + element + elements);
    for (std::uint64_t i = 0; i < elements; ++i) ++stored[sample * per_sample + element + i];
  });
  if (there != wanted) throw FaultFound("the store's addresses are not those of its region");
  comparison_.check(tensor, box, period, values);
}

void DramContent::check_complete(std::uint32_t periods) const {
  // A program of transfers alone names operators that it does not execute.
  std::vector<bool> executed(program_.operators.size(), false);
  for (const PeProgram& pe : program_.pes)
    for (const MicroOp& op : pe.ops)
      if (computes(op)) executed[op.op.value()] = true;
  for (std::uint32_t op = 0; op < program_.operators.size(); ++op) {
    if (!executed[op]) continue;
    for (const TensorId output : graph_.op(map_.op(OpId(op))).outputs) {
      const Tensor& tensor = graph_.tensor(output);
      if (tensor.role != TensorRole::output) continue;
      const auto named = std::find_if(program_.tensors.begin(), program_.tensors.end(),
                                      [&](const ProgramTensor& t) { return t.name == tensor.name; });
      const auto stored = stored_.find(static_cast<std::uint32_t>(named - program_.tensors.begin()));
      if (stored != stored_.end() && std::all_of(stored->second.begin(), stored->second.end(),
                                                 [&](std::uint32_t times) { return times >= periods; }))
        continue;
      Fault fault;
      fault.what = fmt::format("not all of output '{}' was stored in every period", tensor.name);
      fault.tensor = tensor.name;
      throw FaultFound(std::move(fault));
    }
  }
}

}  // namespace dfsim
