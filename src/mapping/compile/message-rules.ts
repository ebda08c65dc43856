/** The messages of a ticket, from all rules of the layout, in the order in which the layout names them. */

import { comparableText } from '../../domain/own-words.ts';
import { textOf } from '../../domain/source-file.ts';
import type { MappedItem } from '../../domain/ticket.ts';
import { MESSAGE_FIELDS, type MessageRule } from '../language/layout.ts';
import { type ActorRules, actorOf, type Requester } from '../people/actors.ts';
import { personLabel, type ReadPerson, roleIn } from '../people/people.ts';
import {
  addNotes,
  type CompileContext,
  mappingProblem,
  type Notes,
  type Person,
  type Scope,
} from './context.ts';
import {
  type CompiledRule,
  compileRules,
  explainField,
  fillFields,
  type MapItems,
  noteValue,
  startField,
} from './items.ts';
import { compileContact, type ReadContact } from './ticket-rule.ts';
import { isEmpty } from './values.ts';

interface CompiledMessages extends CompiledRule<MessageRule> {
  readonly contact: ReadContact | undefined;
}

/** A ticket and its first message are created within so many milliseconds. */
const AT_ONCE = 60_000;
/** Rules that depend on others come after them, and the copy of a message after all that it may be a copy of. */
const TURN = { always: 0, 'if-no-other': 1, 'unless-repeated': 2, 'unless-first': 2 } as const;

const turnOf = ({ use = 'always' }: MessageRule): number => TURN[use];

type MapMessages = (
  ...of: [...Parameters<MapItems>, mapped: Readonly<Record<string, unknown>>]
) => MappedItem[];

interface Found {
  readonly item: MappedItem;
  readonly notes: Notes;
  readonly rule: MessageRule;
}

export function compileMessages(context: CompileContext, actors: ActorRules): MapMessages {
  const { messages } = context.layout;
  const sources = compileRules(messages, MESSAGE_FIELDS, ({ author }) => author, context).map(
    (compiled): CompiledMessages => {
      const { contact } = compiled.rule;
      return {
        ...compiled,
        contact: contact === undefined ? undefined : compileContact(contact, compiled.place, context, actors),
      };
    },
  );
  const inTurn = sources.toSorted((a, b) => turnOf(a.rule) - turnOf(b.rule));

  return (ticket, requester, notes, { subject }) => {
    const seen = new Set<string>();
    const found = new Map<CompiledMessages, Found[]>();
    for (const of of inTurn) {
      const { rule } = of;
      const others = turnOf(rule) === 0 ? [] : [...found.values()].flat().map(({ item }) => item);
      if (rule.use === 'if-no-other' && others.length > 0) continue;
      const own: Found[] = [];
      found.set(of, own);
      for (const scope of of.scopes(ticket, notes)) {
        const id = of.identity(scope);
        if (id !== undefined && seen.has(id)) {
          actors.loss.add('notHeld', 'messages that the export has more than once');
          continue;
        }
        const { value, who } = mapMessage(of, scope, requester, context, actors);
        if (value === undefined) {
          if (scope.row !== ticket.row) actors.loss.add('notHeld', 'messages without content');
          continue;
        }
        const item = { value, ref: scope.row.ref, who };
        if (turnOf(rule) === 2 && isCopy(item, rule.use, others, subject, context)) continue;
        if (id !== undefined) seen.add(id);
        own.push({ item, notes: scope.notes, rule });
      }
    }
    // the order of the layout is kept
    const all = sources.flatMap((of) => found.get(of) ?? []);
    keepInternal(all, ticket.externalId, context);
    return all.map(({ item, notes: own }, index) => {
      notes.values.push(...own.values);
      addNotes(notes, own, `messages[${index}].`);
      return item;
    });
  };
}

/** Undefined for an empty row, which is no message. */
function mapMessage(
  of: CompiledMessages,
  scope: Scope,
  requester: Requester,
  context: CompileContext,
  actors: ActorRules,
): { readonly value?: Record<string, unknown>; readonly who?: Person | undefined } {
  const value: Record<string, unknown> = {};
  fillFields(value, of.fields, scope);
  if (of.rule.keepEmpty !== true && isEmpty(value['content']) && isEmpty(value['attachments'])) return {};
  const contact = of.contact?.(scope)?.contact;
  if (contact !== undefined) value['contact'] = contact;
  const who = of.person === undefined ? undefined : addAuthor(value, of, of.person, scope, requester, actors);
  // a module of the user may still say who wrote it
  if (value['actorType'] === undefined && who !== undefined && context.layout.transform === undefined) {
    const message = `Nothing in the export says whether ${personLabel(who)} is a customer or an agent.`;
    const problem = mappingProblem(context, scope, { severity: 'error', code: 'unknown-author', message });
    scope.notes.problems.push({ ...problem, field: 'actorType' });
  }
  return { value, who };
}

