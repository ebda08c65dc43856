/** Closed by default: by a word that no rule knows nothing is published or left out, and nothing silently. */
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { builtinLayouts } from '../../src/mapping/detect/builtin-layouts.ts';
import type { Layout } from '../../src/mapping/language/layout.ts';
import { layoutFrom, mapExport } from './support/map-export.ts';
import { GENERATED, shapeOf, type Words, withWord, written } from './support/reshape.ts';

type Tree = Readonly<Record<string, unknown>>;
type Use = 'public' | 'leaveOut' | 'exclude';

/** One test of a column by its words, in a condition of a layout. */
interface Leaf {
  readonly layout: Layout;
  readonly use: Use;
  /** Rules that ask this, as of one list in several places. */
  readonly rules: readonly unknown[];
  readonly condition: Tree;
}

const YES = ['true', true, 't', 'TRUE', '1', 1, '1.0', 'Y', 'yes', 'WAHR', 'VRAI', 'sí', 'oui', 'ja'];
const NO = ['false', false, 'f', 'FALSE', '0', 0, '0.0', 'N', 'no', 'FALSCH', 'FAUX', 'non', 'nein'];
const UNKNOWN = ['maybe'];

function conditionsIn(value: unknown): Tree[] {
  if (Array.isArray(value)) return value.flatMap(conditionsIn);
  if (typeof value !== 'object' || value === null) return [];
  const tree = value as Tree;
  return [
    ...(tree['column'] === undefined ? [] : [tree]),
    ...['all', 'any', 'not'].flatMap((key) => conditionsIn(tree[key])),
  ];
}

const LEAVES: readonly Leaf[] = builtinLayouts().flatMap((layout) => {
  const leaves = (use: Use, rule: unknown, value: unknown) =>
    conditionsIn(value).map((condition) => ({ layout, use, rule, condition }));
  const all = [
    ...(layout.messages ?? []).flatMap((rule) => [
      ...leaves('public', rule, rule.public),
      ...leaves('leaveOut', rule, rule.leaveOut),
    ]),
    ...(layout.exclude ?? []).flatMap((rule) => leaves('exclude', rule, rule.when)),
  ];
  return [...Map.groupBy(all, ({ use, condition }) => use + JSON.stringify(condition)).values()].map(
    (same) => ({
      ...(same[0] as (typeof all)[number]),
      rules: same.map(({ rule }) => rule),
    }),
  );
});

const hasWords = ({ condition }: Leaf) => condition['empty'] === undefined;

/** The column that is read, also in a row that is looked up. */
function columnOf(expression: unknown): string {
  if (typeof expression === 'string') return expression;
  if (Array.isArray(expression)) return columnOf(expression[0]);
  const { column, get } = expression as Tree;
  return columnOf(column ?? get);
}

function wordsOf({ condition }: Leaf): { readonly yes: Words; readonly no: Words } {
  const { is, in: words, known, internal } = condition;
  // All leaves read words by one function: each is asked one of each kind, and all words of truth are asked.
  const at = LEAVES.findIndex((leaf) => leaf.condition === condition);
  const some = (all: Words) => all.filter((_, n) => n === at % all.length);
  if (typeof is === 'boolean')
    return is ? { yes: some(YES), no: some(NO) } : { yes: some(NO), no: some(YES) };
  return { yes: some((words ?? [is]) as Words), no: some(((known ?? internal) as Words | undefined) ?? []) };
}

/** The tickets of the layout's fixture with one word in all cells of the column, of the rule alone. */
async function mapWith({ layout, use, rules, condition }: Leaf, word: unknown) {
  const shape = await shapeOf(layout.name === 'native' ? GENERATED : layout.name);
  const alone = use === 'exclude' ? layout : { ...layout, messages: rules as Layout['messages'] & object };
  const changed = withWord(shape, columnOf(condition['column']), word, layout);
  const { tickets, mapper } = await mapExport(written(changed), alone, shape.settings);
  const messages = tickets.flatMap((ticket) => ticket.messages.map(({ value }) => value));
  const problems = [...mapper.problems(), ...tickets.flatMap((ticket) => ticket.problems)];
  return {
    open: messages.filter((value) => value['isInternal'] !== true).length,
    messages: messages.length,
    alive: tickets.filter(({ excluded }) => excluded === undefined).length,
    unsent: mapper.account().entries.filter(({ kind }) => kind === 'unsent').length,
    codes: new Set(problems.filter(({ message }) => message.includes(String(word))).map(({ code }) => code)),
    errors: new Set(
      problems.filter(({ severity }) => severity === 'error').flatMap(({ ticket }) => ticket ?? []),
    ).size,
  };
}

const titleOf = ({ layout, use, condition }: Leaf) =>
  `${layout.name}, ${use}: ${columnOf(condition['column'])} ${JSON.stringify(condition['is'] ?? condition['in'])}`;
const leavesOf = (use: Use) =>
  LEAVES.filter((leaf) => leaf.use === use && hasWords(leaf)).map((leaf): [string, Leaf] => [
    titleOf(leaf),
    leaf,
  ]);

