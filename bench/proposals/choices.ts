/**
 * The independent choices of shape from which an export is drawn. `!` marks one that nothing is developed against, `~` one
 * that was held out when the others were developed.
 */
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
    'nested-deep',
    'notes-beside',
    'split-tickets',
    'overlapping',
    '~thread-map',
    '~transcript',
    '~kind-rows',
    '!pairs',
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
    'deep-envelope',
    'flat-typed-lines',
    'pipe',
    'wrapped-lines',
    'id-in-name',
    'id-in-link',
    '~keyed-object',
    '~edges',
    '~preamble',
    '~wrapped-array',
    '!utf16',
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
    'italian',
    'dutch',
    'upper',
    'spaced',
    'other-synonyms',
    'polish',
    '~swedish',
    '~japanese',
    '~form',
    '~turkish',
    '!danish',
    '!czech',
    '!finnish',
    '!made-up',
  ],
  people: [
    'id',
    'login',
    'address',
    'name',
    'nested',
    'mixed',
    'two-tables',
    'address-line',
    'first-last',
    '~last-first',
    '~deep-person',
    '!handle',
  ],
  role: [
    'word',
    'word',
    'incoming',
    'from-agent',
    'direction',
    'of-people',
    'initial',
    'admin-user',
    'author-columns',
    '~one-two',
    '~us-them',
    '~from-to',
    '!sides',
    '!origin',
  ],
  internal: [
    'none',
    'private',
    'public',
    'kind',
    'visibility-word',
    'yes-no',
    '~audience',
    '~one-zero',
    '~note-column',
    '!scope',
  ],
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
    'rfc',
    'iso-minutes',
    'two-columns',
    '~excel',
    '~long-month',
    '~compact',
    '~weekday',
    '!slashes',
    '!ordinal',
    '!epoch-float',
  ],
  empty: [
    'blank',
    'blank',
    'null',
    'dash',
    'n/a',
    'none',
    'long-dash',
    'undefined',
    '~tilde',
    '~in-brackets',
    '~dashes',
    '!not-given',
    '!question',
  ],
  /** Whether the ticket has its first message as a description, and the first message has it again. */
  description: ['none', 'only', 'same', 'html', 'signed', 'cut', '~with-subject', '~quoted'],
  statuses: [
    'plain',
    'zendesk',
    'german',
    'numbers',
    'by-likeness',
    'spanish',
    'screaming',
    'italian',
    'french',
    '~swedish',
    '~letters',
    '~is-open',
    '~sentences',
    '!danish',
    '!codes',
  ],
  ids: [
    'number',
    'number',
    'prefixed',
    'uuid',
    'padded',
    'hash',
    'absent',
    '~url',
    '~float',
    '~slash',
    '!year-number',
  ],
  decoys: [
    'none',
    'scores',
    'persons',
    'texts',
    'project',
    'all',
    'parents',
    'numbers',
    '~mirrors',
    '~watchers',
    '~flags',
    '!previous',
  ],
  disorder: [
    'none',
    'none',
    'orphans',
    'versions',
    'blank-rows',
    'shuffled',
    'newest-first',
    'copies',
    '~total-row',
    '~second-header',
  ],
  body: ['text', 'text', 'html', 'escaped-lines', 'breaks', '~quoting', '~entities', '~crlf'],
  tags: [
    'comma',
    'semicolon',
    'list',
    'spaces',
    'pipes',
    '~hashes',
    '~columns',
    '~objects',
    '!slashes',
    '!braces',
  ],
  /** What else there is in the export. */
  beside: ['none', 'none', 'none', 'audits', 'calls', '~time-entries', '~surveys'],
} as const;

type Dimension = keyof typeof CHOICES;
type Plain<T> = T extends `!${infer Rest}` | `~${infer Rest}` ? Rest : T;
export type Choices = { readonly [D in Dimension]: Plain<(typeof CHOICES)[D][number]> };

export const DIMENSIONS = Object.keys(CHOICES) as Dimension[];

