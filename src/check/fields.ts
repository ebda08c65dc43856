import type { MissingTimes } from '../domain/limits.ts';
import type { UnmappedPolicy } from '../domain/snapshot.ts';
import type { RecordRef } from '../domain/source.ts';
import { isJsonObject } from '../domain/source-file.ts';
import type { Reporter } from './findings.ts';

export type Candidate = Record<string, unknown>;

/** `prefix` leads to a nested object (`attachments[0].`). */
export function pickFields(
  source: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  report: Reporter,
  prefix = '',
): Candidate {
  const picked: Candidate = {};
  for (const key of keys) {
    const value = source[key];
    if (value === undefined || value === null) continue;
    picked[key] = typeof value === 'string' ? plainText(value, prefix + key, report) : value;
  }
  return picked;
}

/** Half surrogate pairs and NUL become U+FFFD, with a warning. */
export function plainText(text: string, path: string, report: Reporter): string {
  if (text.isWellFormed() && !text.includes('\0')) return text;
  report(path, 'invalid-unicode:text');
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

const DEEPEST = 32;

/** Sorted keys, so that another order is no change. Undefined if nested too deeply. */
export function canonical(value: unknown, path: string, report: Reporter): unknown {
  let isTooDeep = false;
  const visit = (part: unknown, depth: number): unknown => {
    if (typeof part === 'string') return plainText(part, path, report);
    if (typeof part !== 'object' || part === null) return part;
    if (depth >= DEEPEST) isTooDeep = true;
    if (isTooDeep) return undefined;
    if (!isJsonObject(part)) return (part as unknown[]).map((element) => visit(element, depth + 1));
    const sorted = Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1));
    // fromEntries keeps a key `__proto__`.
    return Object.fromEntries(sorted.map(([key, inner]) => [key.toWellFormed(), visit(inner, depth + 1)]));
  };
  const made = visit(value, 0);
  return isTooDeep ? undefined : made;
}

export interface CheckRules {
  /** Default: `drop`. */
  readonly unmapped?: UnmappedPolicy | undefined;
  readonly fileName: (ref: RecordRef) => string;
  /** Milliseconds since the epoch; later times are in the future. */
  readonly now: () => number;
  /** A mapped time as its cell says it. */
  readonly timeCell?: ((time: string) => string) | undefined;
  /** IANA; without it a time without a zone is an error. */
  readonly timezone?: string | undefined;
  /** Default: `reject`. */
  readonly missingTimes?: MissingTimes | undefined;
  /** For a ticket without any time; without it such a ticket is rejected. */
  readonly missingCreatedAt?: string | undefined;
  readonly tag: string;
  /** Undefined: no identity tags. */
  readonly sourceName?: (() => string | undefined) | undefined;
  readonly runTag?: string | undefined;
  readonly subject?: string | undefined;
  readonly channelId?: string | undefined;
  readonly readOnly?: boolean | undefined;
  readonly managedBy?: string | undefined;
  /** `status_change` (2.4), or `status_changed` as deployed. */
  readonly statusChangeType: string;
}
