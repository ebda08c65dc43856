/**
 * The settings for an export as data: what is known, and what only a person can decide. Made from the mapping (or the name
 * of a known layout) and from what its tickets turned out to need.
 */

import { TICKET_PRIORITIES, TICKET_STATUSES } from '../../domain/payload.ts';
import { FINDINGS, type Finding, many } from '../../findings/finding.ts';
import type { Layout } from '../../mapping/language/layout.ts';
import type { DayOrder } from '../column-profile.ts';
import type { Needs } from './open-needs.ts';
import {
  type Comment,
  type Decision,
  type Proposal,
  type ProposedSettings,
  type SettingPath,
  TODO,
} from './proposal.ts';
import { priorityOf, statusOf } from './propose-values.ts';

interface SettingsInputs {
  /** As they shall stand in the file. */
  readonly files: readonly string[];
  /** A layout that is known: its name goes into the file. Else the proposal's mapping does. */
  readonly layout: Layout;
  readonly proposal: Proposal | undefined;
  readonly needs: Needs;
  /** What looks mistaken in a proposed mapping. */
  readonly findings?: readonly Finding[] | undefined;
  /** Dates such as 03/04/2025 of which nothing tells which number is the day; an example of them. */
  readonly openDates: string | undefined;
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
}

/** Agents written into the file; the others are told by the dry run. */
const MOST_AGENTS = 30;
/** How the loss report calls an agent of whom nothing is known. */
const NOBODY = '(nobody)';

export function proposeSettings(inputs: SettingsInputs): ProposedSettings {
  const { files, layout, proposal, needs } = inputs;
  const comments: Comment[] = [...(proposal?.comments ?? [])];
  const decisions: Decision[] = [];
  const source: Record<string, unknown> = { files: [...files] };
  if (proposal === undefined) source['from'] = layout.name;
  if (inputs.encoding !== undefined) source['encoding'] = inputs.encoding;
  if (inputs.delimiter !== undefined) source['delimiter'] = inputs.delimiter;
  decideTimes(inputs, source, decisions, comments);
  const settings: Record<string, unknown> = { source };
  decidePeople(needs, proposal !== undefined, settings, decisions);
  if (needs.homeless > 0) settings['unmapped'] = 'note';
  const mapping = structuredClone(proposal?.mapping ?? {}) as Record<string, unknown>;
  decisions.push(...(proposal?.decisions ?? []));
  const added = addUnmapped(mapping, layout, needs, decisions, comments);
  // with a role still open, these are messages of those who have it
  const openAuthors = needs.noActor.count > 0 && !decisions.some(({ path }) => isAboutRoles(path));
  if (openAuthors) decideAuthors(mapping, needs, decisions);
  const hasAliases =
    proposal === undefined && decideAliases(mapping, layout, inputs.findings ?? [], decisions);
  const isPatch = proposal === undefined && (added || openAuthors || hasAliases);
  if (proposal !== undefined) settings['mapping'] = mapping;
  else if (isPatch) {
    // a patch names what it changes; the layout is then no longer to be looked for by name
    settings['mapping'] = { extends: layout.name, ...mapping };
    delete source['from'];
  }
  if (proposal !== undefined)
    confirmFindings([...proposal.doubts, ...(inputs.findings ?? [])], settings, decisions);
  if (needs.homeless > 0) decideUnmapped(needs.homeless, decisions, comments);
  const agents = [...needs.loss.agentsWithoutId]
    .filter(({ agent }) => agent !== NOBODY)
    .sort((a, b) => b.count - a.count)
    .slice(0, MOST_AGENTS)
    .map(({ agent, count }) => ({ agent, count }));
  return { settings, comments, decisions, agents };
}

