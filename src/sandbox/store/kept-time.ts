/** A time as the sandbox keeps it: the instant that was sent, answered in UTC, and its milliseconds to sort by. */
import { parseTime } from '../../time/iso-time.ts';

export interface KeptTime {
  readonly iso: string;
  /** Milliseconds since the epoch. */
  readonly ms: number;
}

/** `text` has passed the schemas; a text that is no instant would be a defect. */
export function keptTime(text: string): KeptTime {
  const parsed = parseTime(text);
  if (parsed.kind !== 'instant') throw new Error(`not an instant: ${text}`);
  return timeAt(parsed.ms);
}

/** The time of the request, where a body leaves the time to the service. */
export function timeAt(ms: number): KeptTime {
  return { iso: new Date(ms).toISOString(), ms };
}

export function keptTimeOr(text: string | undefined, now: number): KeptTime {
  return text === undefined ? timeAt(now) : keptTime(text);
}

/** An optional time's text as it is kept. */
export function keptIso(text: string | undefined): string | null {
  return text === undefined ? null : keptTime(text).iso;
}