/** Which choices an export is drawn from: plain ones alone, or with three that were held out once, or still are. */
export type Round = 'developed' | 'held out before' | 'held out';
const MARKS: Readonly<Record<Round, string>> = { developed: '', 'held out before': '~', 'held out': '!' };
const SOME = 3;

/** Choices that cannot be combined are settled here. */
export function draw(chance: Chance, round: Round): Choices {
  const isMarked = (option: string) => /^[!~]/.test(option);
  const mark = MARKS[round];
  const isOfRound = (option: string) => mark !== '' && option.startsWith(mark);
  const some = DIMENSIONS.filter((dimension) => CHOICES[dimension].some(isOfRound));
  const at = new Set(mark === '' ? [] : chance.shuffled(some).slice(0, SOME));
  const drawn = Object.fromEntries(
    DIMENSIONS.map((dimension) => {
      const all: readonly string[] = CHOICES[dimension];
      const open = all.filter((option) => (at.has(dimension) ? isOfRound(option) : !isMarked(option)));
      return [dimension, chance.one(open).replace(/^[!~]/, '')];
    }),
  ) as unknown as Choices;
  return settled(drawn);
}

const CSV = new Set<string>(['csv', 'csv-semicolon', 'tsv', 'pipe', 'preamble', 'utf16']);
const TABULAR = new Set<string>([
  'two-texts',
  'complementary-texts',
  'update-rows',
  'wide',
  'kind-rows',
  'transcript',
]);
const NESTED = new Set<string>(['nested', 'nested-deep', 'overlapping', 'pairs']);
const TABLES = new Set<string>(['tables', 'notes-beside', 'split-tickets', 'thread-map', 'kind-rows']);
/** A file or an object for each ticket. */
const ONE_EACH = new Set<string>([
  'file-a-ticket',
  'id-in-name',
  'id-in-link',
  'pages',
  'keyed-object',
  'edges',
  'wrapped-array',
]);

export function isCsv({ container }: Pick<Choices, 'container'>): boolean {
  return CSV.has(container);
}

export const isTables = ({ structure }: Pick<Choices, 'structure'>) => TABLES.has(structure);

