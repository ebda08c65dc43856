/** The events of a ticket: listed ones, and status histories whose old values are those of the row before. */

import { textOf } from '../../domain/source-file.ts';
import type { MappedItem } from '../../domain/ticket.ts';
import type { Expression } from '../language/expression.ts';
import type { EventRule } from '../language/layout.ts';
import { EVENT_FIELDS } from '../language/words.ts';
import { type ActorRules, actorOf, type Requester, saidRole } from '../people/actor-rules.ts';
import { compilePerson, type ReadPerson, roleOf } from '../people/people.ts';
import { type CompileContext, describeRule, type Place, rowPlace } from './compile-context.ts';
import { compileExpression } from './expressions.ts';
import {
  compileField,
  compileFields,
  explainField,
  type Field,
  fillFields,
  readField,
  startField,
} from './fields.ts';
import { compileSource, type ItemSource } from './item-source.ts';
import type { MapItems } from './message-rules.ts';
import { addNotes, type Evaluate, rowScope, type Scope } from './scope.ts';

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

export function compileEvents(context: CompileContext, actors: ActorRules): MapItems {
  const sources = (context.layout.events ?? [])
    .filter((rule) => rule.from === undefined || context.tables.has(rule.from))
    .map((rule) => compileEventSource(rule, context));
  return (ticket, requester, notes) => {
    const events: MappedItem[] = [];
    for (const of of sources) {
      const found: Candidate[] = [];
      for (const scope of scopesOnce(of, of.source.scopes(ticket, notes))) {
        const value = readEvent(of, scope);
        const problems = scope.notes.problems.splice(0);
        // A row that is no change after all may have a problem too.
        addNotes(notes, { problems }, `events[${events.length + found.length}].`);
        // Its value is not in the value map: that is said, and it is no event.
        const isUnreadable =
          of.statusChange &&
          value['newValue'] === undefined &&
          problems.some(({ severity }) => severity === 'error');
        if (!isUnreadable) found.push({ value, scope });
      }
      const initial = of.history ? of.initial?.(rowScope(ticket, ticket.row, notes)) : undefined;
      for (const { value, scope } of of.history ? changes(found, initial) : found) {
        if (of.actor !== undefined) addActor(value, of, of.actor, scope, requester, actors);
        addNotes(notes, scope.notes, `events[${events.length}].`);
        events.push({ value, ref: scope.row.ref });
      }
    }
    return events;
  };
}

/** An event before it is known who did it: rows of a history that are no change are left out first. */
interface Candidate {
  readonly value: Record<string, unknown>;
  readonly scope: Scope;
}

/** The same event once more: nothing is lost by leaving it out. */
function scopesOnce({ once }: CompiledSource, scopes: readonly Scope[]): readonly Scope[] {
  if (once === undefined) return scopes;
  const seen = new Set<string>();
  return scopes.filter((scope) => {
    const id = textOf(once(scope));
    const isNew = id === '' || !seen.has(id);
    seen.add(id);
    return isNew;
  });
}

function readEvent(of: CompiledSource, scope: Scope): Record<string, unknown> {
  const value: Record<string, unknown> = of.statusChange ? { type: 'status_change' } : {};
  fillFields(value, of.fields, scope);
  for (const read of of.values) read(scope, value);
  return value;
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
    actor: rule.actor && compilePerson(rule.actor, place, context),
    actorRule: `actor: ${describeRule(rule.actor)}`,
    statusChange: rule.type === undefined,
    history: rule.history ?? false,
    once: compileExpression(rule.once, place, context),
    initial: compileExpression(rule.initial, rowPlace(context.rootTable), context),
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
  { actorRule }: CompiledSource,
  read: ReadPerson,
  scope: Scope,
  requester: Requester,
  actors: ActorRules,
): void {
  startField(scope, 'actorType');
  const person = read(scope);
  const said = saidRole(value);
  // nobody is named, or nobody whose role is known: the system did it
  const named =
    said !== undefined || (person !== undefined && roleOf(person, requester.person, actors) !== 'unknown');
  const actor = named ? actorOf(person, said, requester, actors) : undefined;
  // a customer's event needs a contactId, which a source cannot know
  const needsId = actor?.role === 'customer' && value['contactId'] === undefined;
  if (needsId)
    actors.loss.notHeld('which customer changed a status (the event is kept as one of the system)');
  const type = actor === undefined || needsId ? 'system' : actor.role;
  value['actorType'] = type;
  explainField(scope, 'actorType', type, actorRule);
  if (type === 'agent' && value['agentId'] === undefined && actor?.agentId !== undefined) {
    value['agentId'] = actor.agentId;
    explainField(scope, 'agentId', actor.agentId, actorRule);
  }
}

/**
 * A history tells only new values. In order of time, each row's old value is the new one of the row before; the first
 * row is the creation of the ticket, unless it is known what was before it, and rows that change nothing are no events:
 * both are left out.
 */
function changes(found: readonly Candidate[], initial: unknown): Candidate[] {
  let before: unknown = initial === undefined ? undefined : { status: initial };
  const time = ({ value }: Candidate) => textOf(value['occurredAt']);
  return found
    .toSorted((a, b) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0))
    .flatMap((candidate) => {
      const { newValue } = candidate.value;
      // a status that the value map drops: what comes next changes from the one before
      if (newValue === undefined) return [];
      const oldValue = candidate.value['oldValue'] ?? before;
      before = newValue;
      if (oldValue === undefined || JSON.stringify(oldValue) === JSON.stringify(newValue)) return [];
      return [{ ...candidate, value: { ...candidate.value, oldValue } }];
    });
}
