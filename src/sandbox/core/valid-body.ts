/** Bodies against the specification's schemas; what does not fit is refused with every field that is wrong. */
import type { z } from 'zod';
import { Refusal, type RefusedField } from './refusal.ts';

/** A body with a thousand faults is told the first of them. */
const MOST_DETAILS = 50;

/** The body as the schema gives it. Throws Refusal 400 that names every field that is wrong. */
export function validBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const { issues } = result.error;
  const details: RefusedField[] = issues
    .slice(0, MOST_DETAILS)
    .map((issue) => ({ path: fieldPath(issue.path), message: issue.message }));
  const [first] = details;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const where = first === undefined || first.path === '' ? 'The body' : first.path;
  throw new Refusal(400, 'validation_failed', `${where}: ${first?.message ?? 'is not valid.'}${more}`, {
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
