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
    'wide',
    '!nested-deep',
    '!notes-beside',
  ],
  container: [
    'csv',
    'csv',
    'csv-semicolon',
    'tsv',
    'json-array',
    'json-lines',
    'envelope',
    'typed-lines',
    'pages',
    'file-a-ticket',
    '!deep-envelope',
    '!flat-typed-lines',
    '!pipe',
  ],
  naming: [
    'plain',
    'synonyms',
    'camel',
    'german',
    'spanish',
    'portuguese',
    'french',
    'abbreviated',
    'prefixed',
    'meaningless',
    '!italian',
    '!dutch',
    '!upper',
    '!spaced',
    '!other-synonyms',
  ],
  people: ['id', 'login', 'address', 'name', 'nested', 'mixed', 'two-tables', '!address-line'],
  role: ['word', 'word', 'incoming', 'from-agent', 'direction', 'of-people', 'initial', '!admin-user'],
  internal: ['none', 'private', 'public', 'kind', 'visibility-word', '!yes-no'],
  time: [
    'iso-z',
    'iso-offset',
    'sql',
    'sql-utc',
    'german',
    'american',
    'epoch-s',
    'epoch-ms',
    'epoch-us',
    'written-month',
    '!rfc',
    '!iso-minutes',
  ],
  empty: ['blank', 'blank', 'null', 'dash', 'n/a', 'none', '!long-dash'],
  /** Whether the ticket has its first message as a description, and the first message has it again. */
  description: ['none', 'only', 'same', 'html', 'signed', 'cut'],
  statuses: ['plain', 'zendesk', 'german', 'numbers', 'by-likeness', 'spanish', '!screaming', '!italian'],
  ids: ['number', 'number', 'prefixed', 'uuid', 'padded', '!hash'],
  decoys: ['none', 'scores', 'persons', 'texts', 'project', 'all', '!parents'],
  disorder: ['none', 'none', 'orphans', 'versions', 'blank-rows', 'shuffled', '!newest-first'],
  body: ['text', 'text', 'html', 'escaped-lines', '!breaks'],
  tags: ['comma', 'semicolon', 'list', 'spaces', '!pipes'],
} as const;

type Dimension = keyof typeof CHOICES;
type Plain<T> = T extends `!${infer Rest}` ? Rest : T;
export type Choices = { readonly [D in Dimension]: Plain<(typeof CHOICES)[D][number]> };

export const DIMENSIONS = Object.keys(CHOICES) as Dimension[];

/** `held`: at least one of the held-out choices; else none of them. Choices that exclude each other are settled here. */
export function draw(chance: Chance, held: boolean): Choices {
  const withHeld = DIMENSIONS.filter((dimension) =>
    CHOICES[dimension].some((option) => option.startsWith('!')),
  );
  const heldAt = held ? new Set(chance.shuffled(withHeld).slice(0, 3)) : new Set<Dimension>();
  const drawn = Object.fromEntries(
    DIMENSIONS.map((dimension) => {
      const all: readonly string[] = CHOICES[dimension];
      const open = all.filter((option) => heldAt.has(dimension) === option.startsWith('!'));
      return [dimension, chance.one(open).replace('!', '')];
    }),
  ) as unknown as Choices;
  return settled(drawn);
}

const CSV = new Set<string>(['csv', 'csv-semicolon', 'tsv', 'pipe']);
const TABULAR = new Set<string>(['two-texts', 'complementary-texts', 'update-rows', 'wide']);

export function isCsv({ container }: Pick<Choices, 'container'>): boolean {
  return CSV.has(container);
}

function settled(drawn: Choices): Choices {
  let choices = drawn;
  const set = (changes: Partial<Choices>) => {
    choices = { ...choices, ...changes };
  };
  const isNested = choices.structure === 'nested' || choices.structure === 'nested-deep';
  if (isNested && isCsv(choices)) set({ container: 'json-array' });
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
  const inTables = choices.structure === 'tables' || choices.structure === 'notes-beside';
  if (inTables && choices.internal === 'none' && choices.structure === 'notes-beside')
    set({ internal: 'private' });
  if (choices.container.endsWith('typed-lines') && !inTables && !isNested) set({ container: 'json-lines' });
  if (choices.container === 'file-a-ticket' && !isNested) set({ container: 'json-lines' });
  if (choices.container === 'pages' && !isNested && choices.structure !== 'row-a-ticket')
    set({ container: 'envelope' });
  if (inTables && choices.description === 'only') set({ description: 'none' });
  if (isNested && choices.description === 'only') set({ description: 'same' });
  // who is customer and who is agent must be told by something
  if (choices.role === 'of-people' && !['id', 'login', 'two-tables'].includes(choices.people))
    set({ role: 'word' });
  if (choices.structure === 'complementary-texts') set({ role: 'initial', internal: 'none' });
  if (choices.disorder === 'orphans' && !inTables) set({ disorder: 'none' });
  if (choices.disorder === 'versions' && choices.structure !== 'row-a-ticket' && !inTables)
    set({ disorder: 'none' });
  if (choices.disorder === 'blank-rows' && !isCsv(choices)) set({ disorder: 'none' });
  if (!isCsv(choices) && choices.empty !== 'blank' && choices.empty !== 'null') set({ empty: 'blank' });
  if (choices.body === 'escaped-lines' && !isCsv(choices)) set({ body: 'text' });
  if (isNested && choices.people === 'two-tables') set({ people: 'nested' });
  if (choices.container === 'file-a-ticket' || choices.container === 'pages')
    if (['id', 'login', 'two-tables'].includes(choices.people))
      set({ people: 'nested', role: choices.role === 'of-people' ? 'word' : choices.role });
  return choices;
}

/** Whether nobody could bring such an export in without asking: words of the house, names without a meaning. */
export function mustAsk({ statuses, naming, internal, role }: Choices): boolean {
  return (
    statuses === 'numbers' ||
    statuses === 'by-likeness' ||
    naming === 'meaningless' ||
    internal === 'kind' ||
    role === 'initial'
  );
}
