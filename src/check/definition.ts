/**
 * Definitions of records: zod shapes and rules over several fields. A check gives the record as sent, or all faults, each with
 * a `message` for API clients and a kind for the owner of the export.
 */
import { z } from 'zod';
import { isJsonObject } from '../domain/source-file.ts';
import { type Advice, adviceOn, type Unchecked } from './advice.ts';

export interface Fault extends Advice {
  /** `attachments[0].url`; empty for the record itself. */
  readonly path: string;
  readonly message: string;
}

/** Checked even if single fields are wrong. */
export type Rule = (record: Unchecked) => Fault | undefined;

export type Shape<Record> = { readonly [Field in keyof Record]-?: z.ZodType };

export interface Definition<Record> {
  readonly fields: readonly string[];
  judge(value: unknown): { readonly record: Record } | { readonly faults: readonly Fault[] };
}

/** Attachments carry symbols that are not sent. */
export function define<Payload extends object>(
  shape: Shape<Payload>,
  rules: readonly Rule[],
): Definition<Payload> {
  const fields = Object.keys(shape);
  const schema = z.strictObject(shape as z.ZodRawShape);
  return {
    fields,
    judge: (value) => {
      const record = isJsonObject(value) ? value : {};
      const faults = (schema.safeParse(value).error?.issues ?? []).flatMap((issue): Fault[] => {
        const path = pathOf(issue.path);
        if (issue.code === 'unrecognized_keys')
          return issue.keys.map((key) => {
            return { path, kind: 'unknown-field', message: `Unrecognized key: ${JSON.stringify(key)}` };
          });
        const part = issue.path.reduce<unknown>(
          (at, key) => (at as Unchecked | undefined)?.[String(key)],
          value,
        );
        return [{ path, message: issue.message, ...adviceOn(issue, path, part, record) }];
      });
      for (const rule of isJsonObject(value) ? rules : []) {
        const fault = rule(record);
        if (fault !== undefined) faults.push(fault);
      }
      if (faults.length > 0) return { faults };
      const sent: Record<string, unknown> = {};
      for (const name of fields) if (record[name] !== undefined) sent[name] = record[name];
      return { record: sent as Payload };
    },
  };
}

export function defineList<Record>(of: Definition<Record>): Definition<Record[]> {
  return {
    fields: [],
    judge: (value) => {
      if (!Array.isArray(value)) {
        const message = z.array(z.unknown()).safeParse(value).error?.issues[0]?.message ?? '';
        return { faults: [{ path: '', kind: 'invalid-type', message }] };
      }
      const judged = value.map(of.judge);
      const faults = judged.flatMap((result, index) =>
        ('faults' in result ? result.faults : []).map((fault) => {
          return { ...fault, path: `[${index}]${fault.path === '' ? '' : '.'}${fault.path}` };
        }),
      );
      if (faults.length > 0) return { faults };
      return { record: judged.flatMap((result) => ('record' in result ? [result.record] : [])) };
    },
  };
}

function pathOf(keys: readonly PropertyKey[]): string {
  return keys.reduce<string>((path, key) => {
    if (typeof key === 'number') return `${path}[${key}]`;
    return path === '' ? String(key) : `${path}.${String(key)}`;
  }, '');
}
