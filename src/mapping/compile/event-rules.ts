/** The events of a ticket: listed ones, and status histories whose old values are those of the row before. */

import type { MappedItem } from '../../domain/mapped.ts';
import type { Problem } from '../../domain/problem.ts';
import type { SourceTicket } from '../../domain/source.ts';
import type { Expression } from '../language/expression.ts';
import { EVENT_FIELDS, type EventRule } from '../language/layout.ts';
import { type ActorRules, actorOf, type Requester } from '../people/actor-rules.ts';
import { compilePerson, type ReadPerson, type Role, roleOf } from '../people/people.ts';
import { type CompileContext, describeRule, type Place, rowPlace } from './compile-context.ts';
import { compileExpression } from './expressions.ts';
import { compileField, compileFields, explainField, type Field, fillFields, readField } from './fields.ts';
import { compileSource, type ItemSource } from './item-source.ts';
import { placeOrigins } from './message-rules.ts';
import { type Evaluate, type FieldOrigin, type Notes, rowScope, type Scope } from './scope.ts';
import { textOf } from './values.ts';

interface CompiledSource {
  readonly source: ItemSource;
  readonly fields: readonly Field[];
  readonly values: readonly ((scope: Scope, value: Record<string, unknown>) => void)[];
  readonly actor: ReadPerson | undefined;
  readonly actorRule: string;
  /** Status changes without a type of their own. */
  readonly statusChange: boolean;
  readonly history: boolean;
  readonly once: Evaluate | undefined;
  readonly initial: Evaluate | undefined;
}

const NONE: readonly never[] = [];

export interface EventMapping {
  readonly sources: readonly { source: ItemSource; look(scope: Scope): void }[];
  map(ticket: SourceTicket, requester: Requester, notes: Notes): MappedItem[];
}

export function compileEvents(context: CompileContext, actors: ActorRules): EventMapping {
  const sources = (context.layout.events ?? [])
    .filter((rule) => rule.from === undefined || context.tables.has(rule.from))
    .map((rule) => compileEventSource(rule, context));
  return {
    sources: sources.map((of) => ({
      source: of.source,
      look: (scope) => fillFields({}, of.fields, scope),
    })),
    map: (ticket, requester, notes) => {
      if (sources.length === 0) return [];
      const known = notes.mapped.length;
      const outside = notes.problems.splice(0);
      const events: MappedItem[] = [];
      for (const of of sources) {
        for (const { value, scope, origins } of foundIn(of, ticket, notes, events.length, outside)) {
          const start = notes.explained?.length ?? 0;
          notes.explained?.push(...origins);
          if (of.actor !== undefined) addActor(value, of, of.actor, scope, requester, actors);
          placeOrigins(notes, start, `events[${events.length}]`);
          events.push({ value, ref: scope.row.ref });
        }
      }
      // the plan tells who writes messages; events are not counted among them
      notes.mapped.length = known;
      notes.problems.push(...outside);
      return events;
    },
  };
}

/** An event before it is known who did it: rows of a history that are no change are left out first. */
interface Candidate {
  readonly value: Record<string, unknown>;
  readonly scope: Scope;
  readonly origins: readonly FieldOrigin[];
}

function foundIn(
  of: CompiledSource,
  ticket: SourceTicket,
  notes: Notes,
  before: number,
  outside: Problem[],
): Candidate[] {
  const found: Candidate[] = [];
  const seen = of.once === undefined ? undefined : new Set<string>();
  for (const scope of of.source.scopes(ticket, notes)) {
    // The same event once more: nothing is lost by leaving it out.
    const id = textOf(of.once?.(scope));
    if (id !== '' && seen?.has(id)) continue;
    if (id !== '') seen?.add(id);
    const start = notes.explained?.length ?? 0;
    const value: Record<string, unknown> = of.statusChange ? { type: 'status_change' } : {};
    fillFields(value, of.fields, scope);
    for (const read of of.values) read(scope, value);
    const own = notes.problems.length === 0 ? NONE : notes.problems.splice(0);
    const place = `events[${before + found.length}]`;
    for (const problem of own) outside.push({ ...problem, field: `${place}.${problem.field ?? ''}` });
    const origins = notes.explained?.splice(start) ?? NONE;
    // its value is not in the value map: said once is enough
    if (
      of.statusChange &&
      value['newValue'] === undefined &&
      own.some(({ severity }) => severity === 'error')
    )
      continue;
    found.push({ value, scope, origins });
  }
  if (!of.history) return found;
  const initial = of.initial?.(rowScope(ticket, ticket.row, notes));
  return withOldValues(found, initial === undefined ? undefined : { status: initial });
}

