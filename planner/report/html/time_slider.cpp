#include "planner/report/html/time_slider.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/report/html/svg.h"

namespace dfsim::html {

namespace {

constexpr int kShades = 64;

}  // namespace

const char* const kTimeSliderScript = R"js(
(() => {
  'use strict';
  const data = JSON.parse(document.getElementById('data-activity').textContent);
  const slider = document.getElementById('map-time'), told = document.getElementById('map-time-text');
  const view = document.querySelectorAll('.view-utilisation');
  const things = kind => Array.from(view).flatMap(v => Array.from(v.querySelectorAll('[data-' + kind + ']')));
  const keep = [];
  const remember = (element, name) => keep.push([element, name, element.getAttribute(name)]);
  const parts = {};
  for (const kind of ['pe', 'link', 'port'])
    parts[kind] = things(kind).map(g => ({index: Number(g.dataset[kind]), rect: g.querySelector('rect'),
      text: g.querySelector('text'), line: g.querySelector('line'), head: g.querySelector('path')}));
  for (const kind in parts) for (const p of parts[kind]) {
    if (p.rect) remember(p.rect, 'fill');
    if (p.text) remember(p.text, 'fill');
    if (p.line) { remember(p.line, 'stroke'); remember(p.line, 'stroke-width'); }
    if (p.head) remember(p.head, 'fill');
  }
  const words = parts.pe.map(p => p.text.textContent);
  const shade = share => data.shades[Math.round(Math.min(1, Math.max(0, share)) * (data.shades.length - 1))];
  const box = (p, share) => {
    p.rect.setAttribute('fill', shade(share));
    p.text.setAttribute('fill', share < 0.55 ? '#fff' : '#000');
  };
  const show = () => {
    const window = Number(slider.value) - 1;
    if (window < 0) {
      for (const [element, name, value] of keep) element.setAttribute(name, value);
      parts.pe.forEach((p, i) => { p.text.textContent = words[i]; });
      told.textContent = 'whole run';
      return;
    }
    const from = window * data.window_cycles, until = Math.min(data.cycles, from + data.window_cycles);
    told.textContent = 'cycles ' + from.toLocaleString('en') + ' to ' + until.toLocaleString('en');
    slider.setAttribute('aria-valuetext', told.textContent);
    for (const p of parts.pe) {
      const share = data.pes[p.index][window] / (until - from);
      box(p, share);
      p.text.textContent = Math.round(100 * share) + ' %';
    }
    for (const p of parts.link) {
      const share = data.links[p.index][window] / (until - from);
      p.line.setAttribute('stroke', shade(share));
      p.line.setAttribute('stroke-width', 2 + 3 * share);
      p.head.setAttribute('fill', shade(share));
    }
    for (const p of parts.port) box(p, data.ports[p.index][window] / (until - from) / data.port_bytes_per_cycle);
  };
  slider.max = data.pes.length > 0 ? data.pes[0].length : 0;
  slider.addEventListener('input', () => {
    document.getElementById('show-utilisation').checked = true;
    show();
  });
  slider.value = 0;
  document.getElementById('map-time-control').hidden = false;
})();
)js";

std::string time_slider(const ReportData& data) {
  if (data.activity.is_null()) return {};
  return "<p id=\"map-time-control\" hidden><label for=\"map-time\">time</label> <input type=\"range\" "
         "id=\"map-time\" min=\"0\" value=\"0\" step=\"1\" aria-valuetext=\"whole run\"> <output "
         "id=\"map-time-text\" for=\"map-time\">whole run</output></p>\n";
}

nlohmann::ordered_json time_slider_data(const ReportData& data) {
  nlohmann::ordered_json json = data.activity;
  const std::size_t ports = data.hardware->memory.size();
  json["port_bytes_per_cycle"] =
      ports == 0 ? 1.0
                 : std::max(1e-9, data.hardware->peak_dram_bytes_per_cycle() / static_cast<double>(ports));
  auto shades = nlohmann::ordered_json::array();
  for (int i = 0; i < kShades; ++i) shades.push_back(shade(i / (kShades - 1.0)));
  json["shades"] = shades;
  return json;
}

}  // namespace dfsim::html
