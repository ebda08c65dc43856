/** A ticket event, from mapping's candidate to one that the schema can judge (2.4). */

import type { MappedItem } from '../domain/mapped.ts';
import { type EventPayload, STATUS_CHANGE_TYPES } from '../domain/payload.ts';
import { type Candidate, canonical, dropBlank, isRecord, pickFields, recordOf } from './fields.ts';
import { type Findings, type Place, shown } from './findings.ts';
import type { TimedCandidate, TimeRules } from './times.ts';

const FIELDS = ['type', 'oldValue', 'newValue', 'actorType', 'agentId', 'contactId', 'occurredAt'];

export interface EventCandidate extends TimedCandidate {
  /** Where it is judged already (quick-candidate.ts). */
  readonly payload?: EventPayload;
}

export function eventCandidate(
  item: MappedItem,
  index: number,
  statusChangeType: string,
  times: TimeRules,
  findings: Findings,
): EventCandidate {
  const place: Place = { list: 'events', index, ref: item.ref };
  const candidate = pickFields(recordOf(item.value, place, findings), FIELDS, place, findings);
  dropBlank(candidate, ['agentId', 'contactId']);
  takeType(candidate, statusChangeType);
  const isStatusChange = candidate['type'] === statusChangeType;
  takeValue(candidate, 'oldValue', isStatusChange, place, findings);
  takeValue(candidate, 'newValue', isStatusChange, place, findings);
  return { place, candidate, at: times.read(candidate, 'occurredAt', place, findings) };
}

/** Whichever way the export spells the type of a status change, the target gets its own spelling. */
function takeType(candidate: Candidate, statusChangeType: string): void {
  const type = candidate['type'];
  if (typeof type !== 'string') return;
  const trimmed = type.trim();
  candidate['type'] = STATUS_CHANGE_TYPES.includes(trimmed) ? statusChangeType : trimmed;
}

/** The values of a status change are statuses and nothing else; those of other types are passed through. */
function takeValue(
  candidate: Candidate,
  key: 'oldValue' | 'newValue',
  isStatusChange: boolean,
  place: Place,
  findings: Findings,
): void {
  const value = candidate[key];
  if (!isRecord(value)) return;
  if (isStatusChange) {
    candidate[key] = pickFields(value, ['status'], place, findings, `${key}.`);
    return;
  }
  const clean = canonical(value, place, key, findings);
  if (clean === undefined)
    findings.error(
      place,
      key,
      'invalid-type',
      `${key} is nested too deeply for the value of an event (${shown(value)}); shorten it in the export.`,
    );
  candidate[key] = clean ?? {};
}