function compileEventSource(rule: EventRule, context: CompileContext): CompiledSource {
  const source = compileSource(rule, context);
  const { place } = source;
  const values = (['oldValue', 'newValue'] as const).flatMap((name) => {
    const expression = rule[name];
    return expression === undefined ? [] : [compileValue(name, expression, place, context)];
  });
  return {
    source,
    fields: compileFields(EVENT_FIELDS, rule, place, context),
    values,
    actor: rule.actor === undefined ? undefined : compilePerson(rule.actor, place, context),
    actorRule: `actor: ${describeRule(rule.actor)}`,
    statusChange: rule.type === undefined,
    history: rule.history ?? false,
    once: rule.once === undefined ? undefined : compileExpression(rule.once, place, context),
    initial:
      rule.initial === undefined
        ? undefined
        : compileExpression(rule.initial, rowPlace(context.rootTable), context),
  };
}

function compileValue(
  name: 'oldValue' | 'newValue',
  rule: Expression | { status: Expression },
  place: Place,
  context: CompileContext,
): (scope: Scope, value: Record<string, unknown>) => void {
  if (typeof rule === 'object' && !Array.isArray(rule) && 'status' in rule) {
    const field = compileField('status', rule.status, place, context, `${name}.status`);
    return (scope, value) => {
      const status = readField(field, scope);
      if (status !== undefined && status !== null) value[name] = { status };
    };
  }
  const field = compileField(name, rule as Expression, place, context);
  return (scope, value) => {
    const found = readField(field, scope);
    if (found !== undefined && found !== null) value[name] = found;
  };
}

function addActor(
  value: Record<string, unknown>,
  of: CompiledSource,
  read: ReadPerson,
  scope: Scope,
  requester: Requester,
  actors: ActorRules,
): void {
  const { notes } = scope;
  notes.field = 'actorType';
  if (notes.explained !== undefined) notes.trace = [];
  const person = read(scope);
  const said = value['actorType'];
  const role = said === 'customer' || said === 'agent' || said === 'system' ? (said as Role) : undefined;
  // nobody is named, or nobody whose role is known: the system did it
  const named =
    role !== undefined || (person !== undefined && roleOf(person, requester.person, actors) !== 'unknown');
  const actor = named ? actorOf(person, role, requester, actors) : undefined;
  // a customer's event needs a contactId, which a source cannot know
  const needsId = actor?.role === 'customer' && value['contactId'] === undefined;
  if (needsId)
    actors.loss.notHeld('which customer changed a status (the event is kept as one of the system)');
  const type = actor === undefined || needsId ? 'system' : actor.role;
  value['actorType'] = type;
  explainField(scope, 'actorType', type, of.actorRule);
  if (type === 'agent' && value['agentId'] === undefined && actor?.agentId !== undefined) {
    value['agentId'] = actor.agentId;
    explainField(scope, 'agentId', actor.agentId, of.actorRule);
  }
}

/**
 * A history tells only new values. In order of time, each row's old value is the new one of the row before; the first
 * row is the creation of the ticket, unless it is known what was before it, and rows that change nothing are no events:
 * both are left out.
 */
function withOldValues(found: readonly Candidate[], initial: { status: unknown } | undefined): Candidate[] {
  const inOrder = found
    .map((candidate, index) => ({ candidate, index, at: textOf(candidate.value['occurredAt']) }))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.index - b.index));
  const changes: Candidate[] = [];
  let before: unknown = initial;
  for (const { candidate } of inOrder) {
    const { newValue } = candidate.value;
    // a status that the value map drops: what comes next changes from the one before
    if (newValue === undefined) continue;
    const oldValue = candidate.value['oldValue'] ?? before;
    before = newValue;
    if (oldValue === undefined || JSON.stringify(oldValue) === JSON.stringify(newValue)) continue;
    changes.push({ ...candidate, value: { ...candidate.value, oldValue } });
  }
  return changes;
}
