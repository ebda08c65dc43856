/** Every recipe against its platform: all rows come once, whatever happens meanwhile, and the platform's own layout reads them. */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/domain/ports.ts';
import { runExport } from '../../src/export/engine.ts';
import { connectPlatform } from '../../src/export/platform.ts';
import { fileOf, parseRecipe, type Recipe, recipeNames } from '../../src/export/recipe.ts';
import { ExportState } from '../../src/export/state.ts';
import { root, temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { hurried } from '../support/hurried-clock.ts';
import { FAKES, type Fake, type Json, type Served, serve } from '../support/platform-fakes.ts';

const clock = hurried(100);

/** The recipe with pages of two rows and without its limits, so that few rows have many pages. */
function small(name: string): Recipe {
  const text = readFileSync(join(root, `src/export/recipes/${name}.yaml`), 'utf8');
  const sizes = /\b(size|per_page|limit|sysparm_limit|maxResults|"page\[size\]"): \d+/g;
  const recipe = parseRecipe(text.replace(sizes, '$1: 2'), name, true);
  for (const one of recipe.resources) Object.assign(one, { limit: undefined });
  return { ...recipe, limit: { requests: 1_000_000, seconds: 1 } };
}
const RECIPES = new Map(recipeNames().map((name) => [name, small(name)]));

async function fetchAll(name: string, served: Served, folder: string, hard = new AbortController().signal) {
  const soft = new AbortController().signal;
  const counted: number[] = [];
  const emit = (event: RunEvent) => void (event.type === 'exported' && counted.push(event.requests));
  const recipe = RECIPES.get(name) ?? small(name);
  const ports = { clock, random: () => 0, emit, env: served.env, stopping: soft, version: '1' };
  const platform = await connectPlatform(recipe, ports);
  try {
    const files = recipe.resources.flatMap((one) => fileOf(one) ?? []);
    using state = new ExportState(folder, `${name} ${platform.address}`, files);
    const parts = { recipe, state, platform, history: true, now: clock.now, emit, soft, hard };
    const end = await runExport(parts);
    expect(counted).toEqual(counted.map((_, at) => at + 1));
    return end;
  } finally {
    await platform.close();
  }
}

/** A mail of two tickets is there twice. */
const keyOf = ({ sys_id, id, messageId, associations = {}, ...row }: Json) =>
  `${sys_id ?? id ?? messageId ?? JSON.stringify(row)}${JSON.stringify((associations as Json)['tickets']) ?? ''}`;
const byKey = (rows: readonly Json[]) => Object.fromEntries(rows.map((row) => [keyOf(row), row]));

/** Rows of each file by their ids; a file has whole lines, and each of them once. */
function rowsIn(folder: string): Record<string, Record<string, Json>> {
  const files = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);
  return Object.fromEntries(
    files.map(([name, text]) => {
      const lines = text.split('\n');
      expect(lines.pop()).toBe('');
      expect(new Set(lines).size).toBe(lines.length);
      return [name.replace('.jsonl', ''), byKey(lines.map((line) => JSON.parse(line)))];
    }),
  );
}

function expected(fake: Fake) {
  const filled = Object.entries(fake.holds()).filter(([, rows]) => rows.length > 0);
  return Object.fromEntries(filled.map(([file, rows]) => [file, byKey(rows)]));
}

/** Requests about one ticket. */
const OF_A_TICKET = /\/(?:tickets|conversations|issue|threads)\/(?!v3)\w*\d/;

it('every recipe has a fake', () => {
  expect(Object.keys(FAKES).sort()).toEqual(recipeNames());
});

