/**
 * The name of each kind of problem, and what to do about it. A problem's own sentence names the value; this holds for all of its group.
 * The problem codes of docs/reference.md come from the same table.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export interface Advice {
  /** What is wrong, without a full stop. */
  readonly title: string;
  /** What to do, one or two sentences. */
  readonly todo: string;
}

let table: Readonly<Record<string, Advice>> | undefined;

/** By code. */
export function allAdvice(): Readonly<Record<string, Advice>> {
  table ??= parse(readFileSync(join(import.meta.dirname, 'advice.yaml'), 'utf8')) as Record<string, Advice>;
  return table;
}

/** Undefined for a code that the table does not have: then the problem's own sentence must do. */
export function adviceFor(code: string): Advice | undefined {
  return Object.hasOwn(allAdvice(), code) ? allAdvice()[code] : undefined;
}
