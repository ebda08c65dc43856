/** The messages of a ticket, from all sources of the layout, in the order in which the layout names them. */

import type { Problem } from '../../domain/problem.ts';
import type { SourceTicket } from '../../domain/source.ts';
import { textOf } from '../../domain/source-file.ts';
import type { MappedItem } from '../../domain/ticket.ts';
import type { MessageRule } from '../language/layout.ts';
import { MESSAGE_FIELDS } from '../language/words.ts';
import { type ActorRules, actorOf, type Requester, saidRole } from '../people/actor-rules.ts';
import { compilePerson, type Person, personLabel, type ReadPerson } from '../people/people.ts';
import { type CompileContext, describeRule, mappingProblem } from './compile-context.ts';
import { compileExpression } from './expressions.ts';
import { compileFields, explainField, type Field, fillFields, mappedValue, startField } from './fields.ts';
import { compileSource, type ItemSource } from './item-source.ts';
import { contains, isSameText, spokenText } from './same-text.ts';
import { addNotes, type Evaluate, type Notes, type Scope } from './scope.ts';
import { isEmpty } from './text-forms.ts';
import { compileContact, type ReadContact } from './ticket-rule.ts';

interface CompiledSource {
  readonly source: ItemSource;
  readonly fields: readonly Field[];
  readonly contact: ReadContact | undefined;
  readonly author: ReadPerson | undefined;
  readonly authorRule: string;
  readonly use: NonNullable<MessageRule['use']>;
  readonly keepEmpty: boolean;
  /** A module of the user may still say who wrote it. */
  readonly isTransformed: boolean;
  readonly unknownAuthor: (scope: Scope, who: Person) => Problem;
  /** Whether the rule says who may see its messages. */
  readonly saysVisibility: boolean;
  /** What tells a message from all others of its rule; of those with the same value the first counts. */
  readonly once: Evaluate | undefined;
  /** The same for sources that are places of one rule. */
  readonly rule: string;
}

/** A ticket and its first message are created within so many milliseconds. */
const AT_ONCE = 60_000;
/** Sources that depend on others come after them, and the copy of a message after all that it may be a copy of. */
const TURN = { always: 0, 'if-no-other': 1, 'unless-repeated': 2, 'unless-first': 2 } as const;

export type MapItems = (ticket: SourceTicket, requester: Requester, notes: Notes) => MappedItem[];
type MapMessages = (
  ...of: [...Parameters<MapItems>, mapped: Readonly<Record<string, unknown>>]
) => MappedItem[];

interface Found {
  readonly item: MappedItem;
  readonly notes: Notes;
  readonly saysVisibility: boolean;
}

export function compileMessages(context: CompileContext, actors: ActorRules): MapMessages {
  const sources = (context.layout.messages ?? [])
    .filter((rule) => rule.from === undefined || context.tables.has(rule.from))
    .map((rule) => compileMessageSource(rule, context, actors));
  const someSayNothing = sources.some(({ saysVisibility }) => !saysVisibility);
  // the order of the layout is kept in the result
  const turn = (at: number) => TURN[sources[at]?.use ?? 'always'];
  const inTurn = [...sources.keys()].sort((a, b) => turn(a) - turn(b));

  const find = (
    of: CompiledSource,
    others: readonly MappedItem[],
    seen: Set<string>,
    ticket: SourceTicket,
    requester: Requester,
    notes: Notes,
    subject: unknown,
  ): Found[] => {
    const found: Found[] = [];
    for (const scope of of.source.scopes(ticket, notes)) {
      const id = identityOf(of, scope);
      if (id !== undefined && seen.has(id)) {
        actors.loss.notHeld('messages that the export has more than once');
        continue;
      }
      const { value, who } = mapMessage(of, scope, requester, actors);
      if (value === undefined) {
        if (scope.row !== ticket.row) actors.loss.notHeld('messages without content');
        continue;
      }
      if (TURN[of.use] === TURN['unless-repeated'] && isCopy(value, of.use, others, subject, context))
        continue;
      if (id !== undefined) seen.add(id);
      found.push({
        item: { value, ref: scope.row.ref, who },
        notes: scope.notes,
        saysVisibility: of.saysVisibility,
      });
    }
    return found;
  };

  return (ticket, requester, notes, { subject }) => {
    const seen = new Set<string>();
    const bySource: Found[][] = sources.map(() => []);
    for (const at of inTurn) {
      const of = sources[at];
      const others = of?.use === 'always' ? [] : bySource.flat().map(({ item }) => item);
      if (of === undefined || (of.use === 'if-no-other' && others.length > 0)) continue;
      bySource[at] = find(of, others, seen, ticket, requester, notes, subject);
    }
    const all = bySource.flat();
    if (someSayNothing) keepInternal(all, ticket.externalId, context);
    return all.map(({ item, notes: own }, index) => {
      notes.values.push(...own.values);
      addNotes(notes, own, `messages[${index}].`);
      return item;
    });
  };
}

