/** What the service said in the body of a refusal, as one short line without secrets. */
import { BOUNDS } from '../../domain/limits.ts';
import { printable } from '../../domain/printable.ts';
import type { Answer } from '../http/exchange.ts';
import { redact } from '../http/secrets.ts';

const LONGEST = BOUNDS.said.most;
/** More than this of a body is not looked at. */
const LONGEST_BODY = 64 * 1024;

export interface ErrorBody {
  /** The machine-readable code, e.g. `token_expired`. */
  readonly error?: string | undefined;
  /** Everything worth telling, at most 300 characters. */
  readonly detail?: string | undefined;
}

/** Understands `{error, message, details}`, also with an object in `error`, and plain text. Never throws. */
export function errorBody(answer: Answer, secrets: readonly string[]): ErrorBody {
  const text = answer.body.subarray(0, LONGEST_BODY).toString('utf8').trim();
  if (text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // A page for people says nothing that a terminal could show.
    return text.startsWith('<') ? {} : shown(text, secrets);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return shown(phrase(value) ?? '', secrets);
  const { error, message, details, error_description, errors } = value as Record<string, unknown>;
  const nested = typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : undefined;
  const code = phrase(nested === undefined ? error : (nested['code'] ?? nested['type']));
  const parts = [
    code,
    phrase(message) ?? phrase(error_description) ?? phrase(nested?.['message']),
    phrase(details ?? errors ?? nested?.['details']),
  ];
  const detail = [...new Set(parts.filter((part) => part !== undefined && part !== ''))].join(': ');
  return { error: code, ...shown(detail, secrets) };
}

/** Whether a refusal has the form of the service (public facts), so that it cannot come from something in between. */
export function refusesInOwnForm(answer: Answer): boolean {
  if (answer.cut !== undefined || answer.body.length > LONGEST_BODY) return false;
  let value: unknown;
  try {
    value = JSON.parse(answer.body.toString('utf8'));
  } catch {
    return false;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { error, errors, message } = value as Record<string, unknown>;
  return [error, errors, message].some((said) => said !== undefined && said !== null && said !== '');
}

function phrase(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function shown(text: string, secrets: readonly string[]): { detail?: string } {
  const line = printable(redact(text, secrets)).replace(/ {2,}/g, ' ').trim();
  if (line === '') return {};
  return { detail: line.length > LONGEST ? `${line.slice(0, LONGEST - 1).toWellFormed()}…` : line };
}
