// Starts the installed Chromium without a window. `DFSIM_CHROMIUM` names another browser.
import {existsSync} from 'node:fs';
import puppeteer from 'puppeteer-core';

export async function launch(extra = []) {
  const paths = [process.env.DFSIM_CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome'];
  const executablePath = paths.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error('no Chromium is installed (Debian: chromium)');
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-extensions', ...extra];
  return puppeteer.launch({executablePath, headless: true, args, protocolTimeout: 1_800_000});
}

/// Prints "ok" or "FAILED" for each check and remembers whether one failed.
export class Checks {
  failed = 0;
  equal(what, seen, expected) {
    const good = JSON.stringify(seen) === JSON.stringify(expected);
    if (!good) ++this.failed;
    const text = JSON.stringify(seen);
    console.log(`${good ? 'ok    ' : 'FAILED'} ${what}: ${text}${good ? '' : `, expected ${JSON.stringify(expected)}`}`);
  }
}
