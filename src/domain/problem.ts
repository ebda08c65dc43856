/**
 * A problem in the data: a value, never thrown. It says what is wrong, where, and what to do.
 */
import type { LocateSource } from './source.ts';

export type Severity = 'error' | 'warning';

export interface Problem {
  severity: Severity;
  /** Stable kebab-case identifier, e.g. `invalid-email`; documented in docs/reference.md. */
  code: string;
  /** External ID of the ticket, if any. */
  ticket?: string | undefined;
  /** The file as the user named it. */
  file?: string | undefined;
  /** Physical line at which the bad record begins, from 1, with the header. */
  line?: number | undefined;
  /** Header or JSON path of the bad value. */
  column?: string | undefined;
  /** The API's path, e.g. `messages[1].agentId`; indexes count in source order. */
  field?: string | undefined;
  /** One sentence: what is wrong and what to do about it. */
  message: string;
  /** How many times it occurs at this place. */
  count: number;
}

/** Identity under which problems fold into one row (contract, "JSON"). */
export function problemKey(p: Problem): string {
  return [p.severity, p.code, p.ticket ?? '', p.file ?? '', p.line ?? '', p.field ?? ''].join('\u0000');
}

/** Identity under which the screen groups problems: severity, code and the field without its indexes. */
export function problemGroupKey(p: Problem): string {
  return [p.severity, p.code, groupField(p.field)].join('\u0000');
}

/** `messages[12].agentId` → `messages[].agentId`. */
export function groupField(field: string | undefined): string {
  return (field ?? '').replace(/\[\d+\]/g, '[]');
}

/**
 * Receives problems, and bounds what it keeps. `locate` may be called during the call only.
 */
export type ProblemSink = (problem: Problem, locate?: LocateSource) => void;
