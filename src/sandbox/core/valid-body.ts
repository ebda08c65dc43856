/** Bodies against what they must be; what does not fit is refused with every field that is wrong. */
import type { z } from 'zod';
import type { Definition } from '../../check/definition.ts';
import { Refusal, type RefusedField } from './refusal.ts';

/** A body with a thousand faults is told the first of them. */
const MOST_DETAILS = 50;

/** A body of the Core API. Throws Refusal 400 that names every field that is wrong. */
export function coreBody<Body>(definition: Definition<Body>, body: unknown): Body {
  const judged = definition.judge(body);
  if ('record' in judged) return judged.record;
  throw refusal(judged.faults);
}

/** A body of any other service, by its schema. Throws Refusal 400 that names every field that is wrong. */
export function validBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw refusal(result.error.issues.map(({ path, message }) => ({ path: fieldPath(path), message })));
}

function refusal(faults: readonly RefusedField[]): Refusal {
  const details = faults.slice(0, MOST_DETAILS).map(({ path, message }) => ({ path, message }));
  const [first] = details;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  const where = first === undefined || first.path === '' ? 'The body' : first.path;
  return new Refusal(400, 'validation_failed', `${where}: ${first?.message ?? 'is not valid.'}${more}`, {
    details,
  });
}

/** `[1].contact.email`, as programs write paths. */
function fieldPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? String(part) : `.${String(part)}`;
  }
  return text;
}
