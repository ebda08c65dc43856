import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { builtinLayouts } from '../../src/mapping/detect/builtin-layouts.ts';
import { detectLayout } from '../../src/mapping/detect/detect.ts';
import type { Layout } from '../../src/mapping/language/layout.ts';
import { requireExpectation, rowsOf } from '../support/rows.ts';
import { layoutFrom, openTexts, type Texts, textOf } from './support/map-export.ts';

const detect = async (texts: Texts, layouts: readonly Layout[], from?: string) => {
  const { files } = await openTexts(texts);
  return detectLayout(
    files,
    from === undefined ? layouts : layouts.filter(({ name }) => name === from),
    from,
  );
};

interface Case {
  readonly name: string;
  readonly layouts?: readonly object[];
  readonly from?: string;
  readonly files: Readonly<Record<string, unknown>>;
  readonly found?: object;
  /** Of the plan, whole. */
  readonly tables?: readonly object[];
  readonly refused?: {
    readonly message?: string;
    readonly lines?: readonly string[];
    readonly hint?: string;
  };
}

const { given, cases } = rowsOf<{ given: { layouts: object[] }; cases: Case[] }>(
  import.meta.dirname,
  'detect.yaml',
);

it.each(cases)('$name', async ({ layouts = given.layouts, from, files, ...of }) => {
  requireExpectation(of, '', 'found tables refused');
  const texts = Object.entries(files).map(([name, content]) => [name, textOf(name, content)]);
  const made = layouts.map((each) => layoutFrom(stringify(each)));
  const work = detect(Object.fromEntries(texts), made, from);
  if (of.refused !== undefined) {
    const { lines = [], hint = '', ...error } = of.refused;
    const said = { lines: expect.arrayContaining([...lines]), hint: expect.stringContaining(hint) };
    await expect(work).rejects.toMatchObject({ ...error, ...said });
    return;
  }
  const found = await work;
  expect(found).toMatchObject(of.found ?? {});
  if (of.tables !== undefined) expect(found.plan.tables).toEqual(of.tables);
});

describe('the built-in layouts and a CSV with a column "properties"', () => {
  const HUBSPOT =
    '"{""subject"":""Lamp"",""hs_pipeline_stage"":""1"",""createdate"":""2024-03-01T08:00:00Z""}"';
  const RED = '"{""colour"":""red""}"';
  const named = async (rows: string, more: Texts = {}) =>
    (await detect({ 't.csv': `id,properties\n${rows}`, ...more }, [...builtinLayouts()])).layout.name;

  it.each(['vip', RED, ''])(
    'that holds %j are none of it, and the error names the table next to it',
    async (cell) => {
      await expect(
        named(`1,${cell}\n2,\n`, { 'talk.csv': 'case,said,at\n1,Hello,2024-03-01\n' }),
      ).rejects.toMatchObject({
        message: 'This export has no known layout.',
        lines: expect.arrayContaining([expect.stringContaining('talk.csv')]),
      });
    },
  );

  it('that holds the properties of HubSpot tickets is HubSpot, but not in one row of many', async () => {
    expect(await named(`1,${HUBSPOT}\n2,${HUBSPOT}\n`)).toBe('hubspot');
    await expect(named(`1,${HUBSPOT}\n2,${RED}\n3,${RED}\n4,${RED}\n5,${RED}\n`)).rejects.toThrow(
      /no known layout/,
    );
  });
});

it('a layout that reads only the tickets and leaves most files unread is named, not taken', async () => {
  const texts = {
    'export.csv':
      'Ticket ID,Ticket name,Pipeline,Ticket status,Create date\n1,Lamp,Support,New,2024-03-01 08:00\n',
    'talk.csv': 'case,said,at\n1,Hello,2024-03-01\n',
    'persons.csv': 'id,mail\n7,ann@example.com\n',
  };
  const lines = expect.arrayContaining([
    expect.stringContaining('hubspot-csv (HubSpot (CSV export of tickets)) would leave'),
  ]);
  await expect(detect(texts, [...builtinLayouts()])).rejects.toMatchObject({ lines });
  expect((await detect(texts, [...builtinLayouts()], 'hubspot-csv')).layout.name).toBe('hubspot-csv');
});

it.each([
  ['holds a number', 'answer.json', '42\n', 'line 1, column 1: a list or an object is expected'],
  [
    'is cut off in its first line',
    't.jsonl',
    '{"id": 1, "subject": "Lamp',
    'Line 1: This is not valid JSON at column 27',
  ],
  ['is a list of numbers', 'list.json', '[1, 2]', 'a number'],
])('a file that %s is named with the reason', async (_, name, text, reason) => {
  await expect(detect({ [name]: text }, [])).rejects.toThrow(`No record of ${name} can be read.`);
  await expect(detect({ [name]: text }, [])).rejects.toThrow(reason);
});
