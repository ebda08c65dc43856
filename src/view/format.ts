/** Always English. */
import { countOf, formatCount } from '../domain/printable.ts';

/** Slow to make, so only on first use. */
let rates: Intl.NumberFormat | undefined;

/** Rounded down, so that 100% means all; at least 1% of something. */
export function formatShare(part: number, whole: number): string {
  if (whole <= 0) return '100%';
  const percent = Math.floor((Math.min(part, whole) / whole) * 100);
  return `${part > 0 && percent === 0 ? '<1' : percent}%`;
}

/** Add up to 100%: what is left over goes to those cut the most. */
export function wholeShares(parts: readonly number[]): string[] {
  const whole = parts.reduce((sum, part) => sum + part, 0);
  if (whole <= 0) return parts.map(() => '0%');
  const exact = parts.map((part) => (part / whole) * 100);
  const shares = exact.map(Math.floor);
  const byRest = exact.map((_, at) => at).sort((a, b) => ((exact[b] ?? 0) % 1) - ((exact[a] ?? 0) % 1));
  let left = 100 - shares.reduce((sum, share) => sum + share, 0);
  for (const at of byRest) if (left-- > 0) shares[at] = (shares[at] ?? 0) + 1;
  return shares.map((share, at) => {
    const part = parts[at] ?? 0;
    if (part > 0 && share === 0) return '<1%';
    return share === 100 && part < whole ? '>99%' : `${share}%`;
  });
}

export function formatRate(perSecond: number): string {
  if (!Number.isFinite(perSecond) || perSecond <= 0) return '0/s';
  if (perSecond >= 100) return `${formatCount(perSecond)}/s`;
  rates ??= new Intl.NumberFormat('en-US', { maximumSignificantDigits: 2 });
  return perSecond < 1 ? `${rates.format(perSecond * 60)}/min` : `${rates.format(perSecond)}/s`;
}

const UNITS = [
  { unit: 'd', seconds: 86_400, rest: 'h', restSeconds: 3600 },
  { unit: 'h', seconds: 3600, rest: 'min', restSeconds: 60 },
  { unit: 'min', seconds: 60, rest: 's', restSeconds: 1 },
] as const;

/** `420 ms`, `3.4 s`, `12 s`, `5 min 12 s`, `5 h 12 min`, `2 d 3 h`. */
export function formatDuration(milliseconds: number): string {
  const ms = Math.max(0, milliseconds);
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  for (const { unit, seconds, rest, restSeconds } of UNITS) {
    // First, so that there is no `59 min 60 s`.
    const whole = Math.round(ms / 1000 / restSeconds) * restSeconds;
    if (whole < seconds) continue;
    const behind = Math.round((whole % seconds) / restSeconds);
    return `${formatCount(Math.floor(whole / seconds))} ${unit}${behind === 0 ? '' : ` ${behind} ${rest}`}`;
  }
  return `${Math.round(ms / 1000)} s`;
}

export function formatEstimate(milliseconds: number): string {
  const step = milliseconds > 600_000 ? 60_000 : milliseconds > 60_000 ? 10_000 : 1000;
  return formatDuration(Math.max(1, Math.round(milliseconds / step)) * step);
}

const SIZES = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

export function formatBytes(bytes: number): string {
  let size = Math.max(0, bytes);
  let step = 0;
  while (size >= 999.5 && step < SIZES.length - 1) {
    size /= 1000;
    step++;
  }
  if (step === 0) return countOf(Math.round(size), 'byte');
  return `${size < 9.95 ? size.toFixed(1) : Math.round(size)} ${SIZES[step]}`;
}

/** In UTC, or in this zone. */
export function formatDay(iso: string, timeZone?: string): string {
  return timeZone === undefined ? iso.slice(0, 10) : new Date(iso).toLocaleDateString('sv-SE', { timeZone });
}

export function formatMinute(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}

/** With its zone, for log lines. */
export function formatInstant(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/** `agt_1 (Ana), agt_2 and 12 more` */
export function idsAndNames(
  items: readonly { readonly id: string; readonly name?: unknown }[],
  total: number,
): string {
  const named = items.map(({ id, name }) =>
    typeof name === 'string' && name !== '' ? `${id} (${name})` : id,
  );
  const more = total - items.length;
  return `${named.join(', ')}${more > 0 ? ` and ${formatCount(more)} more` : ''}`;
}
