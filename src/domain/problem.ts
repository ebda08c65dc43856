/**
 * A problem in the data: a value, collected, never thrown. It names what is wrong, where, and what to do.
 * Exceptions (AppError) are for what stops the run.
 */
import type { LocateSource } from './source.ts';

export type Severity = 'error' | 'warning';

export interface Problem {
  severity: Severity;
  /** Stable kebab-case identifier, e.g. `invalid-email`; documented in docs/reference.md. */
  code: string;
  /** External id of the ticket, where there is one. */
  ticket?: string | undefined;
  /** The file as the user named it. */
  file?: string | undefined;
  /** Physical line at which the bad record begins, from 1, the header counted. */
  line?: number | undefined;
  /** Column of the source that holds the bad value: its header or JSON path. */
  column?: string | undefined;
  /** The API's path, e.g. `messages[1].agentId`; indexes count in source order. */
  field?: string | undefined;
  /** One sentence: what is wrong and what to do about it. */
  message: string;
  /** How many times exactly this stands at this place. */
  count: number;
}

/** Identity under which problems fold into one row (contract, "The JSON summary"). */
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
 * Where a problem list goes. Sinks bound what they keep; callers never build arrays of all problems of an export.
 * `locate` may be called while the sink is, and not later.
 */
export type ProblemSink = (problem: Problem, locate?: LocateSource) => void;
