/** Chromium, and windows of it that are the same on every machine. */

import { type Browser, type BrowserContext, chromium, type Locator } from 'playwright-core';
import { TOKEN } from '../sandbox/running-sandbox.ts';
import { PROGRAMS } from './programs.ts';

/** Nothing that calls home; a sandbox of its own needs rights that a container does not give. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--font-render-hinting=none',
  '--disable-lcd-text',
  '--force-color-profile=srgb',
];

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: PROGRAMS.Chromium, args: FLAGS });
}

export interface Look {
  dark?: boolean;
  phone?: boolean;
  timeZone?: string;
  /** CSS pixels. */
  size?: { width: number; height: number };
  /** Without the pages' scripts. */
  plain?: boolean;
  /** Device pixels for each CSS pixel. */
  scale?: number;
}

const PHONE = { width: 390, height: 844 };

export function sizeOf(look: Look): { width: number; height: number } {
  return look.size ?? (look.phone === true ? PHONE : { width: 1280, height: 860 });
}

/** A window of its own: zone, colours and size are fixed, so that what it shows is the same everywhere. */
export function newWindow(browser: Browser, look: Look = {}): Promise<BrowserContext> {
  return browser.newContext({
    viewport: sizeOf(look),
    deviceScaleFactor: look.scale ?? 1,
    colorScheme: look.dark === true ? 'dark' : 'light',
    reducedMotion: 'reduce',
    timezoneId: look.timeZone ?? 'America/New_York',
    locale: 'en-GB',
    javaScriptEnabled: look.plain !== true,
    hasTouch: look.phone === true,
    // The pages ask for it; in a cookie it would go with a test's other addresses too.
    extraHTTPHeaders: { authorization: `Bearer ${TOKEN}` },
    isMobile: look.phone === true,
  });
}

/** What a reader sees of it, on one line. */
export async function textOf(locator: Locator): Promise<string> {
  return (await textsOf(locator)).join(' ');
}

/** The same for each of several. */
export async function textsOf(locator: Locator): Promise<string[]> {
  return (await locator.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
}
