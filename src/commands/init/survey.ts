/** One pass over an export with a mapping. */

import type { Flags } from '../../cli/context.ts';
import type { Inspection } from '../../discover/inspection.ts';
import { type Needs, NeedsCounter } from '../../discover/needs.ts';
import { AppError } from '../../domain/errors.ts';
import {
  ACTOR_TYPES,
  type ActorType,
  type ContactRef,
  type MessagePayload,
  type TicketPriority,
  type TicketStatus,
} from '../../domain/payload.ts';
import { countOf, shorten } from '../../domain/printable.ts';
import { type ContactNames, type ExportFiles, textOf } from '../../domain/source-file.ts';
import type { MappedItem, MappedTicket, NamedPerson } from '../../domain/ticket.ts';
import { isInstant } from '../../domain/written-time.ts';
import { compileLayout, defaultMappingSettings } from '../../mapping/compile/compile-layout.ts';
import type { Mapper } from '../../mapping/compile/mapper.ts';
import { builtinLayout } from '../../mapping/detect/builtin-layouts.ts';
import { type Detection, detectLayout } from '../../mapping/detect/detect.ts';
import { readMapping } from '../../mapping/language/read-layout.ts';
import { contactOf } from '../../mapping/people/people.ts';
import type { Facts } from '../../plan/facts.ts';
import { createContactNames } from '../../source/contact-names.ts';
import { joinExport } from '../../source/join.ts';
import type { StagedExport } from '../../source/open-export.ts';
import { type Conversation, conversationOf } from '../../view/conversation/conversation.ts';

interface SurveyOptions {
  readonly signal: AbortSignal;
  readonly skip?: number | undefined;
  /** Tickets that are mapped, beyond those skipped; all by default. */
  readonly most?: number | undefined;
  /** The domain of made-up addresses. */
  readonly domain?: string | undefined;
  /** Times of the conversations are shown in it. */
  readonly zone?: string | undefined;
  /** IDs in the helpdesk by what the export calls them. */
  readonly agents?: Readonly<Record<string, string>>;
}

export interface Surveyed {
  readonly needs: Needs;
  readonly customers: Facts['contacts'];
  /** A few tickets as they will be in the helpdesk. */
  readonly conversations: readonly Conversation[];
  readonly openDayOrder: boolean;
  /** Only a part of the tickets was mapped. */
  readonly isPart: boolean;
}