describe('a message is public by a word that is known to be public', () => {
  it.each(leavesOf('public'))('%s', async (_, leaf) => {
    const { yes, no } = wordsOf(leaf);
    for (const word of yes) expect((await mapWith(leaf, word)).open, String(word)).toBeGreaterThan(0);
    for (const word of no) expect((await mapWith(leaf, word)).open, String(word)).toBe(0);
    for (const word of UNKNOWN) {
      const found = await mapWith(leaf, word);
      expect(found.open, word).toBe(0);
      expect([...found.codes], word).toContain('unknown-visibility');
    }
  });
});

describe('drafts and undelivered mails are left out and counted, and a mail of unknown state is internal', () => {
  it.each(leavesOf('leaveOut'))('%s', async (_, leaf) => {
    const { yes, no } = wordsOf(leaf);
    for (const word of yes) {
      const found = await mapWith(leaf, word);
      expect(found.messages, String(word)).toBe(0);
      expect(found.unsent + Number(found.alive === 0), String(word)).toBeGreaterThan(0);
    }
    for (const word of no) expect((await mapWith(leaf, word)).messages, String(word)).toBeGreaterThan(0);
    for (const word of UNKNOWN) {
      const found = await mapWith(leaf, word);
      expect(found.open, word).toBe(0);
      expect([...found.codes], word).toContain(
        found.alive === 0 ? 'unknown-exclusion' : 'unknown-visibility',
      );
    }
  });
});

describe('a ticket that was deleted, or is spam or a draft, is left out', () => {
  it.each(leavesOf('exclude'))('%s', async (_, leaf) => {
    const { yes, no } = wordsOf(leaf);
    // a column that only some records have tells nothing of the others
    const without = no.length === 0 ? (await mapWith(leaf, '')).alive : (await mapWith(leaf, no[0])).alive;
    expect(without).toBeGreaterThan(0);
    for (const word of yes) expect((await mapWith(leaf, word)).alive, String(word)).toBeLessThan(without);
    for (const word of no) expect((await mapWith(leaf, word)).alive, String(word)).toBe(without);
    for (const word of UNKNOWN) {
      const { codes, errors, alive } = await mapWith(leaf, word);
      // a word of the status is an error of each ticket, another one stops the run
      if (!codes.has('unknown-exclusion')) expect(errors, word).toBe(alive);
    }
  });
});

describe('a mark in a column of any export counts, also if no rule asks for it', () => {
  const every = builtinLayouts().filter(({ messages = [] }) => messages.length > 0);
  const mapped = (layout: Layout, column: string, word: unknown) =>
    mapWith({ layout, use: 'public', rules: layout.messages ?? [], condition: { column } }, word);
  const HIDDEN = { open: 0, gone: false };
  const GONE = { messages: 0, gone: true };
  const MARKS: readonly (readonly [column: string, word: unknown, expected: object])[] = [
    ['is_restricted', 'y', HIDDEN],
    ['_fivetran_deleted', 't', GONE],
    ['Visible to customer', 0, HIDDEN],
    ['_sdc_deleted_at', '2026-01-02T03:04:05Z', GONE],
    ['visibility_type', 'role', HIDDEN],
    ['hidden', 'zz-new-word', { ...HIDDEN, codes: ['unknown-visibility'] }],
    ['deleted_at', true, GONE],
    ['access', 'privé', HIDDEN],
    ['_fivetran_deleted', 'zz-new-word', { codes: expect.arrayContaining(['unknown-exclusion']) }],
    ['messageType', 'Internal note', HIDDEN],
    ['is draft', 'WAHR', GONE],
    ['deleted_at', false, { gone: false }],
  ];
  // All layouts are asked by one function: each is asked a third of the marks.
  it.each(every.map((layout, at) => [layout.name, layout, at] as const))('%s', async (_, layout, at) => {
    const without = await mapped(layout, 'is_restricted', 'n');
    for (const [column, word, expected] of MARKS.filter((_, n) => n % 3 === at % 3)) {
      const { alive, codes, ...found } = await mapped(layout, column, word);
      expect({ ...found, gone: alive === 0, codes: [...codes] }, column).toMatchObject(expected);
      expect([0, without.alive], column).toContain(alive);
    }
  });
});

