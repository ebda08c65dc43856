/** Events of a ticket: listed ones, and status histories with old values taken from the row before. */

import { textOf } from '../../domain/source-file.ts';
import type { MappedItem } from '../../domain/ticket.ts';
import type { Expression } from '../language/expression.ts';
import { EVENT_FIELDS, type EventRule } from '../language/layout.ts';
import { type ActorRules, actorOf, type Requester, roleOf } from '../people/actors.ts';
import { type ReadPerson, roleIn } from '../people/people.ts';
import { addNotes, type CompileContext, type Evaluate, rowPlace, rowScope, type Scope } from './context.ts';
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
import type { Place } from './paths.ts';

interface CompiledEvents extends CompiledRule<EventRule> {
  readonly values: readonly EventValue[];
  readonly initial: Evaluate | undefined;
}

interface EventValue {
  readonly name: 'oldValue' | 'newValue';
  readonly field: Field;
  readonly isStatus: boolean;
}

/** Its author comes later: rows of a history that change nothing are left out first. */
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
      initial: compileOptional(compiled.rule.initial, rowPlace(context.rootTable), context, 'value'),
    }),
  );
  return (ticket, requester, notes) => {
    const events: MappedItem[] = [];
    const seen = new Set<string>();
    for (const source of sources) {
      const found: Candidate[] = [];
      for (const scope of source.scopes(ticket, notes)) {
        const id = source.identity(scope);
        if (id !== undefined && seen.has(id)) continue;
        if (id !== undefined) seen.add(id);
        const value = readEvent(source, scope);
        const problems = scope.notes.problems.splice(0);
        // A row that changes nothing may have a problem too.
        addNotes(notes, { problems }, `events[${events.length + found.length}].`);
        // An unlisted value is reported and makes no event.
        const isUnreadable =
          source.rule.type === undefined &&
          value['newValue'] === undefined &&
          problems.some(({ severity }) => severity === 'error');
        if (!isUnreadable) found.push({ value, scope });
      }
      const isHistory = source.rule.history === true;
      const initial = isHistory ? source.initial?.(rowScope(ticket, ticket.row, notes)) : undefined;
      for (const { value, scope } of isHistory ? changes(found, initial) : found) {
        const agent = source.person && addActor(value, source, source.person, scope, requester, actors);
        addNotes(notes, scope.notes, `events[${events.length}].`);
        events.push({ value, ref: scope.row.ref, agent });
      }
    }
    return events;
  };
}

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
): string | undefined {
  startField(scope, 'actorType');
  const rule = `actor: ${personRule}`;
  const person = read(scope);
  const said = roleIn(value['actorType']);
  const isKnown =
    said !== undefined || (person !== undefined && roleOf(person, requester.person, actors) !== 'unknown');
  const actor = isKnown ? actorOf(person, { role: said }, requester, actors) : undefined;
  const signed = actor?.signed;
  if (signed !== undefined) actors.entries.agent('events', signed);
  // A customer's event needs a contactId, which a source cannot know.
  const needsId = actor?.role === 'customer' && value['contactId'] === undefined;
  if (needsId) actors.entries.add('system-events');
  const type = actor === undefined || needsId ? 'system' : actor.role;
  value['actorType'] = type;
  explainField(scope, 'actorType', type, rule);
  if (type !== 'agent' || value['agentId'] !== undefined || signed?.id === undefined) return undefined;
  value['agentId'] = signed.id;
  explainField(scope, 'agentId', signed.id, rule);
  return signed.agent;
}

/**
 * In order of time each old value is the new one of the row before. The first row is the creation, unless the status before it
 * is known; like rows that change nothing it is no event.
 */
function changes(found: readonly Candidate[], initial: unknown): Candidate[] {
  let before: unknown = initial === undefined ? undefined : { status: initial };
  const time = ({ value }: Candidate) => textOf(value['occurredAt']);
  return found
    .toSorted((a, b) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0))
    .flatMap((candidate) => {
      const { newValue } = candidate.value;
      // The value map drops this status, so the next change starts from the one before.
      if (newValue === undefined) return [];
      const oldValue = candidate.value['oldValue'] ?? before;
      before = newValue;
      if (oldValue === undefined || JSON.stringify(oldValue) === JSON.stringify(newValue)) return [];
      return [{ ...candidate, value: { ...candidate.value, oldValue } }];
    });
}
