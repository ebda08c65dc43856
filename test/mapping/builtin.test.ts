import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  builtinLayoutNames,
  builtinLayouts,
  detectBuiltin,
} from '../../src/mapping/detect/builtin-layouts.ts';
import { root } from '../support/cli.ts';
import { layoutExport, layoutNames } from '../support/layouts.ts';
import { mapExport, openTexts, payloads, type Texts } from './support/map-export.ts';

it.each([
  ['gorgias', '"subject"', 'messages_count'],
  ['github-issues', '"number"', 'comments'],
  ['helpscout', '"number"', 'threads'],
  ['helpscout', '"number"', 'threadCount'],
  ['intercom', '"created_at"', 'statistics":{"count_conversation_parts'],
  ['zendesk', '"requester_id"', 'comment_count'],
  ['zendesk', '"requester_id"', 'metric_set":{"replies'],
  ['zohodesk', '"ticketNumber"', 'threadCount'],
  ['zohodesk', '"ticketNumber"', 'commentCount'],
])(
  '%s: before %s, a number of messages that the export does not hold is noticed: %s',
  async (name, before, key) => {
    const claim = `"${key}": 40${key.includes('{') ? '}' : ''},`;
    const own = key.split('"')[0] ?? key;
    const texts = Object.entries(layoutExport(name).texts).map(([file, text]) => [
      file,
      text.replaceAll(`"${own}":`, '"other":').replaceAll(before, `${claim} ${before}`),
    ]);
    const { tickets } = await mapExport(Object.fromEntries(texts), builtinLayouts(), {});
    expect(tickets.flatMap(({ unmet }) => unmet?.messages ?? [])).toContain(40);
  },
);

/** `vitest -u` writes expected.json anew. */
describe('the built-in layout', () => {
  it.each(layoutNames)('%s is recognised among all others and gives the expected payloads', async (name) => {
    const { texts, settings, expected } = layoutExport(name);
    const { detection, tickets, mapper } = await mapExport(texts, builtinLayouts(), settings);
    expect(detection.layout.name).toBe(name);
    const shown = { tickets: tickets.map(payloads), account: mapper.account() };
    await expect(`${JSON.stringify(shown, null, 2)}\n`).toMatchFileSnapshot(expected);
    // an assignee without an agent id is among the losses above
    const problems = tickets.flatMap((ticket) => ticket.problems);
    expect(problems.filter(({ code }) => code !== 'lost-assignee')).toEqual([]);
    expect(JSON.stringify(shown.tickets)).not.toContain('secret"');
  });

  it('is in the built program as its YAML file says', () => {
    const built = readFileSync(join(root, 'dist/mapping/platforms/builtin.json'), 'utf8');
    expect(JSON.parse(built)).toEqual(builtinLayouts());
  });

  it('each has a fixture', () => {
    expect(builtinLayoutNames().filter((name) => !['native', ...layoutNames].includes(name))).toEqual([]);
  });
});

describe('the native layout', () => {
  const outlinesOf = async (texts: Texts) => (await openTexts(texts)).files;
  const texts = {
    't.csv': 'id,subject,status,createdAt,contact.email\n1,a,open,x,y\n',
    'm.csv': 'ticketId,content,actorType\n',
  };

  it('is the surest of all for native files', async () => {
    const outlines = await outlinesOf(texts);
    const { layout, confidence } = detectBuiltin(outlines);
    expect([layout.name, confidence]).toEqual(['native', expect.closeTo(0.9, 1)]);
  });

  it('gives way if a file is left over', async () => {
    const more = await outlinesOf({ 't.csv': 'id,subject,createdAt\n', 'x.csv': 'a,b\n' });
    expect(detectBuiltin(more).unused).toEqual([{ file: 1, name: 'x.csv' }]);
  });

  it('is not looked at where another one is named', async () => {
    const outlines = await outlinesOf(texts);
    expect(() => detectBuiltin(outlines, 'zendesk')).toThrow(expect.objectContaining({ code: 'source' }));
    expect(() => detectBuiltin(outlines, 'zendsk')).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});
