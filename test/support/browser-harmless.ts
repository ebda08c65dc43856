/** What must not have come of hostile texts in a page that shows them. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Witnessed } from './browser.ts';

/** What they run: works in any frame of this origin, and where dialogs and requests are blocked. */
export const HIT = 'top.hits=(top.hits||0)+1';

/** Nothing ran, nothing was asked of anybody but `home`, and one is still where one was. */
export async function expectHarmless(
  page: Page,
  witnessed: Witnessed,
  { url, home }: { readonly url: string; readonly home: string },
): Promise<void> {
  expect(await page.evaluate('window.hits'), url).toBeUndefined();
  expect(page.url()).toBe(url);
  expect(witnessed.popups).toEqual([]);
  expect(
    witnessed.requests.filter((request) => !request.startsWith(home) && request !== 'about:srcdoc'),
  ).toEqual([]);
  // A frame that is only beginning to load has no address yet.
  for (const frame of page.frames().slice(1)) await expect.poll(() => frame.url()).toBe('about:srcdoc');
}
