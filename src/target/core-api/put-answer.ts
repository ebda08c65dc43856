/**
 * Whether a PUT of a list (4.2, 4.3) is done, by what it was answered with. The specification shows no body, so a service may
 * say nothing at all; but what it does say must agree with what was sent. Pure.
 */
import type { PutReceipt, Snapshot } from '../../domain/ticket-api.ts';
import type { Answer } from '../http/exchange.ts';
import { json } from './answers.ts';

/** Together they are the elements that arrived; a deleted one is none. */
const COUNTS = ['created', 'updated', 'replaced', 'imported', 'inserted'];
const FAILED: ReadonlySet<unknown> = new Set(['error', 'failed', 'failure', 'partial']);

/** Undefined: it says that not everything was done, or is nothing that a service of this kind says. */
export function putReceipt(answer: Answer, sent: number, part: Part): PutReceipt | undefined {
  if (answer.status === 207) return undefined;
  const value = json(answer);
  if (value === undefined) return answer.body.toString('latin1').trim() === '' ? SILENT : undefined;
  if (value === null || value === true) return SILENT;
  if (Array.isArray(value)) return ofList(value, sent);
  return isFields(value) ? ofObject(value, sent, part) : undefined;
}

type Part = 'messages' | 'events';

const SILENT: PutReceipt = { confirmed: false };

type Fields = Readonly<Record<string, unknown>>;

/** A list under another name may be of anything: it confirms nothing. */
function ofObject(value: Fields, sent: number, part: Part): PutReceipt | undefined {
  if (saysError(value)) return undefined;
  if (Object.values(value).some((list) => Array.isArray(list) && list.some(saysError))) return undefined;
  for (const key of [part, 'data']) {
    const list = value[key];
    if (Array.isArray(list)) return ofList(list, sent);
  }
  for (const key of ['data', 'ticket', 'result']) {
    const inner = value[key];
    if (!isFields(inner)) continue;
    const receipt = ofObject(inner, sent, part);
    if (receipt === undefined || receipt.confirmed) return receipt;
  }
  const said = countOf(value);
  if (said !== undefined) return said === sent ? { confirmed: true } : undefined;
  const { total } = value;
  if (typeof total === 'number' && total < sent) return undefined;
  return value['success'] === true || value['ok'] === true ? { confirmed: true } : SILENT;
}

/** A longer list may be the whole of one that was added to: reading it tells. */
function ofList(list: readonly unknown[], sent: number): PutReceipt | undefined {
  if (list.length < sent || list.some(saysError)) return undefined;
  if (list.length > sent || !list.every(isFields)) return SILENT;
  return { confirmed: true, echo: list.map(snapshotOf) };
}

function saysError(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { error, errors, success, ok, status } = value;
  return [error, errors].some(isSaid) || success === false || ok === false || FAILED.has(status);
}

/** An error that is none: null, false, an empty text or list. */
function isSaid(error: unknown): boolean {
  if (Array.isArray(error)) return error.length > 0;
  if (isFields(error)) return Object.keys(error).length > 0;
  return error !== undefined && error !== null && error !== false && error !== '' && error !== 0;
}

function countOf(value: Fields): number | undefined {
  const { count } = value;
  if (typeof count === 'number') return count;
  const reported = COUNTS.map((key) => value[key]).filter((each) => typeof each === 'number');
  return reported.length > 0 ? reported.reduce((sum, each) => sum + each, 0) : undefined;
}

function snapshotOf(element: Fields): Snapshot {
  const { id } = element;
  return { ...element, id: typeof id === 'string' || typeof id === 'number' ? String(id) : '' };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
