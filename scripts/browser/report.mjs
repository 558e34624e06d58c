// Opens a report from the disk in Chromium with the network off: report.mjs REPORT.html [SCREENSHOT]
//
// It must ask for nothing, say nothing on the console, hold every PE and link of its own data, react to switch and slider,
// run nothing that stands in a name, and have no serious fault for axe-core.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {Checks, launch} from './chromium.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const [file, screenshot] = process.argv.slice(2);
if (!file) {
  console.error('usage: report.mjs REPORT.html [SCREENSHOT]');
  process.exit(2);
}
const html = readFileSync(file, 'utf8');
const block = html.match(/id="data-measurement">(.*?)<\/script>/s);
const data = block ? JSON.parse(block[1]) : null;  // a page without a map (dfsim sweep) has none
const url = pathToFileURL(resolve(file)).href;

const browser = await launch();
const checks = new Checks();
try {
  const page = await browser.newPage();
  await page.setViewport({width: 1120, height: 1400});
  await page.setOfflineMode(true);
  const requests = [], messages = [];
  page.on('request', (request) => { if (request.url() !== url) requests.push(request.url()); });
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(String(error)));
  page.on('dialog', async (dialog) => { messages.push(`dialog: ${dialog.message()}`); await dialog.dismiss(); });
  await page.goto(url, {waitUntil: 'load'});
  checks.equal('size below 1 MB', html.length < 1_000_000, true);
  if (data) await checkMap(page, checks);
  checks.equal('elements that a name has made', await page.evaluate(() =>
    document.querySelectorAll('main script, main img, main iframe, main object').length + Number(!!window.hacked)), 0);
  checks.equal('requests', requests, []);
  checks.equal('console messages', messages, []);
  if (screenshot) await page.screenshot({path: screenshot});
} finally {
  await browser.close();
}
// The policy of the page forbids scripts from outside, so the accessibility checker gets a page of its own that ignores it.
const second = await launch();
try {
  const page = await second.newPage();
  await page.setBypassCSP(true);
  await page.goto(url, {waitUntil: 'load'});
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await axe.run()).violations.map(({id, impact, nodes}) =>
    ({id, impact, nodes: nodes.length, first: nodes[0].html.slice(0, 120)})));
  for (const fault of found) console.log(`       axe-core: ${JSON.stringify(fault)}`);
  checks.equal('serious faults for axe-core', found.filter(({impact}) => ['serious', 'critical'].includes(impact)).map(({id}) => id), []);
} finally {
  await second.close();
}
process.exit(checks.failed ? 1 : 0);

async function checkMap(page, checks) {
  const things = () => page.evaluate(() => Object.fromEntries(['pe', 'link', 'port'].map((kind) =>
    [kind, new Set([...document.querySelectorAll(`.view-utilisation [data-${kind}]`)].map((e) => e.dataset[kind])).size])));
  checks.equal('PEs, links and ports on the map', await things(),
    {pe: data.pes.length, link: data.links.length, port: data.ports.length});
  const shown = () => page.evaluate(() => ['utilisation', 'stalls', 'bytes'].filter((name) =>
    getComputedStyle(document.querySelector(`.view-${name}`)).display !== 'none'));
  for (const name of ['stalls', 'bytes', 'utilisation']) {
    await page.focus(`#show-${name}`);
    await page.keyboard.press('Space');
    checks.equal(`switch to ${name}, by keyboard`, await shown(), [name]);
  }
  const colours = () => page.evaluate(() => [...document.querySelectorAll('.view-utilisation [data-pe] rect')]
    .map((e) => e.getAttribute('fill')).join());
  const slider = await page.$('#map-time');
  if (!slider) return;
  const before = await colours();
  await page.focus('#map-time');
  await page.keyboard.press('Home');
  const seen = new Set([before]);
  for (let i = 0; i < 30; ++i) {
    await page.keyboard.press('ArrowRight');
    seen.add(await colours());
  }
  checks.equal('the slider recolours the map', seen.size > 2, true);
}