/** A column of a known layout that is not there may have another name here: which, only a person can say. */
function decideAliases(
  mapping: Record<string, unknown>,
  layout: Layout,
  findings: readonly Finding[],
  decisions: Decision[],
): boolean {
  const aliases: Record<string, unknown> = {};
  for (const { unread, message } of findings) {
    const own = unread && columnOf(layout.ticket[unread.field]);
    if (unread === undefined || own === undefined || Object.hasOwn(aliases, own)) continue;
    aliases[own] = [TODO];
    decisions.push({
      path: ['mapping', 'aliases', own, 0],
      question: `${message} Does "${unread.column}" hold the ${unread.field} of the tickets?`,
      comment: `${message} Does it hold the ${unread.field} of the tickets? If so: ${unread.column}. If not: ${own}.`,
      choices: [
        { value: unread.column, label: `yes, "${unread.column}" is the column "${own}"` },
        { value: own, label: 'no' },
      ],
      kind: 'choice',
    });
  }
  if (Object.keys(aliases).length === 0) return false;
  mapping['aliases'] = aliases;
  return true;
}

/** The column that a rule reads first: a person is known by the address, else the id, else the name. */
function columnOf(rule: unknown): string | undefined {
  if (typeof rule === 'string') return rule;
  if (Array.isArray(rule)) return columnOf(rule[0]);
  if (typeof rule !== 'object' || rule === null) return undefined;
  const { column, email, id, name } = rule as Record<string, unknown>;
  return typeof column === 'string' ? column : columnOf(email ?? id ?? name);
}

/** Each finding waits for somebody to look: `true` when it is right as it is. */
function confirmFindings(
  findings: readonly Finding[],
  settings: Record<string, unknown>,
  decisions: Decision[],
): void {
  const confirm: Record<string, unknown> = {};
  settings['confirm'] = confirm;
  const grave = findings.filter(({ code }) => FINDINGS[code].grave);
  for (const [code, same] of Map.groupBy(grave, (finding) => finding.code)) {
    const seen = same.map(({ message }) => message).join(' ');
    confirm[code] = TODO;
    decisions.push({
      path: ['confirm', code],
      question: `${seen} ${FINDINGS[code].question}`,
      comment: `${seen} ${FINDINGS[code].question} If so: true. If not, change ${same[0]?.setting}${same[0]?.ticket === undefined ? '' : `; helpdesk-import run --explain ${same[0].ticket} shows one`}.`,
      choices: [
        { value: true, label: 'yes, it is right' },
        { value: false, label: 'no, the mapping has to be changed' },
      ],
      kind: 'choice',
    });
  }
}

function decideTimes(
  { needs, openDates }: SettingsInputs,
  source: Record<string, unknown>,
  decisions: Decision[],
  comments: Comment[],
): void {
  if (needs.zoneless.count > 0 || openDates !== undefined) {
    source['timezone'] = TODO;
    decisions.push({
      path: ['source', 'timezone'],
      question: `Times such as ${needs.zoneless.example ?? openDates} say no time zone. Which one are they in?`,
      comment: `Times such as ${needs.zoneless.example ?? openDates} say no time zone: Europe/Berlin, America/New_York, UTC, …`,
      kind: 'zone',
      suggestion: 'UTC',
    });
  }
  if (openDates !== undefined) {
    source['dayFirst'] = TODO;
    decisions.push({
      path: ['source', 'dayFirst'],
      question: `In dates such as ${openDates}, which number is the day?`,
      comment: `In dates such as ${openDates}, does the day come first (true) or the month (false)?`,
      choices: [
        { value: true, label: 'the first one (day first)' },
        { value: false, label: 'the second one (month first)' },
      ],
      kind: 'choice',
    });
  }
  if (needs.noTime.count > 0) {
    source['missingTimes'] = 'previous';
    comments.push({
      path: ['source', 'missingTimes'],
      text: `${needs.noTime.count === 1 ? '1 message or event has' : `${needs.noTime.count} messages or events have`} no time. They take the time of the one before, which keeps their order; "reject" rejects their tickets.`,
    });
  }
  if (needs.noCreatedAt.count > 0) {
    source['missingCreatedAt'] = TODO;
    decisions.push({
      path: ['source', 'missingCreatedAt'],
      question: `${ticketsWord(needs.noCreatedAt.count)} without any time of creation. Which time should they get?`,
      comment: `${ticketsWord(needs.noCreatedAt.count)} without any time of creation; they are rejected without this. A time such as 2020-01-01T00:00:00Z`,
      kind: 'time',
      suggestion: '2020-01-01T00:00:00Z',
    });
  }
}

