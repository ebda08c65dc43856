/** One pass over an export with a mapping, to learn what the export does not say. */

import type { Flags } from '../../cli/context.ts';
import type { Finding, UnreadField } from '../../discover/findings.ts';
import type { Inspection } from '../../discover/inspection.ts';
import { type Proposal, proposeMapping } from '../../discover/propose-mapping.ts';
import { type Needs, NeedsCounter } from '../../discover/propose-settings.ts';
import type { Answers } from '../../discover/questions.ts';
import { Review } from '../../discover/review.ts';
import { AppError } from '../../domain/errors.ts';
import { shorten } from '../../domain/printable.ts';
import { type ExportFiles, textOf } from '../../domain/source-file.ts';
import type { MappedItem, MappedTicket, NamedPerson } from '../../domain/ticket.ts';
import { compileLayout, defaultMappingSettings } from '../../mapping/compile/compile-layout.ts';
import type { Mapper } from '../../mapping/compile/mapper.ts';
import { builtinLayout } from '../../mapping/detect/builtin-layouts.ts';
import { type Detection, detectLayout } from '../../mapping/detect/detect.ts';
import { readMapping } from '../../mapping/language/read-layout.ts';
import { joinExport } from '../../source/join.ts';
import type { StagedExport } from '../../source/open-export.ts';
import type { Conversation, ConversationMessage } from '../../view/conversation/conversation.ts';
import { countOf } from '../../view/format.ts';

export interface SurveyOptions {
  /** Folder from which a `transform` is loaded. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly now: Date;
}

export interface SurveyedNeeds {
  readonly needs: Needs;
  readonly findings: readonly Finding[];
  readonly unread: readonly UnreadField[];
  /** A few tickets as they will be in the helpdesk. */
  readonly conversations: readonly Conversation[];
  /** No value of a date proves whether its day or its month is first. */
  readonly openDayOrder: boolean;
}

export async function surveyNeeds(
  files: StagedExport,
  detection: Pick<Detection, 'layout' | 'plan'>,
  { folder, signal, now }: SurveyOptions,
): Promise<SurveyedNeeds> {
  const { layout, plan } = detection;
  const joined = joinExport(files, plan, signal);
  const compile = (dayFirst: boolean | undefined) =>
    compileLayout(layout, plan, {
      files,
      joined,
      settings: { ...defaultMappingSettings, dayFirst, listsUnmapped: true },
      folder,
      signal,
    });
  let openDayOrder = false;
  let mapper: Mapper;
  try {
    mapper = await compile(undefined);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'configuration' || !error.hint?.includes('dayFirst'))
      throw error;
    openDayOrder = true;
    mapper = await compile(true);
  }
  const counter = new NeedsCounter();
  using review = new Review({ files, detection, joined, mapper }, now);
  const picker = new TicketPicker();
  for await (const items of joined.tickets(signal))
    for (const item of items)
      if (item.kind === 'ticket') {
        const mapped = mapper.map(item);
        counter.see(mapped);
        review.see(mapped);
        picker.see(mapped);
      }
  return {
    needs: counter.needs(mapper.loss()),
    findings: await review.findings(),
    unread: review.unreadFields(),
    conversations: await picker.picked(),
    openDayOrder,
  };
}

export interface FoundMapping {
  readonly detection: Detection;
  /** Absent where the layout is a known one. */
  readonly proposal: Proposal | undefined;
}

/** A known layout where the export has one, else a mapping of its own; undefined where no table has anything like tickets. */
export function chooseMapping(
  inspection: Inspection,
  files: ExportFiles,
  flags: Flags,
  answers: Answers,
): FoundMapping | undefined {
  const { detection, undetected } = inspection;
  const from = flags['from'];
  if (detection !== undefined && from !== undefined) return { detection, proposal: undefined };
  const isKnown =
    detection !== undefined &&
    detection.layout.generic !== true &&
    (detection.layout.name !== 'native' || isNative(inspection));
  if (isKnown && flags['propose'] !== true) return { detection, proposal: undefined };
  if (detection === undefined && from !== undefined)
    throw new AppError('source', undetected?.message ?? 'The export does not fit this layout.', {
      lines: [...(undetected?.near ?? [])],
      hint: 'Leave --from out to have a mapping proposed.',
    });
  const proposal = proposeMapping(inspection, answers);
  // a layout for any source fits too, but says less about this one
  if (proposal === undefined) return detection === undefined ? undefined : { detection, proposal: undefined };
  return { detection: detectionOf(proposal, files), proposal };
}

