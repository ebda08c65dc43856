/** The messages of a ticket, from all sources of the layout, in the order in which the layout names them. */

import type { MappedItem } from '../../domain/mapped.ts';
import type { Problem } from '../../domain/problem.ts';
import type { SourceTicket } from '../../domain/source.ts';
import { MESSAGE_FIELDS, type MessageRule } from '../language/layout.ts';
import { type ActorRules, actorOf, type Requester } from '../people/actor-rules.ts';
import { compilePerson, type ReadPerson, type Role } from '../people/people.ts';
import { type CompileContext, describeRule } from './compile-context.ts';
import { compileExpression } from './expressions.ts';
import { compileFields, explainField, type Field, fillFields } from './fields.ts';
import { compileSource, type ItemSource } from './item-source.ts';
import type { Evaluate, Notes, Scope } from './scope.ts';
import { compileContact, type ReadContact } from './ticket-rule.ts';
import { isEmpty, textOf } from './values.ts';

interface CompiledSource {
  readonly source: ItemSource;
  readonly fields: readonly Field[];
  readonly contact: ReadContact | undefined;
  readonly author: ReadPerson | undefined;
  readonly authorRule: string;
  readonly use: NonNullable<MessageRule['use']>;
  readonly keepEmpty: boolean;
  /** What tells a message from all others of its rule; of those with the same value the first counts. */
  readonly once: Evaluate | undefined;
  /** The same for sources that are places of one rule. */
  readonly rule: string;
}

export interface MessageMapping {
  readonly sources: readonly { source: ItemSource; look(scope: Scope): void }[];
  map(ticket: SourceTicket, requester: Requester, notes: Notes): MappedItem[];
}

/** The messages of one source, with the problems that each of them has. */
interface Found {
  readonly items: MappedItem[];
  /** By item; absent where there are none. */
  readonly problems: (readonly Problem[] | undefined)[];
}

/** Stands in where no source has `once`: nothing is added to it. */
const NONE: Set<string> = new Set();

export function compileMessages(context: CompileContext, actors: ActorRules): MessageMapping {
  const sources = (context.layout.messages ?? [])
    .filter((rule) => rule.from === undefined || context.tables.has(rule.from))
    .map((rule) => compileMessageSource(rule, context, actors));
  const hasOnce = sources.some(({ once }) => once !== undefined);
  // what depends on the others comes after them; the order of the layout is kept in the result
  const inTurn = [...sources.keys()].sort((a, b) => Number(later(sources[a])) - Number(later(sources[b])));
  const plain = sources.length === 1 || inTurn.every((at, turn) => at === turn && !later(sources[at]));

  /** Undefined for what is no message: nobody wrote anything there. */
  const shapeOne = (of: CompiledSource, scope: Scope, requester: Requester) => {
    const { mapped } = scope.notes;
    const known = mapped.length;
    const value: Record<string, unknown> = {};
    fillFields(value, of.fields, scope);
    if (!of.keepEmpty && isEmpty(value['content']) && isEmpty(value['attachments'])) {
      mapped.length = known;
      return undefined;
    }
    const contact = of.contact?.(scope)?.contact;
    if (contact !== undefined) value['contact'] = contact;
    if (of.author !== undefined) addAuthor(value, of, scope, requester, actors, context);
    return value;
  };

  const shapeSource = (
    at: number,
    found: Found,
    others: readonly MappedItem[],
    ticket: SourceTicket,
    requester: Requester,
    notes: Notes,
    seen: Set<string>,
  ) => {
    const of = sources[at];
    if (of === undefined || (of.use === 'if-no-other' && others.length > 0)) return;
    for (const scope of of.source.scopes(ticket, notes)) {
      const start = notes.explained?.length ?? 0;
      const known = notes.mapped.length;
      const id = identityOf(of, scope);
      if (id !== undefined && seen.has(id)) {
        actors.loss.notHeld('messages that the export has more than once');
        continue;
      }
      const value = shapeOne(of, scope, requester);
      const own = notes.problems.length === 0 ? undefined : notes.problems.splice(0);
      if (value === undefined || (of.use === 'unless-repeated' && repeats(value, others, context.htmlText))) {
        if (notes.explained !== undefined) notes.explained.length = start;
        notes.mapped.length = known;
        if (value === undefined && scope.row !== ticket.row) actors.loss.notHeld('messages without content');
        continue;
      }
      if (id !== undefined) seen.add(id);
      placeOrigins(
        notes,
        start,
        plain ? `messages[${found.items.length}]` : `messages[${at}/${found.items.length}]`,
      );
      if (own !== undefined) found.problems[found.items.length] = own;
      found.items.push({ value, ref: scope.row.ref });
    }
  };

  return {
    sources: sources.map((of) => ({
      source: of.source,
      look: (scope) => fillFields({}, of.fields, scope),
    })),
    map: (ticket, requester, notes) => {
      const before = notes.problems.length === 0 ? undefined : notes.problems.splice(0);
      const all: Found = { items: [], problems: [] };
      const seen = hasOnce ? new Set<string>() : NONE;
      if (plain) for (const at of inTurn) shapeSource(at, all, all.items, ticket, requester, notes, seen);
      else {
        const bySource = sources.map((): Found => ({ items: [], problems: [] }));
        for (const at of inTurn) {
          const others = bySource.flatMap(({ items }) => items);
          const found = bySource[at];
          if (found !== undefined) shapeSource(at, found, others, ticket, requester, notes, seen);
        }
        settleOrigins(notes, bySource);
        for (const { items, problems } of bySource) {
          for (const [index, own] of problems.entries()) all.problems[all.items.length + index] = own;
          all.items.push(...items);
        }
      }
      if (before !== undefined) notes.problems.push(...before);
      for (const [index, own] of all.problems.entries())
        for (const problem of own ?? [])
          notes.problems.push({ ...problem, field: `messages[${index}].${problem.field ?? ''}` });
      return all.items;
    },
  };
}