/** Undefined where a source has no `once`, or an empty one: then every message counts. */
function identityOf(of: CompiledSource, scope: Scope): string | undefined {
  const id = textOf(of.once?.(scope));
  return id === '' ? undefined : `${of.rule}\u0000${id}`;
}

function compileMessageSource(
  rule: MessageRule,
  context: CompileContext,
  actors: ActorRules,
): CompiledSource {
  const source = compileSource(rule, context);
  const { place } = source;
  // rules that differ in their place alone are one rule for several places
  const { from: _, each: __, where: ___, ...wherever } = rule;
  return {
    source,
    fields: compileFields(MESSAGE_FIELDS, rule, place, context),
    contact: rule.contact === undefined ? undefined : compileContact(rule.contact, place, context, actors),
    author: rule.author && compilePerson(rule.author, place, context),
    authorRule: `author: ${describeRule(rule.author)}`,
    use: rule.use ?? 'always',
    keepEmpty: rule.keepEmpty ?? false,
    isTransformed: context.layout.transform !== undefined,
    unknownAuthor: (scope, who) => ({
      ...mappingProblem(context, scope, {
        severity: 'error',
        code: 'unknown-author',
        message: `Nothing in the export says whether ${personLabel(who)} is a customer or an agent.`,
      }),
      field: 'actorType',
    }),
    saysVisibility: rule.isInternal !== undefined,
    once: compileExpression(rule.once, place, context),
    rule: JSON.stringify(wherever),
  };
}

/** Undefined for what is no message: nobody wrote anything there. */
function mapMessage(
  of: CompiledSource,
  scope: Scope,
  requester: Requester,
  actors: ActorRules,
): { readonly value: Record<string, unknown> | undefined; readonly who?: Person | undefined } {
  const value: Record<string, unknown> = {};
  fillFields(value, of.fields, scope);
  if (!of.keepEmpty && isEmpty(value['content']) && isEmpty(value['attachments']))
    return { value: undefined };
  const contact = of.contact?.(scope)?.contact;
  if (contact !== undefined) value['contact'] = contact;
  const who = of.author === undefined ? undefined : addAuthor(value, of, of.author, scope, requester, actors);
  if (value['actorType'] === undefined && who !== undefined && !of.isTransformed)
    scope.notes.problems.push(of.unknownAuthor(scope, who));
  return { value, who };
}

function addAuthor(
  value: Record<string, unknown>,
  { authorRule }: CompiledSource,
  read: ReadPerson,
  scope: Scope,
  requester: Requester,
  actors: ActorRules,
): Person | undefined {
  startField(scope, 'actorType');
  const person = read(scope);
  const actor = actorOf(person, saidRole(value), requester, actors);
  const set = (field: string, made: unknown) => {
    value[field] = made;
    explainField(scope, field, made, authorRule);
  };
  if (value['actorType'] === undefined && actor.role !== 'unknown') {
    scope.notes.values.push(mappedValue('actor', actor.from, actor.role));
    set('actorType', actor.role);
  }
  if (actor.contact !== undefined && value['contact'] === undefined && value['contactId'] === undefined)
    set('contact', actor.contact);
  if (actor.agentId !== undefined && value['agentId'] === undefined) set('agentId', actor.agentId);
  return person;
}

/**
 * A text that says nothing of who may see it, such as a description, and is the copy of an internal note is a note too:
 * what was internal is never published by a second place in which it stands.
 */
function keepInternal(all: readonly Found[], ticket: string, context: CompileContext): void {
  const internal = all.flatMap(({ item, saysVisibility }) =>
    saysVisibility && item.value['isInternal'] === true ? [saidIn(item, context)] : [],
  );
  if (internal.length === 0) return;
  for (const { item, notes, saysVisibility } of all) {
    const mine = saysVisibility ? '' : saidIn(item, context);
    if (mine === '' || !internal.some((text) => isSameText(mine, text))) continue;
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
  value: Record<string, unknown>,
  use: CompiledSource['use'],
  others: readonly MappedItem[],
  subject: unknown,
  context: CompileContext,
): boolean {
  const [first] = others.toSorted((a, b) => {
    // what has no time is not the first
    const [one, other] = [a, b].map(({ value: { occurredAt } }) => textOf(occurredAt) || '~') as [
      string,
      string,
    ];
    return one < other ? -1 : one > other ? 1 : 0;
  });
  if (first === undefined) return false;
  const mine = saidIn({ value, ref: first.ref }, context);
  const its = saidIn(first, context);
  if (use === 'unless-first') {
    const [then, at] = [value, first.value].map(({ occurredAt }) => Date.parse(textOf(occurredAt)));
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
