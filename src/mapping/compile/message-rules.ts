/** Messages of a ticket, from all rules of the layout, in its order. */

import { isDeepStrictEqual } from 'node:util';
import { bareName } from '../../domain/decisions.ts';
import { comparableText } from '../../domain/own-words.ts';
import type { JsonObject, SourceTicket } from '../../domain/source.ts';
import { isJsonObject, textOf } from '../../domain/source-file.ts';
import { problemOf } from '../../domain/text/problem-words.ts';
import type { MappedItem, NamedPerson } from '../../domain/ticket.ts';
import { personKey } from '../../source/keys.ts';
import { mainColumn } from '../language/expression.ts';
import {
  type Layout,
  MESSAGE_FIELDS,
  type MessageRule,
  rootTableOf,
  type TypistRule,
} from '../language/layout.ts';
import {
  type ActorRules,
  actorOf,
  agentOf,
  isOtherAgent,
  type Requester,
  type Signed,
  withKind,
} from '../people/actors.ts';
import { compilePerson, personLabel, type ReadPerson, roleIn } from '../people/people.ts';
import { Aside, type Said } from './aside.ts';
import {
  addNotes,
  asChoice,
  type CompileContext,
  columnsOf,
  type Doubt,
  type Evaluate,
  mappingProblem,
  type Notes,
  newNotes,
  type Person,
  type Read,
  rowPlace,
  rowScope,
  type Scope,
  wordIn,
} from './context.ts';
import { compileExpression, compileHolds, compileOptional, type Holds, itemsOf } from './expressions.ts';
import {
  type CompiledRule,
  compileRules,
  compileVisibility,
  countValues,
  explainField,
  type Field,
  fillFields,
  type MapItems,
  noteValue,
  readField,
  startField,
} from './items.ts';
import type { Place } from './paths.ts';
import { listOf } from './paths.ts';
import { compileContact, type ReadContact } from './ticket-rule.ts';
import { isEmpty } from './values.ts';

interface CompiledMessages extends CompiledRule<MessageRule> {
  readonly contact: ReadContact | undefined;
  readonly isOwnText: boolean;
  /** True if the seen tickets name their customers. */
  readonly people: { namesCustomers: boolean; tickets: number };
  readonly firstText: FirstText | undefined;
  readonly visibility: Field | undefined;
  readonly isLeftOut: Holds | undefined;
  readonly aside: Aside;
  readonly to: readonly Evaluate[];
  readonly said: readonly Field[];
  readonly typist: (scope: Scope, requester: Requester) => Typist | undefined;
  readonly isShortened: Holds | undefined;
}

interface Typist {
  readonly person: Person;
  readonly isSent: boolean;
}

interface FirstText {
  seen: number;
  copies: number;
}

const TELLING = 1000;

/** A text that repeats the first message in most tickets is that message, even if it differs. */
const isFirstMessage = (firstText: FirstText | undefined): boolean =>
  firstText !== undefined && firstText.copies * 2 > firstText.seen;

export function isOwnText({ from, each }: MessageRule, { tables }: Layout): boolean {
  return from === undefined && each === undefined && tables[rootTableOf({ tables })]?.role === 'root';
}

function readsFirstText(rule: MessageRule, layout: Layout): boolean {
  return (
    rule.use !== 'always' &&
    rule.use !== 'if-no-other' &&
    isOwnText(rule, layout) &&
    layout.messages?.some((other) => !isOwnText(other, layout)) === true
  );
}

export function comparesTexts(layout: Layout): boolean {
  return layout.messages?.some((rule) => readsFirstText(rule, layout)) === true;
}

/** A first message this close to its ticket was written with it, milliseconds. */
const AT_ONCE = 60_000;
/** Rules that depend on others come after them, and a copy after its originals. */
const turnOf = ({ rule: { use }, firstText }: CompiledMessages): number =>
  firstText !== undefined ? 2 : use === 'if-no-other' ? 1 : 0;

type MapMessages = (
  ...of: [...Parameters<MapItems>, mapped: Readonly<Record<string, unknown>>, claimed: number]
) => MappedItem[];