describe('a word that no rule knows', () => {
  const yaml = (words: string) => `
name: test
title: Test
tables: { tickets: { role: root, key: id, recognise: { columns: [id, spam] } } }
ticket: { subject: subject }
messages:
  - { content: text, actorType: { const: customer }, public: { column: kind, in: [mail], internal: [note] } }
  - { content: more, actorType: { const: customer }, public: { column: shown, is: true } }
  - { content: log, actorType: { const: customer }, public: unknown }
exclude: [{ when: { column: spam, is: true }, reason: spam }]
${words}`;
  const texts = {
    't.csv':
      'id,subject,text,spam,kind,more,shown,log\n1,a,x,f,mail,p,y,l\n2,b,y,perhaps,sms,q,partly,\n3,c,z,t,note,r,,\n',
  };
  const outcome = async (words: string) => {
    const { tickets, mapper } = await mapExport(texts, layoutFrom(yaml(words)));
    const open = tickets.flatMap(({ messages }) =>
      messages.flatMap(({ value }) => (value['isInternal'] === true ? [] : String(value['content']))),
    );
    const problems = mapper.problems().filter(({ code }) => code.startsWith('unknown-'));
    return {
      left: tickets.flatMap(({ externalId, excluded }) => (excluded === undefined ? [] : externalId)),
      open,
      said: problems.map(({ column, severity }) => `${severity}: ${column}`),
      lines: problems.map(
        ({ message }) => /under mapping: (words: \{.*?\}(?: \})?)(?:\.|$)/.exec(message)?.[1] ?? '',
      ),
    };
  };

  it('is internal, or stops the run, and the line that the message gives decides it', async () => {
    const first = await outcome('');
    expect(first).toMatchObject({ left: ['3'], open: ['x', 'p'] });
    expect(first.said.toSorted()).toEqual(['error: spam', 'warning: kind', 'warning: log', 'warning: shown']);
    const all = first.lines.map((line) => (parse(line) as { words: object }).words);
    const decided = await outcome(stringify({ words: Object.assign({}, ...all) }));
    expect(decided).toMatchObject({ left: ['3'], open: ['x', 'p', 'l', 'y', 'q'], said: [] });
    expect(await outcome('words: { spam: { perhaps: leave out } }')).toMatchObject({ left: ['2', '3'] });
    expect((await outcome('words: { kind: { sms: internal }, shown: { partly: internal } }')).said).toEqual(
      expect.not.arrayContaining(['warning: kind', 'warning: shown']),
    );
  });
});

it('A mark counts also behind thousands of keys that are data', async () => {
  const keys = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`key ${n}`, n]));
  const ticket = { id: 1, subject: 'a', notes: [{ text: 'for the team', ...keys, is_private: true }] };
  const { tickets } = await mapExport(
    { 't.json': JSON.stringify([ticket]) },
    layoutFrom(`
name: test
title: Test
tables: { tickets: { role: root, key: id, recognise: { columns: [id, subject] } } }
ticket: { subject: subject }
messages: [{ each: notes, content: text, actorType: { const: agent }, public: true }]`),
  );
  expect(tickets[0]?.messages.map(({ value }) => value['isInternal'])).toEqual([true]);
});

describe('a column that nobody reads beside public messages of agents', () => {
  const mapped = (column: string, words: readonly string[], mapping = '') =>
    mapExport(
      {
        'm.csv': `conversation_id,sender_type,author_email,body,created_at,${column}\n${words
          .map((word, n) => `1,agent,ann@a.example,Text ${n},2025-03-01T09:0${n}:00Z,${word}\n`)
          .join('')}`,
      },
      { ...layoutFrom(`extends: message-rows\nname: rows\n${mapping}`), isProposed: true },
      { agents: { 'ann@a.example': 'agt_1' } },
    );
  const stops = async (column: string, words: readonly string[], mapping = '') => {
    const { mapper, tickets } = await mapped(column, words, mapping);
    const hidden = tickets.flatMap(({ messages }) =>
      messages.map(({ value }) => value['isInternal'] === true),
    );
    return { stops: mapper.problems().some(({ severity }) => severity === 'error'), hidden };
  };

  it.each([
    ...[
      'IsVisibleForCustomer|1|0',
      'visible_for_customer|yes|no',
      'threadType|reply|note',
      'internal_only|false|true',
    ],
    ...['agent_only|false|true', 'jsdPublic|true|false', 'is_published|true|false', 'show_to_customer|1|0'],
    ...['hide_from_customer|0|1', 'scope|public|internal', 'type|1|3', 'type|R|N'],
    ...[
      'type|Correspond|Comment',
      'note|0|1',
      'event_type|reply|private_note',
      'via|email|note',
      'label|Public|Private',
    ],
    ...['customer_can_see|1|0', 'sichtbar_fuer_kunden|ja|nein', 'mode|a|b', 'whisper||1', 'privacyLevel|0|1'],
  ])('stops the run if it may say who saw them: %s', async (line) => {
    const [column = '', seen = '', hidden = ''] = line.split('|');
    expect((await stops(column, [seen, hidden])).stops).toBe(true);
    const words = `words: { ${column}: { "${seen}": public, "${hidden}": internal } }`;
    expect(
      await stops(
        column,
        [seen, hidden],
        seen === '' ? `words: { ${column}: { "${hidden}": internal } }` : words,
      ),
    ).toEqual({
      stops: false,
      hidden: [false, true],
    });
  });

  it.each([
    ['floor', '1', '2'],
    ['channel', 'email', 'chat'],
    ['agent_name', 'Ann', 'Bob'],
    ['language', 'en', 'de'],
    ['visibility_note_type', 'public', 'public'],
    ['notes', 'a long text that says much more than a word', 'b'],
  ])('never stops a run for anything else: %s', async (column, one, other) => {
    expect((await stops(column, [one, other])).stops).toBe(false);
  });
});
