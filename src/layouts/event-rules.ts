/** The events of a ticket: listed ones, and status histories whose old values are those of the row before. */
import type { Problem } from '../domain/problem.ts';
import type { ShapedItem } from '../domain/shaped.ts';
import type { SourceTicket } from '../domain/source.ts';
import { type ActorRules, actorOf, type Requester } from './actor-rules.ts';
import { type CompileContext, describeRule, type Place } from './compile-context.ts';
import type { Expression } from './expression-language.ts';
import { compileField, compileFields, explainField, type Field, fillFields, readField } from './fields.ts';
import { compileSource, type ItemSource } from './item-source.ts';
import { EVENT_FIELDS, type EventRule } from './language.ts';
import { placeOrigins } from './message-rules.ts';
import { compilePerson, type ReadPerson, type Role } from './people.ts';
import { textOf } from './plain-value.ts';
import type { Notes, Scope } from './scope.ts';

interface CompiledSource {
  readonly source: ItemSource;
  readonly fields: readonly Field[];
  readonly values: readonly ((scope: Scope, value: Record<string, unknown>) => void)[];
  readonly actor: ReadPerson | undefined;
  readonly actorRule: string;
  /** Status changes without a type of their own. */
  readonly statusChange: boolean;
  readonly history: boolean;
}

const NONE: readonly Problem[] = [];

export interface EventMapping {
  readonly sources: readonly { source: ItemSource; look(scope: Scope): void }[];
  shape(ticket: SourceTicket, requester: Requester, notes: Notes): ShapedItem[];
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
    shape: (ticket, requester, notes) => {
      if (sources.length === 0) return [];
      const events: ShapedItem[] = [];
      const outside = notes.problems.splice(0);
      for (const of of sources) {
        let items: ShapedItem[] = [];
        for (const scope of of.source.scopes(ticket, notes)) {
          const start = notes.explained?.length ?? 0;
          const known = notes.mapped.length;
          const index = events.length + items.length;
          const value = shapeOne(of, scope, requester, actors);
          // the plan tells who writes messages; events are not counted among them
          notes.mapped.length = known;
          const own = notes.problems.length === 0 ? NONE : notes.problems.splice(0);
          outside.push(
            ...own.map((problem) => ({ ...problem, field: `events[${index}].${problem.field ?? ''}` })),
          );
          placeOrigins(notes, start, `events[${index}]`);
          // its value is not in the value map: said once is enough
          if (
            own.some((problem) => problem.severity === 'error') &&
            of.statusChange &&
            value['newValue'] === undefined
          )
            continue;
          items.push({ value, ref: scope.row.ref });
        }
        if (of.history) items = withOldValues(items);
        for (const item of items) events.push(item);
      }
      notes.problems.push(...outside);
      return events;
    },
  };
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

function shapeOne(
  of: CompiledSource,
  scope: Scope,
  requester: Requester,
  actors: ActorRules,
): Record<string, unknown> {
  const value: Record<string, unknown> = of.statusChange ? { type: 'status_change' } : {};
  fillFields(value, of.fields, scope);
  for (const read of of.values) read(scope, value);
  if (of.actor === undefined) return value;
  const { notes } = scope;
  notes.field = 'actorType';
  if (notes.explained !== undefined) notes.trace = [];
  const person = of.actor(scope);
  const said = value['actorType'];
  const role = said === 'customer' || said === 'agent' || said === 'system' ? (said as Role) : undefined;
  // nobody is named: the system did it
  const actor =
    person === undefined && role === undefined ? undefined : actorOf(person, role, requester, actors);
  // a customer's event needs a contactId, which a source cannot know
  const needsId = actor?.role === 'customer' && value['contactId'] === undefined;
  if (needsId)
    actors.loss.notHeld('which customer changed a status (the event is kept as one of the system)');
  const type = actor === undefined || actor.role === 'unknown' || needsId ? 'system' : actor.role;
  value['actorType'] = type;
  explainField(scope, 'actorType', type, of.actorRule);
  if (type === 'agent' && value['agentId'] === undefined && actor?.agentId !== undefined) {
    value['agentId'] = actor.agentId;
    explainField(scope, 'agentId', actor.agentId, of.actorRule);
  }
  return value;
}

/**
 * A history tells only new values. In order of time, each row's old value is the new one of the row before; the first
 * row is the creation of the ticket and rows that change nothing are no events, so both are left out.
 */
export function withOldValues(items: readonly ShapedItem[]): ShapedItem[] {
  const inOrder = items
    .map((item, index) => ({ item, index, at: textOf(item.value['occurredAt']) }))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.index - b.index));
  const changes: ShapedItem[] = [];
  let before: unknown;
  for (const { item } of inOrder) {
    const { newValue } = item.value;
    // a status that the value map drops: what comes next changes from the one before
    if (newValue === undefined) continue;
    const oldValue = item.value['oldValue'] ?? before;
    before = newValue;
    if (oldValue === undefined || JSON.stringify(oldValue) === JSON.stringify(newValue)) continue;
    changes.push({ value: { ...item.value, oldValue }, ref: item.ref });
  }
  return changes;
}