/** Undefined where a source has no `once`, or an empty one: then every message counts. */
function identityOf(of: CompiledSource, scope: Scope): string | undefined {
  const id = textOf(of.once?.(scope));
  return id === '' ? undefined : `${of.rule}\u0000${id}`;
}

function later(of: CompiledSource | undefined): boolean {
  return of !== undefined && of.use !== 'always';
}

/** While explaining, items are known by source and place in it; only now their index among all messages is known. */
function settleOrigins(notes: Notes, bySource: readonly Found[]): void {
  if (notes.explained === undefined) return;
  const before = (at: number) => bySource.slice(0, at).reduce((sum, { items }) => sum + items.length, 0);
  for (const [index, origin] of notes.explained.entries()) {
    const field = origin.field.replace(
      /^messages\[(\d+)\/(\d+)\]/,
      (_, at: string, item: string) => `messages[${before(Number(at)) + Number(item)}]`,
    );
    notes.explained[index] = { ...origin, field };
  }
}

export function placeOrigins(notes: Notes, start: number, place: string): void {
  const { explained } = notes;
  if (explained === undefined) return;
  for (let at = start; at < explained.length; at++) {
    const origin = explained[at];
    if (origin !== undefined) explained[at] = { ...origin, field: `${place}.${origin.field}` };
  }
}

function compileMessageSource(
  rule: MessageRule,
  context: CompileContext,
  actors: ActorRules,
): CompiledSource {
  const source = compileSource(rule, context);
  const { place } = source;
  return {
    source,
    fields: compileFields(MESSAGE_FIELDS, rule, place, context),
    contact: rule.contact === undefined ? undefined : compileContact(rule.contact, place, context, actors),
    author: rule.author === undefined ? undefined : compilePerson(rule.author, place, context),
    authorRule: `author: ${describeRule(rule.author)}`,
    use: rule.use ?? 'always',
    keepEmpty: rule.keepEmpty ?? false,
    once: rule.once === undefined ? undefined : compileExpression(rule.once, place, context),
    rule: rule.once === undefined ? '' : withoutPlace(rule),
  };
}

/** Rules that differ in their place alone are one rule for several places. */
function withoutPlace({
  from: _,
  each: __,
  columns: ___,
  parts: ____,
  where: _____,
  ...rule
}: MessageRule): string {
  return JSON.stringify(rule);
}

function addAuthor(
  value: Record<string, unknown>,
  of: CompiledSource,
  scope: Scope,
  requester: Requester,
  actors: ActorRules,
  context: CompileContext,
): void {
  const { notes } = scope;
  notes.field = 'actorType';
  if (notes.explained !== undefined) notes.trace = [];
  const person = of.author?.(scope);
  const said = value['actorType'];
  const role = said === 'customer' || said === 'agent' || said === 'system' ? (said as Role) : undefined;
  const actor = actorOf(person, role, requester, actors);
  const explain = (field: string, made: unknown) => explainField(scope, field, made, of.authorRule);
  if (said === undefined && actor.role !== 'unknown') {
    value['actorType'] = actor.role;
    notes.mapped.push(context.mappedValues.of('actor', actor.from, actor.role));
    explain('actorType', actor.role);
  }
  if (actor.contact !== undefined && value['contact'] === undefined && value['contactId'] === undefined) {
    value['contact'] = actor.contact;
    explain('contact', actor.contact);
  }
  if (actor.agentId !== undefined && value['agentId'] === undefined) {
    value['agentId'] = actor.agentId;
    explain('agentId', actor.agentId);
  }
}

/** Whether the earliest of the others says the same: markup, entities and white space aside, a cut text included. */
function repeats(
  value: Record<string, unknown>,
  others: readonly MappedItem[],
  htmlText: CompileContext['htmlText'],
): boolean {
  const [first] = [...others].sort((a, b) => compareTimes(a.value['occurredAt'], b.value['occurredAt']));
  if (first === undefined) return false;
  const mine = plainText(textOf(value['content']), htmlText);
  const its = plainText(textOf(first.value['content']), htmlText);
  if (mine === '' || its === '') return mine === its;
  const length = Math.min(mine.length, its.length);
  return mine === its || (length >= 40 && mine.slice(0, length) === its.slice(0, length));
}

function compareTimes(a: unknown, b: unknown): number {
  const [one, other] = [textOf(a), textOf(b)];
  return one < other ? -1 : one > other ? 1 : 0;
}

function plainText(content: string, htmlText: CompileContext['htmlText']): string {
  return (htmlText?.(content) ?? content).replace(/\s+/g, '').toLowerCase();
}
