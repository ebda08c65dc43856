/** Chromium for tests of pages. `describeInBrowser` skips, with the reason in its name, if it is missing. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, vi } from 'vitest';
import { type Look, launchChromium, newWindow, sizeOf } from './browser-window.ts';
import { isInstalled, PROGRAMS } from './programs.ts';

export type { Look } from './browser-window.ts';

/** What went on behind a page, during one test. */
export interface Witnessed {
  /** Addresses of all requests that were let out, `data:` ones aside; not of those that the page's policy held back. */
  readonly requests: string[];
  /** Errors in the page's scripts, and what the console tells as one. */
  readonly errors: string[];
  /** Windows that it opened. */
  readonly popups: string[];
}

export interface TestBrowser {
  /** An empty page that looks so. Tests that ask for the same look get the same page, without its past. */
  page(look?: Look): Promise<{ page: Page; witnessed: Witnessed }>;
}

/** A group of tests that share one Chromium. */
export function describeInBrowser(name: string, tests: (browser: TestBrowser) => void): void {
  const skipped = !isInstalled('Chromium');
  const title = skipped ? `${name} (skipped: there is no Chromium at ${PROGRAMS.Chromium})` : name;
  describe.skipIf(skipped)(title, () => {
    // Machines that test many things at once are slow.
    vi.setConfig({ testTimeout: 60_000 });
    let browser: Browser | undefined;
    const pages = new Map<string, { page: Page; witnessed: Witnessed }>();
    beforeAll(async () => {
      browser = await launchChromium();
    });
    afterEach(async () => {
      for (const { page } of pages.values()) await forgetPast(page);
    });
    afterAll(async () => {
      await browser?.close();
    });
    tests({
      async page(look = {}) {
        if (browser === undefined) throw new Error('the browser has not been started');
        const key = JSON.stringify(look);
        const known = pages.get(key);
        if (known !== undefined) {
          await known.page.setViewportSize(sizeOf(look));
          for (const list of Object.values(known.witnessed)) list.length = 0;
          return known;
        }
        const page = await (await newWindow(browser, look)).newPage();
        const made = { page, witnessed: witness(page) };
        pages.set(key, made);
        return made;
      },
    });
  });
}

/** A new window costs more than most tests. */
async function forgetPast(page: Page): Promise<void> {
  const others = page
    .context()
    .pages()
    .filter((other) => other !== page);
  await Promise.all(others.map((other) => other.close()));
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().unrouteAll({ behavior: 'ignoreErrors' });
  if (page.url() === 'about:blank') return;
  await page.evaluate('sessionStorage.clear()').catch(() => undefined);
  await page.goto('about:blank');
}

function witness(page: Page): Witnessed {
  const witnessed: Witnessed = { requests: [], errors: [], popups: [] };
  const window = page.context();
  window.on('request', (request) => {
    if (!/^(?:data|about):/.test(request.url())) witnessed.requests.push(request.url());
  });
  window.on('page', (popup) => {
    if (popup !== page) witnessed.popups.push(popup.url());
  });
  window.on('requestfailed', (request) => {
    if (request.failure()?.errorText === 'csp')
      witnessed.requests.splice(witnessed.requests.lastIndexOf(request.url()), 1);
  });
  page.on('pageerror', (error) => witnessed.errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') witnessed.errors.push(message.text());
  });
  return witnessed;
}
