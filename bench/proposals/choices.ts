/** The independent choices of shape from which an export is drawn. `!` marks one that nothing is developed against. */
import type { Chance } from './random.ts';

const CHOICES = {
  /** Where tickets and messages stand. */
  structure: [
    'row-a-ticket',
    'two-texts',
    'tables',
    'tables',
    'nested',
    'nested',
    'message-rows',
    'message-rows',
    'complementary-texts',
    'update-rows',
    '!wide',
  ],
  container: [
    'csv',
    'csv',
    'csv-semicolon',
    '!tsv',
    'json-array',
    'json-lines',
    'envelope',
    'typed-lines',
    'pages',
    '!file-a-ticket',
  ],
  naming: [
    'plain',
    'synonyms',
    'camel',
    'german',
    'spanish',
    'portuguese',
    '!french',
    'abbreviated',
    'prefixed',
    'meaningless',
  ],
  people: ['id', 'login', 'address', 'name', 'nested', 'mixed', '!two-tables'],
  role: ['word', 'word', 'incoming', 'from-agent', 'direction', 'of-people', '!initial'],
  internal: ['none', 'private', 'public', 'kind', '!visibility-word'],
  time: [
    'iso-z',
    'iso-offset',
    'sql',
    'sql-utc',
    'german',
    'american',
    'epoch-s',
    'epoch-ms',
    '!epoch-us',
    'written-month',
  ],
  empty: ['blank', 'blank', 'null', 'dash', 'n/a', '!none'],
  /** Whether the ticket has its first message as a description, and the first message has it again. */
  description: ['none', 'only', 'same', 'html', 'signed', '!cut'],
  statuses: ['plain', 'zendesk', 'german', 'numbers', 'by-likeness', '!spanish'],
  ids: ['number', 'number', 'prefixed', 'uuid', '!padded'],
  decoys: ['none', 'scores', 'persons', 'texts', 'project', '!all'],
  disorder: ['none', 'none', 'orphans', 'versions', 'blank-rows', '!shuffled'],
  body: ['text', 'text', 'html', '!escaped-lines'],
  tags: ['comma', 'semicolon', 'list', '!spaces'],
} as const;

type Dimension = keyof typeof CHOICES;
type Plain<T> = T extends `!${infer Rest}` ? Rest : T;
export type Choices = { readonly [D in Dimension]: Plain<(typeof CHOICES)[D][number]> };

export const DIMENSIONS = Object.keys(CHOICES) as Dimension[];

/** `held`: at least one of the held-out choices; else none of them. Choices that exclude each other are settled here. */
export function draw(chance: Chance, held: boolean): Choices {
  const heldAt = held ? new Set(chance.shuffled(DIMENSIONS).slice(0, 2)) : new Set<Dimension>();
  const drawn = Object.fromEntries(
    DIMENSIONS.map((dimension) => {
      const all: readonly string[] = CHOICES[dimension];
      const open = all.filter((option) => heldAt.has(dimension) === option.startsWith('!'));
      return [dimension, chance.one(open).replace('!', '')];
    }),
  ) as unknown as Choices;
  return settled(drawn);
}

const CSV = new Set<string>(['csv', 'csv-semicolon', 'tsv']);
const TABULAR = new Set<string>(['two-texts', 'complementary-texts', 'update-rows', 'wide']);

export function isCsv({ container }: Pick<Choices, 'container'>): boolean {
  return CSV.has(container);
}

function settled(drawn: Choices): Choices {
  let choices = drawn;
  const set = (changes: Partial<Choices>) => {
    choices = { ...choices, ...changes };
  };
  if (choices.structure === 'nested' && isCsv(choices)) set({ container: 'json-array' });
  if (TABULAR.has(choices.structure) && !isCsv(choices)) set({ container: 'csv' });
  if (choices.structure === 'wide') set({ people: 'address', description: 'only', internal: 'none' });
  if (['message-rows', 'complementary-texts', 'update-rows'].includes(choices.structure))
    set({ description: 'none' });
  if (['row-a-ticket', 'two-texts'].includes(choices.structure))
    set({
      description: 'only',
      internal: 'none',
      disorder: choices.disorder === 'orphans' ? 'none' : choices.disorder,
    });
  if (choices.structure === 'row-a-ticket' && choices.container === 'typed-lines')
    set({ container: 'json-lines' });
  if (choices.container === 'typed-lines' && !['tables', 'nested'].includes(choices.structure))
    set({ container: 'json-lines' });
  if (choices.container === 'file-a-ticket' && choices.structure !== 'nested')
    set({ container: 'json-lines' });
  if (choices.container === 'pages' && !['nested', 'row-a-ticket'].includes(choices.structure))
    set({ container: 'envelope' });
  if (choices.structure === 'tables' && choices.description === 'only') set({ description: 'none' });
  if (choices.structure === 'nested' && choices.description === 'only') set({ description: 'same' });
  // who is customer and who is agent must be told by something
  if (choices.role === 'of-people' && !['id', 'login', 'two-tables'].includes(choices.people))
    set({ role: 'word' });
  if (choices.structure === 'complementary-texts') set({ role: 'initial', internal: 'none' });
  if (choices.disorder === 'orphans' && choices.structure !== 'tables') set({ disorder: 'none' });
  if (choices.disorder === 'versions' && !['row-a-ticket', 'tables'].includes(choices.structure))
    set({ disorder: 'none' });
  if (choices.disorder === 'blank-rows' && !isCsv(choices)) set({ disorder: 'none' });
  if (!isCsv(choices) && choices.empty !== 'blank' && choices.empty !== 'null') set({ empty: 'blank' });
  if (choices.body === 'escaped-lines' && !isCsv(choices)) set({ body: 'text' });
  if (choices.structure === 'nested' && choices.people === 'two-tables') set({ people: 'nested' });
  if (choices.container === 'file-a-ticket' || choices.container === 'pages')
    if (['id', 'login', 'two-tables'].includes(choices.people))
      set({ people: 'nested', role: choices.role === 'of-people' ? 'word' : choices.role });
  return choices;
}
