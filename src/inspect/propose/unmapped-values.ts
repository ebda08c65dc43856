/** Values that a value map lacks, found when the whole export was mapped: known words are added, others become questions. */
import { TICKET_PRIORITIES, TICKET_STATUSES } from '../../domain/payload.ts';
import type { Layout } from '../../layouts/language.ts';
import type { Needs } from './open-needs.ts';
import { type Comment, type Decision, type SettingPath, TODO } from './proposal.ts';
import { priorityOf, statusOf } from './value-words.ts';

/** Beyond so many values of one map that only a person knows, one line decides for all of them. */
const MOST_QUESTIONS = 10;

/** Values that the whole export has and the maps have not, and whether there were any. */
export function addUnmapped(
  mapping: Record<string, unknown>,
  layout: Layout,
  { loss, lackingMaps }: Needs,
  decisions: Decision[],
  comments: Comment[],
): boolean {
  const unknown = new Map<
    string,
    { kind: 'status' | 'priority'; values: { value: string; count: number }[] }
  >();
  let added = false;
  for (const { field, value, count, action } of loss.unmappedValues) {
    const kind = field.endsWith('status') ? 'status' : field;
    if (action !== 'error' || (kind !== 'status' && kind !== 'priority')) continue;
    const name = lackingMaps.get(value.slice(0, 80)) ?? kind;
    if (layout.maps?.[name] === undefined) continue;
    const values = valuesOf(mapping, name);
    if (Object.hasOwn(values, value)) continue;
    added = true;
    const known = kind === 'status' ? statusOf(value) : priorityOf(value);
    if (known !== undefined && known !== 'not a ticket') {
      values[value] = known;
      comments.push({
        path: ['mapping', 'maps', name, 'values', value],
        text: `${count} times in the export`,
      });
      continue;
    }
    const others = unknown.get(name) ?? { kind, values: [] };
    unknown.set(name, others);
    if (!others.values.some((other) => other.value === value)) others.values.push({ value, count });
  }
  for (const [name, { kind, values }] of unknown) decideValues(mapping, name, kind, values, decisions);
  return added;
}

function decideValues(
  mapping: Record<string, unknown>,
  name: string,
  kind: 'status' | 'priority',
  found: readonly { value: string; count: number }[],
  decisions: Decision[],
): void {
  const words: readonly string[] = kind === 'status' ? TICKET_STATUSES : TICKET_PRIORITIES;
  const choices = words.map((word) => ({ value: word, label: word }));
  const at: SettingPath = ['mapping', 'maps', name];
  const values = valuesOf(mapping, name);
  if (found.length > MOST_QUESTIONS) {
    inner(inner(mapping, 'maps'), name)['unlisted'] = { value: TODO };
    const shown = found.slice(0, 30).map(({ value }) => value);
    decisions.push({
      path: [...at, 'unlisted', 'value'],
      question: `${found.length} values of the ${kind} are not known. What shall they become?`,
      comment: `Not known: ${shown.join(', ')}. List them under values, or say here what all of them become.`,
      choices,
      kind: 'choice',
    });
    return;
  }
  for (const { value, count } of found) {
    values[value] = TODO;
    decisions.push({
      path: [...at, 'values', value],
      question: `What does the ${kind} "${value}" mean (${count} times in the export)?`,
      comment: `${words.join(', ')}, or null for none`,
      choices: [...choices, { value: null, label: `no ${kind}` }],
      kind: 'choice',
    });
  }
}

function valuesOf(mapping: Record<string, unknown>, name: string): Record<string, unknown> {
  const maps = inner(mapping, 'maps');
  return inner(inner(maps, name), 'values');
}

function inner(holder: Record<string, unknown>, key: string): Record<string, unknown> {
  const known = holder[key];
  if (typeof known === 'object' && known !== null) return known as Record<string, unknown>;
  const made: Record<string, unknown> = {};
  holder[key] = made;
  return made;
}