function decidePeople(
  needs: Needs,
  isProposal: boolean,
  settings: Record<string, unknown>,
  decisions: Decision[],
): void {
  if (needs.noAgentId.count > 0) {
    settings['fallbackAgent'] = TODO;
    decisions.push({
      path: ['fallbackAgent'],
      question: 'Which agent id in the target for agents of the export that have no id there?',
      comment: `Agent id in the target for agents who are not listed under agents (needed ${needs.noAgentId.count === 1 ? 'once' : `${needs.noAgentId.count} times`})`,
      kind: 'text',
    });
  }
  const { noEmail, noContact } = needs;
  // Under a known layout such tickets are imported without a requester, with a warning: nothing that worked is stopped.
  const asked = isProposal ? noContact.count : 0;
  if (noEmail.count + asked > 0) {
    const found = noEmail.count > 0 ? many(noEmail.count, 'message') : many(asked, 'ticket');
    const are = `${found} ${(noEmail.count || asked) === 1 ? 'is' : 'are'} of customers without an e-mail address`;
    settings['customersWithoutEmail'] = { synthesize: TODO };
    decisions.push({
      path: ['customersWithoutEmail', 'synthesize'],
      question: `${are}. Under which of your domains should addresses be made up for them?`,
      comment: `${are}, which the target needs. Addresses are made up under this domain of yours; with "customersWithoutEmail: reject" ${noEmail.count > 0 ? 'their tickets are rejected' : 'the tickets are imported without a requester'}`,
      kind: 'domain',
      suggestion: 'customers.example.com',
    });
  }
}

/** So many questions are enough: this one has an answer that loses nothing, and stands in the file. */
const MOST_QUESTIONS_BEFORE = 3;

function decideUnmapped(count: number, decisions: Decision[], comments: Comment[]): void {
  const path = ['unmapped'];
  const text =
    'Columns and fields that no rule uses: "note" keeps them in an internal note at the top of each ticket, "tags" as tags, "drop" leaves them out. By column too: { "*": note, "users.*": drop }';
  if (decisions.length > MOST_QUESTIONS_BEFORE) comments.push({ path, text });
  else
    decisions.push({
      path,
      question: `${count === 1 ? '1 ticket has' : `${count} tickets have`} values that no rule uses, such as custom fields. What should happen to them?`,
      comment: text,
      choices: [
        { value: 'note', label: 'keep them in an internal note at the top of the ticket' },
        { value: 'tags', label: 'keep them as tags, and in a note what does not fit in a tag' },
        { value: 'drop', label: 'leave them out' },
      ],
      kind: 'choice',
    });
}

/** Authors named in one question. */
const NAMED = 3;

function decideAuthors(
  mapping: Record<string, unknown>,
  { noActor: { count }, loss }: Needs,
  decisions: Decision[],
): void {
  const authors = loss.unknownAuthors.filter(({ author }) => author !== NOBODY).slice(0, NAMED);
  const such = authors.length === 0 ? '' : `, such as ${authors.map(({ author }) => author).join(', ')}`;
  mapping['otherAuthors'] = TODO;
  decisions.push({
    path: ['mapping', 'otherAuthors'],
    question: `Of ${count} messages it is not known whether a customer or an agent wrote them${such}. What are their authors?`,
    comment: `Of ${count} messages the author is not known${such}: agent, customer or system`,
    choices: [
      { value: 'agent', label: 'agents of the team' },
      { value: 'customer', label: 'customers' },
      { value: 'system', label: 'programs' },
    ],
    kind: 'choice',
  });
}

function isAboutRoles(path: SettingPath): boolean {
  return path[0] === 'mapping' && (path.includes('role') || path.includes('actorType'));
}

