#include "sim/trace/perfetto_trace.h"

#include <protozero/pbf_writer.hpp>

namespace dfsim {

namespace {

using protozero::pbf_writer;

// Field numbers of perfetto.protos; see docs/schemas/trace.proto.
constexpr std::uint32_t kTracePacket = 1;
namespace packet_field {
constexpr std::uint32_t kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInternedData = 12,
                        kSequenceFlags = 13, kTrackDescriptor = 60;
}
namespace track_field {
constexpr std::uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8,
                        kChildOrdering = 11, kRank = 12;
}
namespace event_field {
constexpr std::uint32_t kCategory = 3, kAnnotation = 4, kType = 9, kName = 10, kTrack = 11, kDoubleValue = 44,
                        kFlow = 47, kTerminatingFlow = 48;
}
namespace interned_field {
constexpr std::uint32_t kCategories = 1, kNames = 2, kArgumentNames = 3, kArgumentTexts = 29;
constexpr std::uint32_t kNumber = 1, kText = 2;
}  // namespace interned_field
namespace annotation_field {
constexpr std::uint32_t kName = 1, kNumber = 3, kText = 17;
}

enum EventType : std::int32_t { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounterValue = 4 };
constexpr std::uint32_t kCleared = 1, kNeedsState = 2;  // SequenceFlags
constexpr std::uint32_t kOnlySequence = 1;
constexpr std::int32_t kExplicitOrder = 3;  // TrackDescriptor.ChildTracksOrdering

/// Processes and threads have numbers of their own each; uuids are common.
std::uint64_t process_uuid(std::uint32_t process) { return std::uint64_t{1} << 32 | process; }
std::uint64_t track_uuid(std::uint32_t id) { return std::uint64_t{2} << 32 | id; }
constexpr std::uint64_t kAboutUuid = std::uint64_t{3} << 32;

}  // namespace

PerfettoTrace::PerfettoTrace(ByteSink& out, std::uint64_t cycle_ps) : out_(out), cycle_ps_(cycle_ps) {}

void PerfettoTrace::put(const std::string& packet) {
  std::string text;
  pbf_writer(text).add_message(kTracePacket, packet);
  out_.write(text);
}

void PerfettoTrace::descriptor(const std::string& track_descriptor) {
  std::string text;
  pbf_writer packet(text);
  packet.add_uint32(packet_field::kSequence, kOnlySequence);
  packet.add_message(packet_field::kTrackDescriptor, track_descriptor);
  put(text);
}

void PerfettoTrace::process(const TraceProcess& process) {
  std::string text;
  pbf_writer track(text);
  track.add_uint64(track_field::kUuid, process_uuid(process.id));
  {
    pbf_writer part(track, track_field::kProcess);
    part.add_int32(1, static_cast<std::int32_t>(process.id));
    part.add_string(6, process.name);
  }
  track.add_enum(track_field::kChildOrdering, kExplicitOrder);
  track.add_int32(track_field::kRank, static_cast<std::int32_t>(process.order));
  descriptor(text);
}

void PerfettoTrace::thread(const TraceThread& thread) {
  std::string text;
  pbf_writer track(text);
  track.add_uint64(track_field::kUuid, track_uuid(thread.id));
  {
    pbf_writer part(track, track_field::kThread);
    part.add_int32(1, static_cast<std::int32_t>(thread.process));
    part.add_int32(2, static_cast<std::int32_t>(thread.id));
    part.add_string(5, thread.name);
  }
  track.add_uint64(track_field::kParent, process_uuid(thread.process));
  track.add_int32(track_field::kRank, static_cast<std::int32_t>(thread.order));
  descriptor(text);
}

void PerfettoTrace::counter_track(const TraceCounter& counter) {
  std::string text;
  pbf_writer track(text);
  track.add_uint64(track_field::kUuid, track_uuid(counter.id));
  track.add_string(track_field::kName, counter.name);
  track.add_uint64(track_field::kParent, process_uuid(counter.process));
  {
    pbf_writer part(track, track_field::kCounter);
    part.add_string(6, counter.unit);
  }
  descriptor(text);
}

std::uint64_t PerfettoTrace::interned(Interned& table, std::uint32_t field, std::string_view text) {
  if (const auto known = table.find(text); known != table.end()) return known->second;
  const std::uint64_t number = table.size() + 1;
  table.emplace(text, number);
  pbf_writer data(new_texts_);
  pbf_writer entry(data, field);
  entry.add_uint64(interned_field::kNumber, number);
  entry.add_string(interned_field::kText, text.data(), text.size());
  return number;
}

std::string PerfettoTrace::annotations(const std::vector<TraceArgument>& arguments) {
  std::string text;
  pbf_writer event(text);
  for (const TraceArgument& argument : arguments) {
    // Texts first: a message must not grow while another one is open.
    const std::uint64_t name = interned(argument_names_, interned_field::kArgumentNames, argument.name);
    const std::uint64_t value =
        argument.is_text ? interned(argument_texts_, interned_field::kArgumentTexts, argument.text) : 0;
    pbf_writer annotation(event, event_field::kAnnotation);
    annotation.add_uint64(annotation_field::kName, name);
    if (argument.is_text)
      annotation.add_uint64(annotation_field::kText, value);
    else
      annotation.add_uint64(annotation_field::kNumber, argument.number);
  }
  return text;
}

void PerfettoTrace::packet(std::uint64_t cycle, const std::string& event) {
  std::string text;
  pbf_writer packet(text);
  packet.add_uint64(packet_field::kTimestamp, cycle * cycle_ps_ / 1000);
  packet.add_uint32(packet_field::kSequence, kOnlySequence);
  packet.add_uint32(packet_field::kSequenceFlags, first_ ? kCleared | kNeedsState : kNeedsState);
  first_ = false;
  if (!new_texts_.empty()) packet.add_message(packet_field::kInternedData, new_texts_);
  new_texts_.clear();
  packet.add_message(packet_field::kTrackEvent, event);
  put(text);
}

void PerfettoTrace::slice(const TraceSlice& slice) {
  std::string begin = annotations(slice.arguments);
  const std::uint64_t category = interned(categories_, interned_field::kCategories, slice.category);
  const std::uint64_t name = interned(names_, interned_field::kNames, slice.name);
  pbf_writer event(begin);
  event.add_uint64(event_field::kCategory, category);
  event.add_enum(event_field::kType, kSliceBegin);
  event.add_uint64(event_field::kName, name);
  event.add_uint64(event_field::kTrack, track_uuid(slice.thread));
  for (const std::uint64_t arrow : slice.arrows_out) event.add_fixed64(event_field::kFlow, arrow);
  packet(slice.start, begin);
  // The arrow ends with the slice: a receive may begin long before its send.
  std::string end;
  pbf_writer last(end);
  last.add_enum(event_field::kType, kSliceEnd);
  last.add_uint64(event_field::kTrack, track_uuid(slice.thread));
  if (slice.arrow_in) last.add_fixed64(event_field::kTerminatingFlow, *slice.arrow_in);
  packet(slice.end, end);
}

void PerfettoTrace::counter(const TraceCounter& track, std::uint64_t cycle, double value) {
  std::string text;
  pbf_writer event(text);
  event.add_enum(event_field::kType, kCounterValue);
  event.add_uint64(event_field::kTrack, track_uuid(track.id));
  event.add_double(event_field::kDoubleValue, value);
  packet(cycle, text);
}

void PerfettoTrace::finish(const TraceHead& head) {
  std::string track;
  pbf_writer about(track);
  about.add_uint64(track_field::kUuid, kAboutUuid);
  about.add_string(track_field::kName, "about this trace");
  descriptor(track);
  std::string text = annotations(head);
  const std::uint64_t name = interned(names_, interned_field::kNames, "about this trace");
  pbf_writer event(text);
  event.add_enum(event_field::kType, kInstant);
  event.add_uint64(event_field::kName, name);
  event.add_uint64(event_field::kTrack, kAboutUuid);
  packet(0, text);
}

}  // namespace dfsim
