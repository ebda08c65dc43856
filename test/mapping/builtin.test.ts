import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MappingSettings } from '../../src/mapping/compile/compile-layout.ts';
import {
  builtinLayoutNames,
  builtinLayouts,
  detectBuiltin,
} from '../../src/mapping/detect/builtin-layouts.ts';
import { rankLayouts } from '../../src/mapping/detect/detect.ts';
import { mapExport, openTexts, payloads, type Texts } from './support/map-export.ts';

const folder = resolve(import.meta.dirname, '../../fixtures/layouts');
const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

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
    const files = readdirSync(join(folder, name)).filter(
      (file) => !/^(?:expected|settings)\.json$/.test(file),
    );
    const texts = files.map((file) => {
      const text = readFileSync(join(folder, name, file), 'utf8');
      const own = key.split('"')[0] ?? key;
      return [file, text.replaceAll(`"${own}":`, '"other":').replaceAll(before, `${claim} ${before}`)];
    });
    const { tickets } = await mapExport(Object.fromEntries(texts), builtinLayouts(), {});
    expect(tickets.flatMap(({ unmet }) => unmet?.messages ?? [])).toContain(40);
  },
);

/** One folder a layout: its input files, settings.json, and expected.json, which `vitest -u` writes anew. */
describe('the built-in layout', () => {
  it.each(names)('%s is recognised among all others and gives the expected payloads', async (name) => {
    const files = readdirSync(join(folder, name)).filter(
      (file) => file !== 'expected.json' && file !== 'settings.json',
    );
    const texts = Object.fromEntries(
      files.map((file) => [file, readFileSync(join(folder, name, file), 'utf8')]),
    );
    const settings = JSON.parse(
      readFileSync(join(folder, name, 'settings.json'), 'utf8'),
    ) as Partial<MappingSettings>;
    const { detection, tickets, mapper } = await mapExport(texts, builtinLayouts(), settings);
    expect(detection.layout.name).toBe(name);
    const shown = { tickets: tickets.map(payloads), account: mapper.account() };
    await expect(`${JSON.stringify(shown, null, 2)}\n`).toMatchFileSnapshot(
      join(folder, name, 'expected.json'),
    );
    // an assignee without an agent id is among the losses above
    const problems = tickets.flatMap((ticket) => ticket.problems);
    expect(problems.filter(({ code }) => code !== 'lost-assignee')).toEqual([]);
    expect(JSON.stringify(shown.tickets)).not.toContain('secret"');
  });

  it('is in the built program as its YAML file says', () => {
    const built = readFileSync(resolve(folder, '../../dist/mapping/platforms/builtin.json'), 'utf8');
    expect(JSON.parse(built)).toEqual(builtinLayouts());
  });

  it('each has a fixture', () => {
    const without = builtinLayoutNames().filter(
      (name) => name !== 'native' && !existsSync(join(folder, name)),
    );
    expect(without).toEqual([]);
  });
});

describe('the native layout', () => {
  const outlinesOf = async (texts: Texts) => (await openTexts(texts)).files.map(({ outline }) => outline);
  const texts = {
    't.csv': 'id,subject,status,createdAt,contact.email\n1,a,open,x,y\n',
    'm.csv': 'ticketId,content,actorType\n',
  };

  it('is the surest of all for native files', async () => {
    const outlines = await outlinesOf(texts);
    expect(rankLayouts(outlines, builtinLayouts())[0]).toMatchObject({
      name: 'native',
      confidence: expect.closeTo(0.9, 1),
    });
    expect(detectBuiltin(outlines).layout.name).toBe('native');
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
