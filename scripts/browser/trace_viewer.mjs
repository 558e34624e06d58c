// Opens a trace in the trace viewer of Chromium (catapult) and counts there what was imported: trace_viewer.mjs TRACE [SCREENSHOT]
//
// Slices, arrows bound at both ends, counter values and tracks must be those of the file, and the importer must not warn.
// DFSIM_TRACE_VIEWER names the folder of trace_viewer_full.html and webcomponents.min.js.
import {createReadStream, existsSync, readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {basename} from 'node:path';
import {gunzipSync} from 'node:zlib';
import {Checks, launch} from './chromium.mjs';

const kViewer = process.env.DFSIM_TRACE_VIEWER ?? '/usr/share/go-1.19/src/cmd/trace/static';

/// What the file says, counted without the viewer.
function countsOf(text) {
  const events = JSON.parse(text).traceEvents;
  const counts = {slices: 0, arrows: 0, values: 0};
  const threads = new Set(), counters = new Set(), groups = new Set();
  const starts = new Set(), ends = new Map();
  for (const e of events) {
    if (e.ph === 'X') { ++counts.slices; threads.add(`${e.pid}/${e.tid}`); groups.add(e.pid); }
    if (e.ph === 'C') { ++counts.values; counters.add(`${e.pid}/${e.name}`); groups.add(e.pid); }
    if (e.ph === 's') starts.add(e.id);
    if (e.ph === 'f') ends.set(e.id, (ends.get(e.id) ?? 0) + 1);
  }
  for (const [id, count] of ends) if (starts.has(id)) counts.arrows += count;
  counts.loose = [...starts].filter((id) => !ends.has(id)).length + [...ends.keys()].filter((id) => !starts.has(id)).length;
  return {...counts, threads: threads.size, counters: counters.size, groups: groups.size};
}

function serve(text) {
  const page = `<!DOCTYPE html><html><head><meta charset="utf-8">
<style>html,body{margin:0;height:100%} #trace-viewer{width:100%;height:100%}</style>
<script src="/webcomponents.min.js"></script>
<link rel="import" href="/trace_viewer_full.html"></head><body></body></html>`;
  const server = createServer((request, response) => {
    const name = basename(request.url);
    const file = `${kViewer}/${name}`;
    if (request.url === '/trace') { response.end(text); return; }
    if (request.url === '/') { response.setHeader('content-type', 'text/html'); response.end(page); return; }
    if (!existsSync(file)) { response.statusCode = 404; response.end(); return; }
    response.setHeader('content-type', name.endsWith('.js') ? 'text/javascript' : 'text/html');
    createReadStream(file).pipe(response);
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}

/// Runs in the page: imports the trace, counts, and shows it.
async function importTrace() {
  const text = await (await fetch('/trace')).text();
  const model = new tr.Model();
  await new tr.importer.Import(model).importTraces([text]);
  const counts = {slices: 0, arrows: 0, values: 0, loose: 0, threads: 0, counters: 0, groups: 0};
  let unbound = 0;
  for (const flow of model.flowEvents) {
    if (flow.startSlice && flow.endSlice) ++counts.arrows; else ++unbound;
  }
  counts.loose = unbound;
  for (const process of model.getAllProcesses()) {
    let used = false;
    for (const thread of Object.values(process.threads)) {
      if (thread.sliceGroup.length === 0) continue;
      counts.slices += thread.sliceGroup.length;
      ++counts.threads;
      used = true;
    }
    for (const counter of Object.values(process.counters)) {
      ++counts.counters;
      for (const series of counter.series) counts.values += series.length;
      used = true;
    }
    if (used) ++counts.groups;
  }
  const view = document.createElement('tr-ui-timeline-view');
  const tracks = document.createElement('track-view-container');  // the view looks for it by this id
  tracks.id = 'track_view_container';
  view.id = 'trace-viewer';
  view.track_view_container = tracks;
  Polymer.dom(view).appendChild(tracks);
  view.globalMode = true;
  Polymer.dom(document.body).appendChild(view);
  view.model = model;
  return {counts, warnings: model.importWarnings.map((warning) => `${warning.type}: ${warning.message}`)};
}

const [file, screenshot] = process.argv.slice(2);
if (!file) {
  console.error('usage: trace_viewer.mjs TRACE [SCREENSHOT]');
  process.exit(2);
}
const bytes = readFileSync(file);
const text = file.endsWith('.gz') ? gunzipSync(bytes).toString() : bytes.toString();
const written = countsOf(text);
const server = await serve(text);
const browser = await launch();
const checks = new Checks();
try {
  const page = await browser.newPage();
  await page.setViewport({width: 1400, height: 900});
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction('window.tr && tr.Model && tr.importer && tr.importer.Import', {timeout: 300_000});
  const seen = await page.evaluate(importTrace);
  for (const [what, count] of Object.entries(seen.counts)) checks.equal(what, count, written[what]);
  checks.equal('import warnings', seen.warnings, []);
  if (screenshot) {
    await new Promise((done) => setTimeout(done, 3000));
    await page.screenshot({path: screenshot});
  }
} finally {
  await browser.close();
  server.close();
}
process.exit(checks.failed ? 1 : 0);
