/** The witness notices that a rule of a built-in layout is gone: some cell is no longer where it was. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { SourceFile } from '../../src/domain/source-file.ts';
import { builtinLayouts } from '../../src/mapping/detect/builtin-layouts.ts';
import { detectLayout } from '../../src/mapping/detect/detect.ts';
import type { Layout } from '../../src/mapping/language/layout.ts';
import { fixtures } from '../support/cli.ts';
import { seeded } from '../support/seeded.ts';
import { filesOf } from './raw.ts';
import { settingsOf } from './support.ts';
import { type Witnessed, witness } from './witness.ts';

const changed = vi.hoisted(() => ({ layouts: undefined as readonly unknown[] | undefined }));
vi.mock(import('../../src/mapping/detect/builtin-layouts.ts'), async (original) => {
  const real = await original();
  const detectBuiltin = (outlines: readonly SourceFile[], from?: string) =>
    changed.layouts === undefined
      ? real.detectBuiltin(outlines, from)
      : detectLayout(outlines, changed.layouts as readonly Layout[], from);
  return { ...real, detectBuiltin };
});

/** Of the rules of all layouts; `SEED` and `RULES` choose others and more. */
const RULES = Number(process.env['RULES'] ?? 150);
const SEED = Number(process.env['SEED'] ?? 1);
const LEAST = 95;

type Path = readonly (string | number)[];
type Node = Record<string | number, unknown>;

/** Fields of tickets, messages, events and people, and whole rules; not what says where their rows are. */
function rulesOf(layout: Layout): Path[] {
  const fields = (path: Path, value: unknown): Path[] =>
    Object.keys(value as object)
      .filter((key) => !/^(?:from|each|places|table|key|where|use|once|title|name)$/.test(key))
      .map((key) => [...path, key]);
  const lists = (['messages', 'events', 'names', 'exclude'] as const).flatMap((list) =>
    (layout[list] ?? []).flatMap((rule, at): Path[] => [
      [list, at],
      ...(list === 'messages' || list === 'events' ? fields([list, at], rule) : []),
    ]),
  );
  const people = Object.entries(layout.people ?? {}).flatMap(([name, of]) => fields(['people', name], of));
  return [...fields(['ticket'], layout.ticket), ...people, ...lists];
}

function without(layout: Layout, path: Path): Layout {
  const copy = structuredClone(layout);
  const last = path.at(-1) ?? '';
  const holder = path.slice(0, -1).reduce((at: Node, key) => at[key] as Node, copy as unknown as Node);
  if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete holder[last];
  return copy;
}

const folder = join(fixtures, 'layouts');
const namesOf = (name: string) => filesOf(join(folder, name));
const settingsIn = (name: string) =>
  settingsOf(JSON.parse(readFileSync(join(folder, name, 'settings.json'), 'utf8')));

async function imported(name: string, layouts: readonly Layout[] | undefined): Promise<Witnessed> {
  changed.layouts = layouts;
  return await witness(namesOf(name), settingsIn(name)).finally(() => {
    changed.layouts = undefined;
  });
}

const seen = ({ code, cells }: Witnessed) => [
  code,
  ...cells.map(({ verdict, places }) => `${verdict} ${places}`),
];

it(`of deleted rules that change what arrives, the witness notices ${LEAST}%`, async () => {
  const { shuffled } = seeded(SEED);
  const fixturesOf = new Set(readdirSync(folder));
  const all = builtinLayouts()
    .filter(({ name }) => fixturesOf.has(name))
    .flatMap((layout) => rulesOf(layout).map((path) => ({ layout, path })));
  const sample = shuffled(all).slice(0, RULES);
  const intact = new Map<string, Witnessed>();
  const missed: string[] = [];
  let differing = 0;
  for (const { layout, path } of sample) {
    const { name } = layout;
    const before = intact.get(name) ?? (await imported(name, undefined));
    intact.set(name, before);
    const others = builtinLayouts().filter((one) => one !== layout);
    const after = await imported(name, [...others, without(layout, path)]);
    if (after.code === before.code && `${after.arrived}` === `${before.arrived}`) continue;
    differing++;
    if (`${seen(after)}` === `${seen(before)}`) missed.push(`${name}: ${path.join('.')}`);
  }
  expect(differing).toBeGreaterThan(RULES / 3);
  expect(
    100 * (1 - missed.length / differing),
    `${differing} change what arrives\n${missed.join('\n')}`,
  ).toBeGreaterThanOrEqual(LEAST);
}, 900_000);