describe.each(Object.entries(FAKES))('export %s', (name, make) => {
  async function begun() {
    const folder = temporaryFolder();
    const fake = make();
    const served = await serve(name, fake);
    const [to, out] = [folder.join('export'), () => rowsIn(folder.join('export'))];
    const dispose = async () => {
      await served[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    };
    const fetch = (hard?: AbortSignal) => fetchAll(name, served, to, hard);
    return { folder, fake, served, to, out, fetch, [Symbol.asyncDispose]: dispose };
  }

  it('fetches all that the platform has, once, and its own layout reads the folder without a warning', async () => {
    await using one = await begun();
    const { incomplete = [] } = one.fake;
    expect(await one.fetch()).toMatchObject({ missing: [], incomplete, left: [], isUpdate: false });
    expect(one.out()).toEqual(expected(one.fake));
    const before = one.served.asked.length;
    await one.fetch();
    expect(one.out()).toEqual(expected(one.fake));
    expect(one.served.asked.slice(before).filter((path) => OF_A_TICKET.test(path))).toEqual([]);
    const settings = `fallbackAgent: agt_1\nunmapped: note\n${one.fake.settings ?? ''}`;
    writeFileSync(one.folder.join('helpdesk-import.yaml'), settings);
    const read = await commandLine(['run', 'export', '--dry-run', '--json'], { cwd: one.folder.path });
    const { layout, problems, tickets, messages } = JSON.parse(read.stdout);
    // Agents are looked up in the helpdesk, and there is none.
    const warned = problems.filter(({ code }: Json) => code !== 'agents-asked');
    expect([layout, warned, tickets.read]).toEqual([name, [], one.fake.tickets.length]);
    expect(messages.read).toBeGreaterThan(one.fake.tickets.length);
  });

  it('killed at a third of its requests, with torn lines, it ends with the same rows', async () => {
    await using one = await begun();
    const [seen, killed] = [new Set<string>(), new Set<string>()];
    let hard = new AbortController();
    one.served.fault = (_, path) => {
      if (seen.has(path)) return undefined;
      seen.add(path);
      if (seen.size % 3 !== 1) return undefined;
      killed.add(path);
      hard.abort(new Error('killed'));
      return { status: 200, body: {} };
    };
    for (;;) {
      hard = new AbortController();
      const ended = await one.fetch(hard.signal).catch((error) => error);
      if (!(ended instanceof Error)) break;
      expect(ended.message).toBe('killed');
      for (const file of existsSync(one.to) ? readdirSync(one.to) : [])
        appendFileSync(join(one.to, file), '{"id":"torn');
    }
    expect(killed.size).toBeGreaterThan(1);
    expect(one.out()).toEqual(expected(one.fake));
  });

  it('a ticket that is deleted meanwhile costs nothing but itself, and is named', async () => {
    await using one = await begun();
    const { id: own, ticketNumber = own } = one.fake.tickets.at(-1) ?? {};
    const id = String(own);
    const isOfIt = (path: string) => OF_A_TICKET.test(path) && path.split(/[/?]/).includes(id);
    one.served.fault = (_, path) => (isOfIt(path) ? { status: 404 } : undefined);
    const { missing } = await one.fetch();
    expect(missing.every(({ parent, why }) => [id, ticketNumber].includes(parent) && why === '404')).toBe(
      true,
    );
    expect(missing.length > 0).toBe(one.served.asked.some(isOfIt));
    const [main = ''] = [one.fake.main ?? 'tickets'];
    const others = (rows: object | undefined) => Object.keys(rows ?? {}).filter((key) => key !== id);
    expect(others(one.out()[main])).toEqual(others(expected(one.fake)[main]));
  });
});

it('an include of Freshdesk costs a credit more each, and without credits nothing is lost', async () => {
  using folder = temporaryFolder();
  const fake = FAKES['freshdesk']?.() as Fake;
  await using served = await serve('freshdesk', fake);
  let [minute, credits, refused] = [0, 0, 0];
  served.fault = (_, path) => {
    const now = Math.floor(clock.now() / 60_000);
    if (now !== minute) [minute, credits] = [now, 20];
    credits -= 1 + (new URL(path, 'http://x').searchParams.get('include')?.split(',').length ?? 0);
    if (credits >= 0) return undefined;
    refused += 1;
    return { status: 429, headers: { 'retry-after': String(60 - Math.floor((clock.now() / 1000) % 60)) } };
  };
  await fetchAll('freshdesk', served, folder.join('export'));
  expect(refused).toBeGreaterThan(0);
  expect(rowsIn(folder.join('export'))).toEqual(expected(fake));
});

it('a case that Intercom lists as conversation and as ticket is one ticket', async () => {
  using folder = temporaryFolder();
  const { conversations = [], tickets = [] } = FAKES['intercom']?.().holds() ?? {};
  const same = { id: '500', updated_at: 1_700_000_000 };
  writeFileSync(folder.join('conversations.jsonl'), JSON.stringify({ ...conversations[0], ...same }));
  writeFileSync(folder.join('tickets.jsonl'), JSON.stringify({ ...tickets[0], ...same }));
  const read = await commandLine(['run', '.', '--dry-run', '--json'], { cwd: folder.path });
  const { tickets: found, problems } = JSON.parse(read.stdout);
  expect([found.read, problems.map(({ code }: Json) => code)]).toEqual([
    1,
    expect.arrayContaining(['older-version']),
  ]);
});