function detectionOf({ mapping }: Proposal, { files }: ExportFiles): Detection {
  const read = readMapping(mapping, builtinLayout);
  if ('issues' in read)
    throw new AppError('internal', 'The proposed mapping is not valid.', {
      lines: read.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`),
    });
  const outlines = files.map(({ outline }) => outline);
  return detectLayout(outlines, [read.layout], read.layout.name);
}

/**
 * An ID, a subject and a list of messages have others too, and so many have a `createdAt`: the API's own layout has its own
 * names for the times and the authors of messages.
 */
function isNative({ tables }: Inspection): boolean {
  const has = (names: RegExp) => tables.some(({ columns }) => columns.some(({ name }) => names.test(name)));
  return (
    has(/(?:^|[.\]])(?:occurredAt|actorType)$/i) ||
    (has(/(?:^|[.\]])createdAt$/i) && !has(/(?:^|[.\]])(?:content|body|text|message)$/i))
  );
}

/** Messages at the beginning and at the end of a ticket that are shown. */
const FIRST = 5;
const LAST = 2;
/** Characters of a text: a few lines of the widest terminal. */
const MOST_TEXT = 2000;
/** Width of a text on its own line. */
const WIDEST = 200;
/** Kept of a kind, so that three different ones can be shown. */
const KEPT = 3;

export class TicketPicker {
  #longest: MappedTicket | undefined;
  readonly #noted: MappedTicket[] = [];
  readonly #ordinary: MappedTicket[] = [];
  readonly #any: MappedTicket[] = [];

  see(mapped: MappedTicket): void {
    if (mapped.excluded !== undefined) return;
    const { messages } = mapped;
    if (this.#any.length < KEPT) this.#any.push(mapped);
    if (messages.length > (this.#longest?.messages.length ?? 0)) this.#longest = mapped;
    if (this.#noted.length < KEPT && messages.some(({ value }) => value['isInternal'] === true))
      this.#noted.push(mapped);
    if (this.#ordinary.length < KEPT && isOrdinary(messages)) this.#ordinary.push(mapped);
  }

  async picked(): Promise<Conversation[]> {
    const taken = new Map<MappedTicket, string>();
    const take = (
      candidates: readonly (MappedTicket | undefined)[],
      why: (ticket: MappedTicket) => string,
    ) => {
      const free = candidates.find((ticket) => ticket !== undefined && !taken.has(ticket));
      if (free !== undefined) taken.set(free, why(free));
    };
    take([this.#longest], ({ messages }) => `the longest: ${countOf(messages.length, 'message')}`);
    take(this.#noted, () => 'has an internal note');
    take([...this.#ordinary, ...this.#any], () => 'an ordinary one');
    if (taken.size < KEPT) take([...this.#ordinary, ...this.#any], () => 'one more');
    const text = await textReader(taken.keys());
    return [...taken].map(([ticket, why]) => shown(ticket, why, text));
  }
}

/** A question and its answer, and not much more. */
function isOrdinary(messages: readonly MappedItem[]): boolean {
  const roles = new Set(messages.map(({ value }) => value['actorType']));
  return messages.length >= 2 && messages.length <= FIRST + LAST && roles.size > 1;
}

/** The text of a body; what reads html takes long to load. */
async function textReader(tickets: Iterable<MappedTicket>): Promise<(value: MappedItem['value']) => string> {
  const isHtml = (value: MappedItem['value']) =>
    value['contentType'] === 'html' ||
    /<(?:p|br|div|span|a|b|html|body|table)\b[^<>]*>/i.test(textOf(value['content']));
  const someHtml = [...tickets].some(({ messages }) => messages.some(({ value }) => isHtml(value)));
  const { htmlLines } = someHtml
    ? await import('../../view/conversation/html-text.ts')
    : { htmlLines: String };
  return (value) => {
    const content = textOf(value['content']).slice(0, 10 * MOST_TEXT);
    return (isHtml(value) ? htmlLines(content) : content).slice(0, MOST_TEXT);
  };
}

function shown(
  { externalId, ticket, requester, messages, problems, unmapped = [] }: MappedTicket,
  why: string,
  text: (value: MappedItem['value']) => string,
): Conversation {
  const line = (value: unknown) => shorten(textOf(value).slice(0, MOST_TEXT), WIDEST);
  const inTime = messages.toSorted((a, b) =>
    compare(textOf(a.value['occurredAt']), textOf(b.value['occurredAt'])),
  );
  const left = inTime.length - FIRST - LAST;
  const some = left > 0 ? [...inTime.slice(0, FIRST), ...inTime.slice(-LAST)] : inTime;
  const { tags } = ticket;
  const lost = problems.find(({ code }) => code === 'lost-assignee');
  const shownMessages = some.map(({ value, who }): ConversationMessage => {
    const { attachments } = value;
    const author = personOf(who) ?? personOf(value['contact']);
    return {
      kind: 'message',
      author: AUTHORS.find((known) => known === value['actorType']) ?? '',
      name: author?.name ?? (line(value['agentId']) || undefined),
      email: author?.email,
      isInternal: value['isInternal'] === true,
      occurredAt: line(value['occurredAt']),
      contentType: 'text',
      content: text(value),
      attachments: [],
      moreAttachments: Array.isArray(attachments) ? attachments.length : 0,
      pictures: [],
    };
  });
  const note = noteOf(unmapped.map(({ column, text: kept }) => `${line(column)}: ${line(kept)}`));
  return {
    externalId: line(externalId),
    why: [why],
    subject: line(ticket['subject']),
    contact: personOf(requester) ?? personOf(ticket['contact']),
    status: line(ticket['status']) || 'open',
    priority: line(ticket['priority']),
    assignee: line(ticket['assignedToId']) || (lost === undefined ? '' : 'an agent without an ID'),
    tags: Array.isArray(tags) ? tags.map(line) : [line(tags)].filter(Boolean),
    createdAt: line(ticket['createdAt']),
    readOnly: false,
    messages: messages.length,
    events: 0,
    entries: [
      ...shownMessages.slice(0, left > 0 ? FIRST : undefined),
      ...(left > 0 ? [{ kind: 'gap' as const, entries: left }, ...shownMessages.slice(FIRST)] : []),
      ...note,
    ],
  };
}

const AUTHORS = ['customer', 'agent', 'system'] as const;

/** The last message of the ticket, which keeps the fields that nothing maps. */
function noteOf(fields: readonly string[]): ConversationMessage[] {
  if (fields.length === 0) return [];
  return [
    {
      kind: 'message',
      author: 'system',
      name: 'Fields with no equivalent here (unmapped: note)',
      isInternal: true,
      occurredAt: '',
      contentType: 'text',
      content: fields.join('; '),
      attachments: [],
      moreAttachments: 0,
      pictures: [],
    },
  ];
}

/** Texts that are times of one form compare as times; others keep their order. */
function compare(one: string, other: string): number {
  return /^\d{4}-/.test(one) && /^\d{4}-/.test(other) ? (one < other ? -1 : one > other ? 1 : 0) : 0;
}

function personOf(person: unknown): { name?: string; email: string } | undefined {
  if (typeof person !== 'object' || person === null) return undefined;
  const { name, email, id } = person as NamedPerson;
  const address = textOf(email);
  const called = textOf(name) || (address === '' ? textOf(id) : '');
  if (called === '' && address === '') return undefined;
  return {
    ...(called !== '' && { name: shorten(called, WIDEST) }),
    email: shorten(address, WIDEST),
  };
}
