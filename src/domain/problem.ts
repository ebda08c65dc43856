/** A problem in the data is a value, never thrown: what is wrong, where, and what to do. */
import type { LocateSource } from './source.ts';

export type Severity = 'error' | 'warning';

export interface Problem {
  severity: Severity;
  /** Stable, e.g. `invalid-email`; documented in docs/reference.md. */
  code: string;
  ticket?: string | undefined;
  file?: string | undefined;
  /** From 1, with the header. */
  line?: number | undefined;
  column?: string | undefined;
  field?: string | undefined;
  message: string;
  count: number;
}

export function problemKey(p: Problem): string {
  return [p.severity, p.code, p.ticket ?? '', p.file ?? '', p.line ?? '', p.field ?? ''].join('\u0000');
}

export function problemGroupKey(p: Problem): string {
  return [p.severity, p.code, groupField(p.field)].join('\u0000');
}

export function groupField(field: string | undefined): string {
  return (field ?? '').replace(/\[\d+\]/g, '[]');
}

/** `locate` may be called during the call only. */
export type ProblemSink = (problem: Problem, locate?: LocateSource) => void;