interface MadeMessage {
  readonly item: MappedItem;
  readonly notes: Notes;
  readonly rule: MessageRule;
  readonly to: readonly string[];
  signed?: Signed | undefined;
}

export interface Messages {
  readonly map: MapMessages;
  /** True once enough tickets were seen. */
  look(ticket: SourceTicket, notes: Notes): boolean;
}

/** `deciding`: columns that say who typed a text or whether it is cut; they are kept in the note. */
export function compileMessages(context: CompileContext, actors: ActorRules, deciding: Read[]): Messages {
  const { messages } = context.layout;
  const rules = compileRules(messages, MESSAGE_FIELDS, ({ author }) => author, context);
  const sources = rules.map((compiled) => withAudience(compiled, { ...context, deciding }, actors));
  return new MessageRules(sources, context, actors);
}

/** The rule with its audience, its marks and its recipients. */
function withAudience(
  compiled: CompiledRule<MessageRule>,
  context: CompileContext & { readonly deciding: Read[] },
  actors: ActorRules,
): CompiledMessages {
  const { layout } = context;
  const { contact, public: visibility = false, each, from, content, leaveOut, to } = compiled.rule;
  const { typedBy, shortened } = compiled.rule;
  const place = mainColumn(each ?? from ?? content);
  const reads: Read[] = [];
  const asking = { ...context, reads };
  const hides = compileVisibility(visibility, compiled.place, asking, (found) =>
    found === undefined
      ? actors.entries.add('visibility', place)
      : actors.entries.add('visibility', found.column === '.' ? place : found.column, found.word),
  );
  const isLeftOut = leaveOut && compileHolds(leaveOut, compiled.place, asking);
  context.reads.push(...reads);
  const asked = reads.flatMap(({ table, column }) => columnsOf(context, table).written(column));
  const isOwn = isOwnText(compiled.rule, layout);
  const aside = { ...context, reads: context.deciding };
  return {
    ...compiled,
    visibility: hides,
    isLeftOut,
    aside: new Aside(compiled.place, layout, asked, isOwn ? 'text' : 'message'),
    to: [to ?? []]
      .flat()
      .map((recipients) => compileExpression(recipients, compiled.place, asChoice(context), 'value')),
    contact: contact === undefined ? undefined : compileContact(contact, compiled.place, context, actors),
    isOwnText: isOwn,
    people: { namesCustomers: false, tickets: 0 },
    firstText: readsFirstText(compiled.rule, layout) ? { seen: 0, copies: 0 } : undefined,
    said: compiled.fields.filter(({ name }) => SAID.has(name)),
    typist: compileTypist(listOf(typedBy), compiled.place, aside, actors),
    isShortened: shortened && compileHolds(shortened.when, compiled.place, aside),
  };
}

function compileTypist(
  rules: readonly TypistRule[],
  place: Place,
  context: CompileContext,
  actors: ActorRules,
): CompiledMessages['typist'] {
  const typists = rules.map(({ when, sent = false, ...who }) => {
    const holds = when && compileHolds(when, place, context);
    return { holds, isSent: sent, read: compilePerson(who, place, context) };
  });
  return (scope, requester) => {
    for (const { holds, isSent, read } of typists) {
      const person = holds?.(scope) === false ? undefined : read(scope);
      if (person !== undefined && isOtherAgent(person, requester.person, actors)) return { person, isSent };
    }
    return undefined;
  };
}

/** Only of a rule that says itself who is a customer. */
function asksForAuthors({ people, person, rule, fields }: Omit<CompiledMessages, 'firstText'>): boolean {
  const { author } = rule;
  const saysRole = author?.role !== undefined || fields.some(({ name }) => name === 'actorType');
  return person !== undefined && saysRole && !people.namesCustomers && people.tickets < TELLING;
}

class MessageRules implements Messages {
  readonly #sources: readonly CompiledMessages[];
  readonly #inTurn: readonly CompiledMessages[];
  readonly #context: CompileContext;
  readonly #actors: ActorRules;
  readonly #readSubject: Evaluate | undefined;

