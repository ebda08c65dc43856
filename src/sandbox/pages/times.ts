/** Times as the pages write them: in UTC, in words that no country reads differently; the viewer's zone is added there. */
import { html } from 'hono/html';
import type { Markup } from './page-shell.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'];

/** `4 Mar 2024`, in UTC. */
export function utcDay(iso: string): string {
  const date = new Date(iso);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** An instant: `4 Mar 2024, 13:02 UTC`. The exact one stands in the element. */
export function time(iso: string): Markup {
  const clock = new Date(iso).toISOString().slice(-13, -8);
  return html`<time datetime="${iso}" data-show="full">${utcDay(iso)}, ${clock} UTC</time>`;
}

/** Its day alone, where there is little room. */
export function day(iso: string): Markup {
  return html`<time datetime="${iso}" data-show="day">${utcDay(iso)}</time>`;
}

const DAY_MS = 86_400_000;

/** `3 days later`, where so much time lies between two entries of a thread that a reader should know; else undefined. */
export function gapWords(milliseconds: number): string | undefined {
  const days = Math.round(milliseconds / DAY_MS);
  if (milliseconds < DAY_MS) return undefined;
  if (days < 45) return days === 1 ? 'a day later' : `${days} days later`;
  const months = Math.round(days / 30.44);
  if (months < 24) return `${months} months later`;
  return `${Math.round(days / 365.25)} years later`;
}
