/** One pass over an export with a mapping. */

import type { Flags } from '../../cli/context.ts';
import type { Inspection } from '../../discover/inspection.ts';
import { type Needs, NeedsCounter } from '../../discover/needs.ts';
import { AppError } from '../../domain/errors.ts';
import { countOf, shorten } from '../../domain/printable.ts';
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

interface SurveyOptions {
  /** Folder from which a `transform` is loaded. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly skip?: number | undefined;
  /** Tickets that are mapped, beyond those skipped; all by default. */
  readonly most?: number | undefined;
}

export interface Surveyed {
  readonly needs: Needs;
  /** A few tickets as they will be in the helpdesk. */
  readonly conversations: readonly Conversation[];
  readonly openDayOrder: boolean;
  /** Only a part of the tickets was mapped. */
  readonly isPart: boolean;
}

export async function survey(
  files: StagedExport,
  { layout, plan }: Pick<Detection, 'layout' | 'plan'>,
  { folder, signal, skip = 0, most = Number.POSITIVE_INFINITY }: SurveyOptions,
): Promise<Surveyed> {
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
  const picker = new TicketPicker();
  let seen = 0;
  for await (const items of joined.tickets(signal))
    for (const item of items) {
      if (item.kind !== 'ticket' || seen > skip + most) continue;
      if (seen++ === skip + most) break;
      const mapped = mapper.map(item);
      counter.see(mapped);
      if (seen > skip) picker.see(mapped);
    }
  const needs = counter.needs(mapper.loss());
  return { needs, conversations: await picker.picked(), openDayOrder, isPart: seen > skip + most };
}

/** Undefined if the table maps the export. Throws AppError `source` for a layout that does not fit. */
export function knownLayout(inspection: Inspection, flags: Flags): Detection | undefined {
  const { detection, undetected } = inspection;
  const from = flags['from'];
  if (detection === undefined && from !== undefined)
    throw new AppError('source', undetected?.message ?? 'The export does not fit this layout.', {
      lines: [...(undetected?.near ?? [])],
      hint: 'Leave --from out to map the columns yourself.',
    });
  if (detection === undefined || from !== undefined) return detection;
  const isKnown =
    detection.layout.generic !== true && (detection.layout.name !== 'native' || isNative(inspection));
  return isKnown && flags['propose'] !== true ? detection : undefined;
}