  constructor(sources: readonly CompiledMessages[], context: CompileContext, actors: ActorRules) {
    this.#sources = sources;
    this.#inTurn = sources.toSorted((a, b) => turnOf(a) - turnOf(b));
    this.#context = context;
    this.#actors = actors;
    const { subject } = context.layout.ticket;
    this.#readSubject = compileOptional(
      subject,
      rowPlace(context.rootTable),
      { ...context, reads: [] },
      'compare',
    );
  }

  look(ticket: SourceTicket, notes: Notes): boolean {
    this.#lookAtAuthors(ticket, notes);
    this.#lookAtFirstTexts(ticket, notes);
    return this.#sources.every(
      ({ firstText, ...of }) => !asksForAuthors(of) && (firstText?.seen ?? TELLING) >= TELLING,
    );
  }

  #lookAtFirstTexts(ticket: SourceTicket, notes: Notes): void {
    const asking = this.#sources.filter(
      ({ firstText }) => firstText !== undefined && firstText.seen < TELLING,
    );
    if (asking.length === 0) return;
    const inTurns = [0, 1].map((turn) =>
      this.#sources.filter((of) => turnOf(of) === turn).flatMap((of) => textsOf(of, ticket, notes)),
    );
    const others = inTurns.find(({ length }) => length > 0) ?? [];
    const subject = this.#readSubject?.(rowScope(ticket, ticket.row, notes));
    for (const { firstText, ...of } of others.length === 0 ? [] : asking)
      for (const text of textsOf(of, ticket, notes)) {
        if (firstText === undefined || isEmpty(text.value['content'])) continue;
        firstText.seen++;
        if (isCopy(text, of.rule.use ?? 'unless-repeated', others, subject, this.#context))
          firstText.copies++;
      }
  }

  #lookAtAuthors(ticket: SourceTicket, notes: Notes): void {
    for (const source of this.#sources) {
      const { people, person, fields, scopes } = source;
      if (person === undefined || !asksForAuthors(source)) continue;
      const actorType = fields.find(({ name }) => name === 'actorType');
      const found = scopes(ticket, notes).map((scope) => {
        const { id, email, name, role } = person(scope) ?? {};
        const said = roleIn(actorType?.read(scope)) ?? role;
        return said === 'customer' && (id ?? email ?? name) !== undefined;
      });
      people.namesCustomers = found.includes(true);
      people.tickets += Number(found.length > 0);
    }
  }

  map(...[ticket, requester, notes, mapped, claimed]: Parameters<MapMessages>): MappedItem[] {
    const subject = mapped['subject'];
    const isGroup = this.#context.layout.tables[rootTableOf(this.#context.layout)]?.role === 'group';
    // A ticket's own row speaks for all of its messages.
    const whole = isGroup ? undefined : ticket.row.object;
    const made = { subject, whole, files: new Map<JsonObject, number>(), attached: 0, here: new Map() };
    const work = { ticket, requester, notes, ...made };
    const found = new Map<CompiledMessages, MadeMessage[]>();
    for (const source of this.#inTurn) {
      const { rule } = source;
      const others = turnOf(source) === 0 ? [] : [...found.values()].flat().map(({ item }) => item);
      if (rule.use === 'if-no-other' && others.length > 0) continue;
      const isTyped = () =>
        source.scopes(ticket, notes).some((scope) => source.typist(scope, requester) !== undefined);
      if (others.length > 0 && isFirstMessage(source.firstText) && !isTyped())
        this.#countOtherFirstTexts(source, work, others);
      else found.set(source, this.#messagesOf(source, work, others));
    }
    const all = this.#sources.flatMap((of) => found.get(of) ?? []);
    // A question and its answer are of one row.
    if (isGroup) all.sort((a, b) => a.item.ref.row - b.item.ref.row);
    const apart = [...work.files.values()].reduce((sum, left) => sum + Math.max(0, left), 0);
    const missing = Math.max(apart, whole === undefined ? 0 : claimed - work.attached);
    for (let left = missing; left > 0; left--) this.#actors.entries.add('files');
    this.#countAnswers(found);
    takeAddresses(all, requester, this.#actors);
    keepInternal(all, ticket.externalId, this.#context);
    keepFromStrangers(all, requester, this.#actors);
    return all.map(({ item, notes: own, signed }, index) => {
      if (signed !== undefined) this.#actors.entries.agent('messages', signed);
      countValues(notes.values, own.values);
      addNotes(notes, own, `messages[${index}].`);
      return { ...item, agent: signed?.agent };
    });
  }

  /** No file holds a table of messages: whether any ticket has more than its own text. */
  #countAnswers(found: ReadonlyMap<CompiledMessages, readonly MadeMessage[]>): void {
    const { layout, tables } = this.#context;
    const { entries } = this.#actors;
    if (layout.messages?.some(({ from }) => from !== undefined && !tables.has(from)) !== true) return;
    const has = (isOwn: boolean) => [...found].some(([of, its]) => of.isOwnText === isOwn && its.length > 0);
    const kind = has(false) ? 'more' : has(true) ? 'single' : undefined;
    if (kind !== undefined) entries.later(() => entries.threads[kind]++);
  }

  /** First texts are left out; differing ones count as a entries. */
  #countOtherFirstTexts(
    of: CompiledMessages,
    { ticket, notes, subject }: MessageWork,
    others: readonly MappedItem[],
  ): void {
    for (const text of textsOf(of, ticket, notes))
      if (!isCopy(text, of.rule.use ?? 'unless-repeated', others, subject, this.#context))
        this.#actors.entries.add('copies');
  }

  #messagesOf(of: CompiledMessages, work: MessageWork, others: readonly MappedItem[]): MadeMessage[] {
    const { ticket, requester, notes, subject, here } = work;
    const { rule, aside } = of;
    const { entries } = this.#actors;
    const open: JsonObject[] = [];
    const made = of.scopes(ticket, notes).flatMap((scope): MadeMessage[] => {
      const id = of.identity(scope);
      const same = id === undefined ? undefined : here.get(id);
      if (same !== undefined) {
        if (isSaidIn(same, of, scope)) {
          entries.add('repeated');
          return [];
        }
        entries.add('other');
      }
      const holder = isJsonObject(scope.item) ? scope.item : scope.row.object;
      const said = aside.said(holder);
      const sent = isSent(of, scope, said, this.#actors);
      if (sent === false) return [];
      const { value, who, signed } = mapMessage(of, scope, requester, this.#context, this.#actors, sent);
      const files = Array.isArray(value?.['attachments']) ? value['attachments'].length : 0;
      work.attached += files;
      if (holder !== undefined && holder !== work.whole)
        work.files.set(holder, (work.files.get(holder) ?? said.files) - files);
      if (value === undefined) {
        if (scope.row !== ticket.row) entries.add('empty');
        return [];
      }
      const item = { value, ref: scope.row.ref, who };
      const [first = [], ...copies] = of.to.map((read) => addressesIn(read(scope)));
      const to = first.length === 0 ? [] : [...first, ...copies.flat()];
      if (of.firstText !== undefined && isCopy(item, rule.use, others, subject, this.#context)) return [];
      const name = id ?? `\u0000${textOf(value['content'])}`;
      const alike = same ?? here.get(name) ?? [];
      const isEqual = id === undefined && alike.some((one) => isDeepStrictEqual(one.holder, holder));
      if (isEqual && holder !== undefined) entries.add('equal');
      here.set(name, [...alike, { text: value['content'], holder }]);
      if (of.isShortened?.(scope) === true) entries.add('ends', rule.shortened?.whole);
      else if (of.isShortened === undefined && said.cut !== undefined)
        entries.add('ends', `the old helpdesk, as the column ${said.cut} says`);
      // Public by default alone.
      const isOpen = value['actorType'] === 'agent' && value['isInternal'] === undefined;
      if (isOpen && holder !== undefined && typeof scope.item !== 'string') open.push(holder);
      return [{ item, notes: scope.notes, rule, to, signed }];
    });
    if (open.length > 0) entries.later(() => entries.asides.add(aside) && aside.see(open));
    return made;
  }
}

/** The words of a message with the same ID have these too. */
function isSaidIn(same: readonly Here[], { said }: CompiledMessages, scope: Scope): boolean {
  const value: Record<string, unknown> = {};
  fillFields(value, said, { ...scope, notes: newNotes() });
  const own = comparableText(textOf(value['content']));
  return same.some(({ text }) => comparableText(textOf(text)).includes(own));
}

/** A message that is here already, and its row or item. */
interface Here {
  readonly text: unknown;
  readonly holder: JsonObject | undefined;
}

/** One ticket's. `here`: by ID, and by text where there is none. `files`: claimed by rows and items, and not there. */
interface MessageWork {
  readonly ticket: SourceTicket;
  readonly requester: Requester;
  readonly notes: Notes;
  readonly subject: unknown;
  readonly whole: JsonObject | undefined;
  readonly files: Map<JsonObject, number>;
  attached: number;
  readonly here: Map<string, Here[]>;
}

const SAID: ReadonlySet<string> = new Set(['content', 'attachments', 'occurredAt']);

function textsOf(
  { said, scopes }: Pick<CompiledMessages, 'said' | 'scopes'>,
  ticket: SourceTicket,
  notes: Notes,
): MappedItem[] {
  return scopes(ticket, notes).flatMap((scope) => {
    const value: Record<string, unknown> = {};
    fillFields(value, said, scope);
    return isEmpty(value['content']) && isEmpty(value['attachments']) ? [] : [{ value, ref: scope.row.ref }];
  });
}

/** Undefined for an empty row. */
function mapMessage(
  of: CompiledMessages,
  scope: Scope,
  requester: Requester,
  context: CompileContext,
  actors: ActorRules,
  sent: true | 'internal',
): Partial<Authored & Pick<MappedItem, 'value'>> {
  const value: Record<string, unknown> = {};
  fillFields(value, of.fields, scope);
  if (of.rule.keepEmpty !== true && isEmpty(value['content']) && isEmpty(value['attachments'])) return {};
  if (of.visibility !== undefined) value['isInternal'] = readField(of.visibility, scope);
  if (sent === 'internal') value['isInternal'] = true;
  const typist = of.typist(scope, requester);
  if (typist?.isSent === false) {
    value['isInternal'] = true;
    actors.entries.add('typed');
  }
  const contact = typist === undefined ? of.contact?.(scope)?.contact : undefined;
  if (contact !== undefined) value['contact'] = contact;
  const { who, signed } =
    of.person === undefined ? {} : addAuthor(value, of, of.person, typist, scope, requester, actors);
  if (value['actorType'] === undefined && who !== undefined) {
    const isNobody = who.id === undefined && who.email === undefined && who.name === undefined;
    const kind = isNobody ? 'unknown-author:nobody' : 'unknown-author:role';
    const problem = mappingProblem(context, scope, kind, { name: personLabel(who) });
    scope.notes.problems.push({ ...problem, field: 'actorType' });
  }
  return { value, who, signed };
}

interface Authored extends Pick<MappedItem, 'who'> {
  readonly signed?: Signed | undefined;
}

function addAuthor(
  value: Record<string, unknown>,
  { personRule, isOwnText, people }: CompiledMessages,
  read: ReadPerson,
  typist: Typist | undefined,
  scope: Scope,
  requester: Requester,
  actors: ActorRules,
): Authored {
  startField(scope, 'actorType');
  const person = typist?.person ?? read(scope) ?? {};
  const said = roleIn(value['actorType']);
  const stated = {
    role: typist === undefined ? said : 'agent',
    isInternal: value['isInternal'] === true,
    isOfTicket: isOwnText,
    namesNoCustomer: !people.namesCustomers,
  };
  const actor = actorOf(person, stated, requester, actors);
  const set = (field: string, made: unknown) => {
    if (made === undefined || value[field] !== undefined) return;
    value[field] = made;
    explainField(scope, field, made, `author: ${personRule}`);
  };
  // The settings and a typist say more of an agent than a message.
  if (said !== undefined && actor.role !== said) {
    delete value['actorType'];
    scope.notes.values.splice(
      0,
      Number.POSITIVE_INFINITY,
      ...scope.notes.values.filter(({ kind }) => kind !== 'actor'),
    );
  }
  if (value['actorType'] === undefined && actor.role !== 'unknown') {
    noteValue(scope, 'actor', actor.from, actor.role);
    set('actorType', actor.role);
  }
  if (value['contactId'] === undefined) set('contact', actor.contact);
  set('agentId', actor.signed?.id);
  return { who: withKind(person, actor.role, actors), signed: actor.signed };
}

/** Counts drafts and the like. With an unknown word the message is internal. */
function isSent(
  of: CompiledMessages,
  scope: Scope,
  said: Said,
  { entries }: ActorRules,
): boolean | 'internal' {
  const { row, item, ticket } = scope;
  const doubt: Doubt = {};
  const isLeftOut = of.isLeftOut?.(scope, doubt) === true;
  const isOfRow = isJsonObject(item) && row !== ticket.row;
  const mark = said.mark ?? (isOfRow ? of.aside.said(row.object).mark : undefined);
  if (isLeftOut || mark?.says === 'leave out') {
    entries.add('unsent');
    return false;
  }
  const unknown = mark?.says === 'unknown' ? mark : wordIn(doubt);
  if (unknown !== undefined) entries.add('visibility', unknown.column, unknown.word);
  return mark === undefined && unknown === undefined ? true : 'internal';
}

function addressesIn(value: unknown): string[] {
  return itemsOf(value).flatMap((each) => textOf(each).toLowerCase().match(ADDRESSES) ?? []);
}

const ADDRESSES = /[^\s<>()[\],;:"']{1,64}@[^\s<>()[\],;:"']{1,255}/g;

/**
 * Internal is what the team wrote to no one on the customer's side, and answers of those who were only written to in such
 * messages. The customer's side: the requester, those who wrote first, and those they copied.
 */
function keepFromStrangers(all: readonly MadeMessage[], requester: Requester, { entries }: ActorRules): void {
  if (!all.some(({ to }) => to.length > 0)) return;
  const emailOf = (person: { readonly email?: string | undefined } | undefined) =>
    person?.email?.toLowerCase();
  const side = new Set<string>();
  for (const person of [requester.person, requester.contact as NamedPerson | undefined])
    side.add(emailOf(person) ?? '');
  side.delete('');
  if (side.size === 0) return;
  const strangers = new Set<string>();
  const inTime = all.toSorted((one, other) => {
    const [a, b] = [one, other].map(({ item }) => textOf(item.value['occurredAt']));
    return a === b ? 0 : (a ?? '') < (b ?? '') ? -1 : 1;
  });
  const hide = ({ item }: MadeMessage) => {
    if (item.value['isInternal'] !== true) entries.add('strangers');
    item.value['isInternal'] = true;
  };
  for (const found of inTime) {
    const { item, to } = found;
    const author = emailOf(item.who ?? (item.value['contact'] as NamedPerson | undefined));
    if (item.value['actorType'] !== 'agent') {
      if (author !== undefined && strangers.has(author) && !side.has(author)) hide(found);
      else for (const address of [author ?? '', ...to]) side.add(address);
    } else if (to.length > 0 && !to.some((address) => side.has(address))) {
      for (const address of to) strangers.add(address);
      hide(found);
    }
  }
}

/** A message without an address takes the one that the person of that name has elsewhere in the ticket. */
function takeAddresses(all: readonly MadeMessage[], requester: Requester, actors: ActorRules): void {
  const isNamed = ({ id, name }: Person) => name !== undefined && (id === undefined || id === name);
  const lacking = all.filter(
    ({ item: { who, value } }) =>
      who?.email === undefined && who !== undefined && isNamed(who) && SIDES.has(value['actorType']),
  );
  if (lacking.length === 0) return;
  const asker = { role: 'customer' as unknown, person: requester.person };
  const people = [asker, ...all.map(({ item }) => ({ role: item.value['actorType'], person: item.who }))];
  for (const made of lacking) {
    const { value, who = {} } = made.item;
    const { name = '' } = who;
    const found = people.flatMap(({ role, person }) =>
      role === value['actorType'] && personKey(person?.name ?? '') === personKey(name)
        ? (person?.email ?? [])
        : [],
    );
    const [email, ...others] = new Set(found);
    if (email === undefined || others.length > 0) continue;
    if (value['actorType'] === 'customer') value['contact'] = { email, name: bareName(name) };
    else if (value['agentId'] === made.signed?.id) {
      made.signed = agentOf({ ...who, email }, requester.assignee, actors);
      value['agentId'] = made.signed.id;
    }
  }
}

const SIDES: ReadonlySet<unknown> = new Set(['customer', 'agent']);

/** A description that repeats an internal note is internal too. */
function keepInternal(all: readonly MadeMessage[], ticket: string, context: CompileContext): void {
  const { true: saying = [], false: silent = [] } = Object.groupBy(all, ({ rule }) =>
    rule.public === true ? 'false' : 'true',
  );
  if (silent.length === 0) return;
  const internal = saying.filter(({ item }) => item.value['isInternal'] === true);
  if (internal.length === 0) return;
  const texts = internal.map(({ item }) => saidIn(item, context));
  for (const { item, notes } of silent) {
    const mine = saidIn(item, context);
    if (mine === '' || !texts.some((text) => isSameText(mine, text))) continue;
    item.value['isInternal'] = true;
    const place = { ticket, file: context.fileName(item.ref), line: item.ref.line, field: 'isInternal' };
    notes.problems.push(problemOf('kept-internal', {}, place));
  }
}

function saidIn({ value }: MappedItem, { htmlText }: CompileContext): string {
  return spokenText(textOf(value['content']), htmlText);
}

/**
 * True if the earliest other message says the same, apart from markup, white space, a signature, a cut and the subject above
 * it. `unless-first`: or was written with the ticket. Without `use`: and was.
 */
function isCopy(
  item: MappedItem,
  use: MessageRule['use'],
  others: readonly MappedItem[],
  subject: unknown,
  context: CompileContext,
): boolean {
  const time = ({ value }: MappedItem) => textOf(value['occurredAt']) || '~';
  const [first] = others.toSorted((a, b) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0));
  if (first === undefined) return false;
  const mine = saidIn(item, context);
  const its = saidIn(first, context);
  const [then, at] = [item, first].map(({ value }) => Date.parse(textOf(value['occurredAt'])));
  const isAtOnce = Math.abs(Number(then) - Number(at)) <= AT_ONCE;
  if (use === 'unless-first' && (mine === '' || isAtOnce || contains(its, mine))) return true;
  if (use === undefined && !isAtOnce) return false;
  if (mine === '' || its === '') return mine === its;
  if (isSameText(mine, its) || contains(mine, its)) return true;
  const above = spokenText(textOf(subject), undefined);
  return mine.startsWith(above) && isSameText(mine.slice(above.length), its);
}

/** Characters that identify a cut text. */
const LEAST = 25;
const ADDRESS = /\b(?:https?:\/\/|mailto:)[^\s<>()[\]"]+/gi;
const LINK = /!?\[([^\][]*)\]\(\s*(?:[^()\s]+\s*)?\)/g;

/** Letters and digits of the visible text. */
function spokenText(content: string, htmlText: ((html: string) => string) | undefined): string {
  const linked = content.replace(LINK, (link, words: string) => (link.startsWith('!') ? ' ' : words));
  const text = comparableText((htmlText?.(linked) ?? linked).replace(ADDRESS, ' '));
  const spoken = text.replace(/[^\p{L}\p{N}]+/gu, '');
  return spoken === '' ? text : spoken;
}

function isSameText(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length);
  return one === other || (length >= LEAST && one.slice(0, length) === other.slice(0, length));
}

function contains(whole: string, part: string): boolean {
  return part.length >= LEAST && whole.includes(part);
}