export async function survey(
  files: StagedExport,
  { layout, plan }: Pick<Detection, 'layout' | 'plan'>,
  {
    signal,
    skip = 0,
    most = Number.POSITIVE_INFINITY,
    domain = 'made-up.example',
    zone,
    agents = {},
  }: SurveyOptions,
): Promise<Surveyed> {
  const customersWithoutEmail = { synthesize: domain };
  const joined = joinExport(files, plan, signal);
  const compile = (dayFirst: boolean | undefined) =>
    compileLayout(layout, plan, {
      files,
      joined,
      settings: { ...defaultMappingSettings, agents, customersWithoutEmail, dayFirst, listsUnmapped: true },
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
  using contacts = createContactNames();
  const counter = new NeedsCounter((time) => mapper.timeCell(time), domain);
  const picker = new TicketPicker();
  let seen = 0;
  for await (const items of joined.tickets(signal))
    for (const item of items) {
      if (item.kind !== 'ticket' || seen > skip + most) continue;
      if (seen++ === skip + most) break;
      const mapped = mapper.map(item);
      counter.see(mapped);
      offerNames(mapped, contacts);
      if (seen > skip) picker.see(mapped);
    }
  const needs = counter.needs(mapper.account());
  const ofName = (name: string) => contactOf({ name }, customersWithoutEmail)?.email;
  return {
    needs,
    customers: { ...contacts.counts(), ...contacts.madeUp(domain, ofName) },
    ...{ conversations: await picker.picked(zone), openDayOrder, isPart: seen > skip + most },
  };
}

function offerNames({ ticket, messages, excluded }: MappedTicket, contacts: ContactNames): void {
  if (excluded !== undefined) return;
  for (const value of [ticket, ...messages.map((message) => message.value)]) {
    const { email = '', name } = personOf(value['contact']) ?? {};
    if (email !== '') contacts.offer(email, name, 0);
  }
}

/** Undefined if the table maps the export. Throws AppError `source` for a layout that does not fit. */
export function knownLayout(inspection: Inspection, flags: Flags): Detection | undefined {
  const { detection, undetected } = inspection;
  const from = flags['from'];
  if (detection === undefined && from !== undefined)
    throw new AppError('source', undetected?.message ?? 'The export does not fit this layout.', {
      lines: [...(undetected?.lines ?? [])],
      hint: 'Leave --from out to map the columns yourself.',
    });
  if (detection === undefined || from !== undefined) return detection;
  return detection.layout.name !== 'native' || isNative(inspection) ? detection : undefined;
}

export function detectionOf(mapping: unknown, { files }: ExportFiles): Detection {
  const read = readMapping(mapping, builtinLayout);
  if ('issues' in read)
    throw new AppError('internal', 'The mapping of the table is not valid.', {
      lines: read.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`),
    });
  return detectLayout(files, [read.layout], read.layout.name);
}

/** Only the native layout has its names for times and authors; other names are common. */
function isNative({ tables }: Inspection): boolean {
  const has = (names: RegExp) => tables.some(({ columns }) => columns.some(({ name }) => names.test(name)));
  return (
    has(/(?:^|[.\]])(?:occurredAt|actorType)$/i) ||
    (has(/(?:^|[.\]])createdAt$/i) && !has(/(?:^|[.\]])(?:content|body|text|message)$/i))
  );
}

/** So that three different ones can be shown. */
const KEPT = 3;
/** Messages of a ticket that is easily read. */
const FEW = 7;
const MOST_TEXT = 2000;
const WIDEST = 200;

/** The longest, one with an internal note, an answered one, and the first ones. */
class TicketPicker {
  #longest: MappedTicket | undefined;
  readonly #kept = { noted: [], answered: [], first: [] } as Record<string, MappedTicket[]>;

  see(mapped: MappedTicket): void {
    if (mapped.excluded !== undefined) return;
    const { messages } = mapped;
    if (messages.length > (this.#longest?.messages.length ?? 0)) this.#longest = mapped;
    const is: Readonly<Record<string, boolean>> = {
      noted: messages.some(({ value }) => value['isInternal'] === true),
      answered: messages.length <= FEW && new Set(messages.map(({ value }) => value['actorType'])).size > 1,
      first: true,
    };
    for (const [kind, kept] of Object.entries(this.#kept))
      if (is[kind] === true && kept.length < KEPT) kept.push(mapped);
  }

  async picked(zone: string | undefined): Promise<Conversation[]> {
    const longest = this.#longest;
    const { answered = [], first = [] } = this.#kept;
    const noted = this.#kept['noted']?.find((ticket) => ticket !== longest);
    const all = [...new Set([longest, noted, ...answered, ...first])];
    const taken = all.filter((ticket) => ticket !== undefined).slice(0, KEPT);
    const text = await textReader(taken);
    return taken.map((ticket) => {
      const long = ticket === longest && `the longest: ${countOf(ticket.messages.length, 'message')}`;
      const why = long || (ticket === noted ? 'has an internal note' : 'an ordinary one');
      return conversationOf(withTexts(ticket, text, zone), [why], () => undefined);
    });
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

/** As far as it is known before it is checked: what is missing is empty. */
function withTexts(
  { externalId, ticket, requester, assignee, messages: all, problems, unmapped = [] }: MappedTicket,
  text: (value: MappedItem['value']) => string,
  zone: string | undefined,
): Parameters<typeof conversationOf>[0] {
  const line = (value: unknown) => shorten(textOf(value).slice(0, MOST_TEXT), WIDEST);
  const time = (value: unknown) => {
    const written = line(value);
    if (zone === undefined || !isInstant(written)) return written;
    return new Date(written).toLocaleString('sv-SE', {
      timeZone: zone,
      timeStyle: 'short',
      dateStyle: 'short',
    });
  };
  const messages = all.map(({ value, who }): MessagePayload => {
    const { attachments } = value;
    const author = personOf({ ...who, ...(value['contact'] as object | undefined) });
    const agentId = author?.name ?? line(value['agentId']);
    return {
      actorType: (ACTOR_TYPES.find((known) => known === value['actorType']) ?? '') as ActorType,
      ...(author && { contact: author }),
      ...(agentId && { agentId }),
      isInternal: value['isInternal'] === true,
      occurredAt: time(value['occurredAt']),
      content: text(value),
      attachments: Array.isArray(attachments) ? attachments.map(() => ({ url: '' })) : [],
    };
  });
  const { tags } = ticket;
  const contact = personOf({ ...requester, ...(ticket['contact'] as object | undefined) });
  const isLost = problems.some(({ code }) => code === 'lost-assignee') && assignee !== undefined;
  const note = {
    actorType: 'system',
    contact: { email: '', name: 'Kept in an internal note' },
    isInternal: true,
    occurredAt: '',
    content: [...new Set(unmapped.map(({ column, text: value }) => `${line(column)}: ${line(value)}`))].join(
      '; ',
    ),
  } as const;
  return {
    externalId: line(externalId),
    ticket: {
      subject: line(ticket['subject']),
      ...(contact && { contact }),
      status: (line(ticket['status']) || 'open') as TicketStatus,
      priority: line(ticket['priority']) as TicketPriority,
      assignedToId: line(ticket['assignedToId']) || (isLost ? `${line(assignee)} (no agent ID)` : ''),
      tags: Array.isArray(tags) ? tags.map(line) : [line(tags)].filter(Boolean),
      createdAt: time(ticket['createdAt']),
    },
    messages,
    events: [],
    note: note.content === '' ? undefined : note,
  };
}

function personOf(person: unknown): ContactRef | undefined {
  if (typeof person !== 'object' || person === null) return undefined;
  const { name, email, id } = person as NamedPerson;
  const address = shorten(textOf(email), WIDEST);
  const called = shorten(textOf(name) || (address === '' ? textOf(id) : ''), WIDEST);
  return called === '' && address === '' ? undefined : { email: address, ...(called && { name: called }) };
}