function addAuthor(
  value: Record<string, unknown>,
  { personRule }: CompiledMessages,
  read: ReadPerson,
  scope: Scope,
  requester: Requester,
  actors: ActorRules,
): Person | undefined {
  startField(scope, 'actorType');
  const person = read(scope);
  const actor = actorOf(person, roleIn(value['actorType']), requester, actors);
  const set = (field: string, made: unknown) => {
    if (made === undefined || value[field] !== undefined) return;
    value[field] = made;
    explainField(scope, field, made, `author: ${personRule}`);
  };
  if (value['actorType'] === undefined && actor.role !== 'unknown') {
    noteValue(scope, 'actor', actor.from, actor.role);
    set('actorType', actor.role);
  }
  if (value['contactId'] === undefined) set('contact', actor.contact);
  set('agentId', actor.agentId);
  return person;
}

/**
 * A text that says nothing of who may see it, such as a description, and is the copy of an internal note is a note too:
 * what was internal is never published by a second place in which it is.
 */
function keepInternal(all: readonly Found[], ticket: string, context: CompileContext): void {
  const { true: saying = [], false: silent = [] } = Object.groupBy(all, ({ rule }) =>
    rule.isInternal === undefined ? 'false' : 'true',
  );
  if (silent.length === 0) return;
  const internal = saying.filter(({ item }) => item.value['isInternal'] === true);
  if (internal.length === 0) return;
  const texts = internal.map(({ item }) => saidIn(item, context));
  for (const { item, notes } of silent) {
    const mine = saidIn(item, context);
    if (mine === '' || !texts.some((text) => isSameText(mine, text))) continue;
    item.value['isInternal'] = true;
    notes.problems.push({
      severity: 'warning',
      code: 'kept-internal',
      ticket,
      file: context.fileName(item.ref),
      line: item.ref.line,
      field: 'isInternal',
      message: 'The text is a copy of an internal note, so it is sent as internal too.',
      count: 1,
    });
  }
}

function saidIn({ value }: MappedItem, { htmlText }: CompileContext): string {
  return spokenText(textOf(value['content']), htmlText);
}

/**
 * Whether the earliest of the others says the same: markup, emphasis and white space aside, cut or with a signature, and
 * with the subject above it, which the ticket has. `unless-first`: or was written with the ticket.
 */
function isCopy(
  item: MappedItem,
  use: MessageRule['use'],
  others: readonly MappedItem[],
  subject: unknown,
  context: CompileContext,
): boolean {
  // what has no time is not the first
  const time = ({ value }: MappedItem) => textOf(value['occurredAt']) || '~';
  const [first] = others.toSorted((a, b) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0));
  if (first === undefined) return false;
  const mine = saidIn(item, context);
  const its = saidIn(first, context);
  if (use === 'unless-first') {
    const [then, at] = [item, first].map(({ value }) => Date.parse(textOf(value['occurredAt'])));
    if (mine === '' || Math.abs(Number(then) - Number(at)) <= AT_ONCE || contains(its, mine)) return true;
  }
  if (mine === '' || its === '') return mine === its;
  const above = spokenText(textOf(subject), undefined);
  return (
    isSameText(mine, its) ||
    contains(mine, its) ||
    (mine.startsWith(above) && isSameText(mine.slice(above.length), its))
  );
}

// Whether two bodies say the same: one may be HTML and the other Markdown or plain text, with or without a signature.

/** Characters that identify a text that was cut or is part of another. */
const LEAST = 25;
const ADDRESS = /\b(?:https?:\/\/|mailto:)[^\s<>()[\]"]+/gi;
/** `![picture](address)` and `[words](address)`: the words stay. */
const LINK = /!?\[([^\][]*)\]\(\s*(?:[^()\s]+\s*)?\)/g;

/** Letters and digits alone: without markup, addresses of links, emphasis, white space and punctuation. */
function spokenText(content: string, htmlText: ((html: string) => string) | undefined): string {
  const linked = content.replace(LINK, (link, words: string) => (link.startsWith('!') ? ' ' : words));
  const text = comparableText((htmlText?.(linked) ?? linked).replace(ADDRESS, ' '));
  const spoken = text.replace(/[^\p{L}\p{N}]+/gu, '');
  return spoken === '' ? text : spoken;
}

/** The same, or one of them goes on after the other ends. */
function isSameText(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length);
  return one === other || (length >= LEAST && one.slice(0, length) === other.slice(0, length));
}

function contains(whole: string, part: string): boolean {
  return part.length >= LEAST && whole.includes(part);
}