function ticketsWord(count: number): string {
  return count === 1 ? '1 ticket is' : `${count} tickets are`;
}

/** An example of a date in one of these columns whose order is open, where nothing in the export proves it. */
export function openDate(
  columns: readonly { readonly dayOrder: DayOrder | undefined; readonly examples: readonly string[] }[],
): string | undefined {
  if (columns.some(({ dayOrder }) => dayOrder === 'day-first' || dayOrder === 'month-first'))
    return undefined;
  return columns.find(({ dayOrder }) => dayOrder === 'open')?.examples[0];
}

// Values that a value map lacks, found when the whole export was mapped: known words are added, others become questions.

/** Beyond so many values of one map that only a person knows, one line decides for all of them. */
const MOST_QUESTIONS = 10;

/** Values that the whole export has and the maps have not, and whether there were any. */
function addUnmapped(
  mapping: Record<string, unknown>,
  layout: Layout,
  { loss, lackingMaps }: Needs,
  decisions: Decision[],
  comments: Comment[],
): boolean {
  const unknown = new Map<
    string,
    { kind: 'status' | 'priority'; values: { value: string; count: number }[] }
  >();
  let added = false;
  for (const { field, value, count, action } of loss.unmappedValues) {
    const kind = field.endsWith('status') ? 'status' : field;
    if (action !== 'error' || (kind !== 'status' && kind !== 'priority')) continue;
    const name = lackingMaps.get(value.slice(0, 80)) ?? kind;
    if (layout.maps?.[name] === undefined) continue;
    const values = valuesOf(mapping, name);
    if (Object.hasOwn(values, value)) continue;
    added = true;
    const known = kind === 'status' ? statusOf(value) : priorityOf(value);
    if (known !== undefined && known !== 'not a ticket') {
      values[value] = known;
      comments.push({
        path: ['mapping', 'maps', name, 'values', value],
        text: `${count} times in the export`,
      });
      continue;
    }
    const others = unknown.get(name) ?? { kind, values: [] };
    unknown.set(name, others);
    if (!others.values.some((other) => other.value === value)) others.values.push({ value, count });
  }
  for (const [name, { kind, values }] of unknown) decideValues(mapping, name, kind, values, decisions);
  return added;
}

function decideValues(
  mapping: Record<string, unknown>,
  name: string,
  kind: 'status' | 'priority',
  found: readonly { value: string; count: number }[],
  decisions: Decision[],
): void {
  const words: readonly string[] = kind === 'status' ? TICKET_STATUSES : TICKET_PRIORITIES;
  const choices = words.map((word) => ({ value: word, label: word }));
  const at: SettingPath = ['mapping', 'maps', name];
  const values = valuesOf(mapping, name);
  if (found.length > MOST_QUESTIONS) {
    inner(inner(mapping, 'maps'), name)['unlisted'] = { value: TODO };
    const shown = found.slice(0, 30).map(({ value }) => value);
    decisions.push({
      path: [...at, 'unlisted', 'value'],
      question: `${found.length} values of the ${kind} are not known. What should they become?`,
      comment: `Not known: ${shown.join(', ')}. List them under values, or say here what all of them become.`,
      choices,
      kind: 'choice',
    });
    return;
  }
  for (const { value, count } of found) {
    values[value] = TODO;
    decisions.push({
      path: [...at, 'values', value],
      question: `What does the ${kind} "${value}" mean (${count} times in the export)?`,
      comment: `${words.join(', ')}, or null for none`,
      choices: [...choices, { value: null, label: `no ${kind}` }],
      kind: 'choice',
    });
  }
}

function valuesOf(mapping: Record<string, unknown>, name: string): Record<string, unknown> {
  const maps = inner(mapping, 'maps');
  return inner(inner(maps, name), 'values');
}

function inner(holder: Record<string, unknown>, key: string): Record<string, unknown> {
  const known = holder[key];
  if (typeof known === 'object' && known !== null) return known as Record<string, unknown>;
  const made: Record<string, unknown> = Object.create(null);
  holder[key] = made;
  return made;
}