function settled(drawn: Choices): Choices {
  let choices = drawn;
  const set = (changes: Partial<Choices>) => {
    choices = { ...choices, ...changes };
  };
  const isNested = NESTED.has(choices.structure);
  if (isNested && isCsv(choices)) set({ container: 'json-array' });
  if (TABULAR.has(choices.structure) && !isCsv(choices)) set({ container: 'csv' });
  if (choices.structure === 'thread-map') set({ container: 'json-array' });
  if (choices.structure === 'pairs') set({ container: 'json-array' });
  if (
    choices.structure === 'overlapping' &&
    !['json-array', 'json-lines', 'envelope'].includes(choices.container)
  )
    set({ container: 'json-lines' });
  if (choices.structure === 'wide') set({ people: 'address', description: 'only', internal: 'none' });
  if (choices.structure === 'transcript') set({ internal: 'none', description: 'none', role: 'word' });
  if (choices.internal === 'note-column' && choices.structure !== 'message-rows')
    set({ internal: 'one-zero' });
  if (['message-rows', 'complementary-texts', 'update-rows', 'kind-rows'].includes(choices.structure))
    set({ description: 'none' });
  if (['row-a-ticket', 'two-texts'].includes(choices.structure))
    set({
      description: choices.description === 'with-subject' ? 'with-subject' : 'only',
      internal: 'none',
      disorder: choices.disorder === 'orphans' ? 'none' : choices.disorder,
    });
  const inTables = isTables(choices);
  if (choices.internal === 'none' && choices.structure === 'notes-beside') set({ internal: 'private' });
  if (choices.container.endsWith('-lines') && !inTables && !isNested) set({ container: 'json-lines' });
  if (ONE_EACH.has(choices.container) && !['nested', 'nested-deep', 'pairs'].includes(choices.structure))
    set({
      container:
        choices.structure === 'row-a-ticket'
          ? choices.container === 'file-a-ticket'
            ? 'json-lines'
            : choices.container
          : choices.container === 'pages'
            ? 'envelope'
            : 'json-lines',
    });
  if (inTables && choices.description === 'only') set({ description: 'none' });
  if (isNested && choices.description === 'only') set({ description: 'same' });
  // who is customer and who is agent must be told by something
  if (choices.role === 'of-people' && !['id', 'login', 'two-tables'].includes(choices.people))
    set({ role: 'word' });
  if (
    choices.role === 'author-columns' &&
    (choices.structure === 'update-rows' || choices.structure === 'kind-rows')
  )
    set({ role: 'word' });
  if (choices.structure === 'complementary-texts') set({ role: 'initial', internal: 'none' });
  if (choices.disorder === 'orphans' && !inTables) set({ disorder: 'none' });
  if (choices.structure === 'thread-map' && ['orphans', 'shuffled'].includes(choices.disorder))
    set({ disorder: 'none' });
  if (
    choices.disorder === 'versions' &&
    choices.structure !== 'row-a-ticket' &&
    choices.structure !== 'tables'
  )
    set({ disorder: 'none' });
  if (choices.disorder === 'copies' && choices.structure !== 'row-a-ticket' && choices.structure !== 'tables')
    set({ disorder: 'none' });
  if (['blank-rows', 'total-row', 'second-header'].includes(choices.disorder) && !isCsv(choices))
    set({ disorder: 'none' });
  if (!isCsv(choices) && choices.empty !== 'blank' && choices.empty !== 'null') set({ empty: 'blank' });
  if (choices.body === 'escaped-lines' && !isCsv(choices)) set({ body: 'text' });
  if (choices.body === 'crlf' && !isCsv(choices)) set({ body: 'text' });
  if (choices.tags === 'objects' && isCsv(choices)) set({ tags: 'columns' });
  if (choices.tags === 'columns' && !isCsv(choices)) set({ tags: 'objects' });
  if (isNested && choices.people === 'two-tables') set({ people: 'nested' });
  if (choices.people === 'deep-person' && isCsv(choices)) set({ people: 'last-first' });
  if (ONE_EACH.has(choices.container) && ['id', 'login', 'two-tables'].includes(choices.people))
    set({ people: 'nested', role: choices.role === 'of-people' ? 'word' : choices.role });
  if (ONE_EACH.has(choices.container) && choices.beside !== 'none') set({ beside: 'none' });
  if (choices.structure === 'kind-rows' || choices.structure === 'thread-map') set({ beside: 'none' });
  if (
    choices.ids === 'absent' &&
    (!['row-a-ticket', 'two-texts'].includes(choices.structure) || choices.beside !== 'none')
  )
    set({ ids: 'number' });
  if (choices.ids === 'absent')
    set({
      disorder: choices.disorder === 'versions' || choices.disorder === 'copies' ? 'none' : choices.disorder,
    });
  if (['id-in-name', 'id-in-link'].includes(choices.container)) set({ ids: 'number' });
  if (choices.ids === 'url' || choices.ids === 'slash') {
    if (choices.container === 'keyed-object') set({ ids: 'number' });
  }
  return choices;
}

/** Whether nobody could bring such an export in without asking: words of the house, names without a meaning. */
export function mustAsk({
  statuses,
  naming,
  internal,
  role,
  ids,
  structure,
  beside,
  disorder,
}: Choices): boolean {
  return (
    ids === 'absent' ||
    structure === 'transcript' ||
    beside === 'calls' ||
    beside === 'time-entries' ||
    disorder === 'total-row' ||
    ['letters', 'is-open', 'sentences'].includes(statuses) ||
    ['japanese', 'form'].includes(naming) ||
    ['one-two', 'us-them', 'from-to'].includes(role) ||
    statuses === 'numbers' ||
    statuses === 'by-likeness' ||
    naming === 'meaningless' ||
    internal === 'kind' ||
    role === 'initial' ||
    role === 'sides' ||
    statuses === 'codes' ||
    naming === 'made-up'
  );
}
