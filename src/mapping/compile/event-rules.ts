/** The events of a ticket: listed ones, and status histories whose old values are those of the row before. */

import { textOf } from '../../domain/source-file.ts';
import type { MappedItem } from '../../domain/ticket.ts';
import type { Expression } from '../language/expression.ts';
import { EVENT_FIELDS, type EventRule } from '../language/layout.ts';
import { type ActorRules, actorOf, type Requester, roleOf } from '../people/actors.ts';
import { type ReadPerson, roleIn } from '../people/people.ts';
import {
  addNotes,
  type CompileContext,
  type Evaluate,
  type Place,
  rowPlace,
  rowScope,
  type Scope,
} from './context.ts';
import { compileOptional } from './expressions.ts';
import {
  type CompiledRule,
  compileField,
  compileRules,
  explainField,
  type Field,
  fillFields,
  type MapItems,
  readField,
  startField,
} from './items.ts';

interface CompiledEvents extends CompiledRule<EventRule> {
  readonly values: readonly EventValue[];
  readonly initial: Evaluate | undefined;
}

interface EventValue {
  readonly name: 'oldValue' | 'newValue';
  readonly field: Field;
  readonly isStatus: boolean;
}

/** An event before it is known who did it: rows of a history that are no change are left out first. */
interface Candidate {
  readonly value: Record<string, unknown>;
  readonly scope: Scope;
}

export function compileEvents(context: CompileContext, actors: ActorRules): MapItems {
  const { events: rules } = context.layout;
  const sources = compileRules(rules, EVENT_FIELDS, ({ actor }) => actor, context).map(
    (compiled): CompiledEvents => ({
      ...compiled,
      values: compileValues(compiled.rule, compiled.place, context),
      initial: compileOptional(compiled.rule.initial, rowPlace(context.rootTable), context),
    }),
  );
  return (ticket, requester, notes) => {
    const events: MappedItem[] = [];
    const seen = new Set<string>();
    for (const of of sources) {
      const found: Candidate[] = [];
      for (const scope of of.scopes(ticket, notes)) {
        const id = of.identity(scope);
        // the same event once more: nothing is lost by leaving it out
        if (id !== undefined && seen.has(id)) continue;
        if (id !== undefined) seen.add(id);
        const value = readEvent(of, scope);
        const problems = scope.notes.problems.splice(0);
        // a row that is no change after all may have a problem too
        addNotes(notes, { problems }, `events[${events.length + found.length}].`);
        // its value is not in the value map: that is said, and it is no event
        const isUnreadable =
          of.rule.type === undefined &&
          value['newValue'] === undefined &&
          problems.some(({ severity }) => severity === 'error');
        if (!isUnreadable) found.push({ value, scope });
      }
      const isHistory = of.rule.history === true;
      const initial = isHistory ? of.initial?.(rowScope(ticket, ticket.row, notes)) : undefined;
      for (const { value, scope } of isHistory ? changes(found, initial) : found) {
        if (of.person !== undefined) addActor(value, of, of.person, scope, requester, actors);
        addNotes(notes, scope.notes, `events[${events.length}].`);
        events.push({ value, ref: scope.row.ref });
      }
    }
    return events;
  };
}

/** Without a type of its own an event is a change of the status. */
function readEvent({ rule, fields, values }: CompiledEvents, scope: Scope): Record<string, unknown> {
  const event: Record<string, unknown> = rule.type === undefined ? { type: 'status_change' } : {};
  fillFields(event, fields, scope);
  for (const { name, field, isStatus } of values) {
    const value = readField(field, scope);
    if (value !== undefined && value !== null) event[name] = isStatus ? { status: value } : value;
  }
  return event;
}

function compileValues(rule: EventRule, place: Place, context: CompileContext): EventValue[] {
  return (['oldValue', 'newValue'] as const).flatMap((name): EventValue[] => {
    const written = rule[name];
    if (written === undefined) return [];
    if (typeof written === 'object' && 'status' in written) {
      const field = compileField('status', written.status, place, context, `${name}.status`);
      return [{ name, field, isStatus: true }];
    }
    const field = compileField(name, written as Expression, place, context);
    return [{ name, field, isStatus: false }];
  });
}

function addActor(
  value: Record<string, unknown>,
  { personRule }: CompiledEvents,
  read: ReadPerson,
  scope: Scope,
  requester: Requester,
  actors: ActorRules,
): void {
  startField(scope, 'actorType');
  const rule = `actor: ${personRule}`;
  const person = read(scope);
  const said = roleIn(value['actorType']);
  // without a person of a known role the system did it
  const isKnown =
    said !== undefined || (person !== undefined && roleOf(person, requester.person, actors) !== 'unknown');
  const actor = isKnown ? actorOf(person, said, requester, actors) : undefined;
  // a customer's event needs a contactId, which a source cannot know
  const needsId = actor?.role === 'customer' && value['contactId'] === undefined;
  if (needsId)
    actors.loss.add('notHeld', 'which customer changed a status (the event is kept as one of the system)');
  const type = actor === undefined || needsId ? 'system' : actor.role;
  value['actorType'] = type;
  explainField(scope, 'actorType', type, rule);
  if (type !== 'agent' || value['agentId'] !== undefined || actor?.agentId === undefined) return;
  value['agentId'] = actor.agentId;
  explainField(scope, 'agentId', actor.agentId, rule);
}

/**
 * A history has only new values. In order of time, each row's old value is the new one of the row before; the first
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