/** Throws AppError `internal` for an impossible mapping. */
export function detectionOf(mapping: unknown, { files }: ExportFiles): Detection {
  const read = readMapping(mapping, builtinLayout);
  if ('issues' in read)
    throw new AppError('internal', 'The mapping of the table is not valid.', {
      lines: read.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`),
    });
  const outlines = files.map(({ outline }) => outline);
  return detectLayout(outlines, [read.layout], read.layout.name);
}

/** Only the native layout has its names for times and authors; other names are common. */
function isNative({ tables }: Inspection): boolean {
  const has = (names: RegExp) => tables.some(({ columns }) => columns.some(({ name }) => names.test(name)));
  return (
    has(/(?:^|[.\]])(?:occurredAt|actorType)$/i) ||
    (has(/(?:^|[.\]])createdAt$/i) && !has(/(?:^|[.\]])(?:content|body|text|message)$/i))
  );
}

const FIRST = 5;
const LAST = 2;
const MOST_TEXT = 2000;
const WIDEST = 200;
/** So that three different ones can be shown. */
const KEPT = 3;

/** The longest, one with an internal note, an answered one, and the first ones. */
class TicketPicker {
  #longest: MappedTicket | undefined;
  readonly #noted: MappedTicket[] = [];
  readonly #answered: MappedTicket[] = [];
  readonly #first: MappedTicket[] = [];

  see(mapped: MappedTicket): void {
    if (mapped.excluded !== undefined) return;
    const { messages } = mapped;
    const roles = new Set(messages.map(({ value }) => value['actorType']));
    const isAnswered = roles.size > 1 && messages.length <= FIRST + LAST;
    if (isAnswered && this.#answered.length < KEPT) this.#answered.push(mapped);
    if (this.#first.length < KEPT) this.#first.push(mapped);
    if (messages.length > (this.#longest?.messages.length ?? 0)) this.#longest = mapped;
    const isNoted = messages.some(({ value }) => value['isInternal'] === true);
    if (isNoted && this.#noted.length < KEPT) this.#noted.push(mapped);
  }

  async picked(): Promise<Conversation[]> {
    const longest = this.#longest;
    const noted = this.#noted.find((ticket) => ticket !== longest);
    const why = (ticket: MappedTicket) =>
      ticket === longest
        ? `the longest: ${countOf(ticket.messages.length, 'message')}`
        : ticket === noted
          ? 'has an internal note'
          : 'an ordinary one';
    const all = [...new Set([longest, noted, ...this.#answered, ...this.#first])];
    const taken = all.filter((ticket) => ticket !== undefined).slice(0, KEPT);
    const text = await textReader(taken);
    return taken.map((ticket) => shown(ticket, why(ticket), text));
  }
}

/** Loaded late: the HTML reader is slow to load. */
async function textReader(tickets: readonly MappedTicket[]): Promise<(value: MappedItem['value']) => string> {
  const isHtml = (value: MappedItem['value']) =>
    value['contentType'] === 'html' ||
    /<(?:p|br|div|span|a|b|html|body|table)\b[^<>]*>/i.test(textOf(value['content']));
  const someHtml = tickets.some(({ messages }) => messages.some(({ value }) => isHtml(value)));
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
  const entries = messages.map(({ value, who }): ConversationMessage => {
    const { attachments } = value;
    const author = personOf(who) ?? personOf(value['contact']);
    return {
      ...PLAIN,
      author: AUTHORS.find((known) => known === value['actorType']) ?? '',
      name: author?.name ?? (line(value['agentId']) || undefined),
      email: author?.email,
      isInternal: value['isInternal'] === true,
      occurredAt: line(value['occurredAt']),
      content: text(value),
      moreAttachments: Array.isArray(attachments) ? attachments.length : 0,
    };
  });
  // Times of one form compare as times; other texts keep their order.
  if (entries.every(({ occurredAt }) => /^\d{4}-/.test(occurredAt)))
    entries.sort((a, b) => (a.occurredAt < b.occurredAt ? -1 : a.occurredAt > b.occurredAt ? 1 : 0));
  const left = entries.length - FIRST - LAST;
  const gap: Conversation['entries'] = left > 0 ? [{ kind: 'gap', entries: left }] : [];
  const { tags } = ticket;
  const isLost = problems.some(({ code }) => code === 'lost-assignee');
  const kept = unmapped.map(({ column, text: value }) => `${line(column)}: ${line(value)}`).join('; ');
  return {
    externalId: line(externalId),
    why: [why],
    subject: line(ticket['subject']),
    contact: personOf(requester) ?? personOf(ticket['contact']),
    status: line(ticket['status']) || 'open',
    priority: line(ticket['priority']),
    assignee: line(ticket['assignedToId']) || (isLost ? 'an agent without an ID' : ''),
    tags: Array.isArray(tags) ? tags.map(line) : [line(tags)].filter(Boolean),
    createdAt: line(ticket['createdAt']),
    readOnly: false,
    messages: messages.length,
    events: 0,
    entries: [
      ...entries.slice(0, left > 0 ? FIRST : undefined),
      ...gap,
      ...(left > 0 ? entries.slice(-LAST) : []),
      ...(kept === '' ? [] : [{ ...NOTE, content: kept }]),
    ],
  };
}

const AUTHORS = ['customer', 'agent', 'system'] as const;
const PLAIN = {
  kind: 'message',
  contentType: 'text',
  attachments: [],
  moreAttachments: 0,
  pictures: [],
} as const;
const NOTE = {
  ...PLAIN,
  author: 'system',
  name: 'Fields with no equivalent here (unmapped: note)',
  isInternal: true,
  occurredAt: '',
} as const;

function personOf(person: unknown): { name?: string; email: string } | undefined {
  if (typeof person !== 'object' || person === null) return undefined;
  const { name, email, id } = person as NamedPerson;
  const address = textOf(email);
  const called = textOf(name) || (address === '' ? textOf(id) : '');
  if (called === '' && address === '') return undefined;
  return { ...(called !== '' && { name: shorten(called, WIDEST) }), email: shorten(address, WIDEST) };
}
