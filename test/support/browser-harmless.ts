/** What must not have come of hostile texts in a page that shows them. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Witnessed } from './browser.ts';

/** What they run: works in any frame of this origin, and where dialogs and requests are blocked. */
export const HIT = 'top.hits=(top.hits||0)+1';

/** What the frames of our pages show: bodies, each at its own address, and of a report its own document. */
const OWN_FRAME = /^about:srcdoc$|^http:\/\/[\w.:]+\/tickets\/tkt_\d+\/messages\/msg_\d+\/body$/;

/** Nothing ran, nothing was asked of anybody but `home`, and one is still where one was. */
export async function expectHarmless(
  page: Page,
  witnessed: Witnessed,
  { url, home }: { readonly url: string; readonly home: string },
): Promise<void> {
  expect(await page.evaluate('window.hits'), url).toBeUndefined();
  expect(page.url()).toBe(url);
  expect(witnessed.popups).toEqual([]);
  expect(witnessed.requests.filter((request) => !request.startsWith(home))).toEqual([]);
  // A frame that is only beginning to load has no address yet.
  for (const frame of page.frames().slice(1)) await expect.poll(() => frame.url()).toMatch(OWN_FRAME);
}

/** Presses every link's events and passes over everything, in the page and in its frames. */
export async function touchEverything(page: Page, within: string): Promise<void> {
  await page.evaluate(`for (const { contentDocument } of [window.document.defaultView, ...document.querySelectorAll('iframe')]
      .map((view) => ({ contentDocument: view.document ?? view.contentDocument })))
      for (const element of contentDocument.querySelectorAll(${JSON.stringify(within)}))
        for (const type of ['mouseover', 'focus', 'pointerdown', 'animationstart', 'toggle'])
          element.dispatchEvent(new Event(type, { bubbles: true }));`);
}

/** Every address in the page and in its frames. */
export async function addressesOf(page: Page): Promise<string[]> {
  return (await page.evaluate(`[document, ...[...document.querySelectorAll('iframe')].map((f) => f.contentDocument)]
      .flatMap((d) => [...d.querySelectorAll('[href], [src], [action], [formaction], [srcset]')])
      .flatMap((e) => ['href', 'src', 'action', 'formaction', 'srcset'].map((name) => e.getAttribute(name)).filter(Boolean))`)) as string[];
}
