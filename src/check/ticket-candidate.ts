/** The ticket itself, from mapping's candidate to one that its definition can judge (2.1). */
import { identityTag, readableTag, sourceTag } from '../domain/identity.ts';
import { isEmail, normalizeEmail } from './email.ts';
import { type Candidate, dropBlank, isRecord, pickFields, plainText } from './fields.ts';
import { type Findings, type RecordPlace, shown } from './findings.ts';
import { ticketPayload } from './payloads.ts';
import type { People } from './people.ts';
import type { CheckRules } from './rules.ts';
import type { FieldTime, TimeRules } from './times.ts';

const BLANKABLE = ['contactId', 'customerId', 'appId', 'assignedToId', 'managedBy', 'channelId'];

export interface TicketCandidate {
  readonly candidate: Candidate;
  readonly createdAt: FieldTime;
  readonly resolvedAt: FieldTime;
  readonly closedAt: FieldTime;
  readonly contact: ContactCandidate | undefined;
  /** How many of its tags, the last ones, are marks of identity. */
  readonly marks: number;
}

/** A contact taken out of its candidate: what goes over the wire is the address alone, names are joined later (2.5). */
export interface ContactCandidate {
  /** Normalized. */
  readonly email: string;
  /** Whether it is an e-mail address at all. */
  readonly isGood: boolean;
  readonly name: string | undefined;
  /** Somebody with several addresses. */
  readonly person: ReturnType<People['of']>;
}

export function ticketCandidate(
  source: Readonly<Record<string, unknown>>,
  externalId: string,
  rules: CheckRules,
  times: TimeRules,
  place: RecordPlace,
  findings: Findings,
): TicketCandidate {
  // Its own tags in their place: a candidate in the order of the definition is sent as it is.
  const candidate = pickFields({ ...source, tags: [] }, ticketPayload.fields, place, findings);
  dropBlank(candidate, BLANKABLE);
  const contact = takeContact(candidate, rules.people, place, findings);
  const tags = withOwnTags(source['tags'] ?? undefined, rules, place, findings);
  const marks = Array.isArray(tags) ? addIdentity(tags, externalId, rules) : 0;
  candidate['tags'] = tags;
  if (Array.isArray(tags) && tags.length === 0) delete candidate['tags'];
  if (rules.readOnly !== undefined) candidate['readOnly'] = rules.readOnly;
  if (rules.managedBy !== undefined) candidate['managedBy'] = rules.managedBy;
  return {
    candidate,
    contact,
    marks,
    createdAt: times.read(candidate, 'createdAt', place, findings),
    resolvedAt: times.read(candidate, 'resolvedAt', place, findings),
    closedAt: times.read(candidate, 'closedAt', place, findings),
  };
}

/**
 * Normalizes the candidate's contact and takes its name out. A name that is no text stays in, so that its definition
 * reports it.
 */
export function takeContact(
  candidate: Candidate,
  people: CheckRules['people'],
  place: RecordPlace,
  findings: Findings,
): ContactCandidate | undefined {
  const value = candidate['contact'];
  if (!isRecord(value)) return undefined;
  const email = plain(value['email'], 'contact.email', place, findings);
  const name = plain(value['name'], 'contact.name', place, findings);
  const contact: Candidate = {};
  candidate['contact'] = contact;
  if (name !== undefined && typeof name !== 'string') contact['name'] = name;
  if (email !== undefined) contact['email'] = email;
  if (typeof email !== 'string') return undefined;
  const said = normalizeEmail(email);
  const person = people?.of(said);
  const address = person?.first ?? said;
  contact['email'] = address;
  if (people !== undefined && address !== said)
    findings.warning(
      place,
      'contact.email',
      'merged-person',
      `${said} comes in as ${address}, who is the same person (${people.file}:${people.lineOf(said)}).`,
    );
  return {
    person,
    email: address,
    isGood: isEmail(address),
    name: typeof name === 'string' ? name.trim() || undefined : undefined,
  };
}

function plain(value: unknown, path: string, place: RecordPlace, findings: Findings): unknown {
  return typeof value === 'string' ? plainText(value, place, path, findings) : (value ?? undefined);
}

/** Trimmed, each once, the marks of this import last; anything but a list is left to the definition. */
function withOwnTags(value: unknown, rules: CheckRules, place: RecordPlace, findings: Findings): unknown {
  if (value !== undefined && !Array.isArray(value)) return value;
  const tags = new Set<string>();
  for (const [index, tag] of (value ?? []).entries()) {
    const path = `tags[${index}]`;
    if (typeof tag === 'string') {
      const text = plainText(tag, place, path, findings).trim();
      if (text !== '') tags.add(text);
    } else findings.error(place, path, 'invalid-type', `A tag must be text, not ${shown(tag)}.`);
  }
  if (rules.tag !== '') tags.add(rules.tag);
  return [...tags];
}

/** The tags by which it and its run are found again, where it does not carry them already. Says how many were added. */
function addIdentity(tags: unknown[], externalId: string, rules: CheckRules): number {
  const source = rules.sourceName?.();
  const readable = source === undefined ? undefined : readableTag(source, externalId);
  const identity = source === undefined ? [] : [identityTag(source, externalId), sourceTag(source)];
  const marks = [readable, rules.runTag, ...identity].filter(
    (tag) => tag !== undefined && !tags.includes(tag),
  );
  tags.push(...marks);
  return marks.length;
}
