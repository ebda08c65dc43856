import { resolve } from 'node:path';
import type { CommandSpec } from '../cli/command.ts';
import { type CliContext, type Flags, listenForStop, portsOf, type StoppedWork } from '../cli/context.ts';
import { answer, styleOf } from '../cli/screen.ts';
import { AppError } from '../domain/errors.ts';
import { readSmallFile, whyUnread } from '../domain/files.ts';
import { BOUNDS } from '../domain/limits.ts';
import { capitalized, countOf, formatCount, printable } from '../domain/printable.ts';
import { type ExportResult, runExport } from '../export/engine.ts';
import { connectPlatform } from '../export/platform.ts';
import { builtinRecipe, fileOf, parseRecipe, type Recipe, recipeNames, without } from '../export/recipe.ts';
import { ExportState } from '../export/state.ts';
import { option } from '../settings/option-spec.ts';
import { parseRate } from '../settings/parsers.ts';
import { type Block, blocks, heading, list, paragraph } from '../view/blocks.ts';
import type { CommandLines } from '../view/command-line.ts';
import { stepBlocks } from '../view/next-steps.ts';
import { createScreen } from '../view/terminal/screen.ts';
import { wrap } from '../view/terminal/style.ts';

export const command: CommandSpec = {
  arguments: [
    ['<platform>', `the old helpdesk: ${recipeNames().join(', ')}`],
    ['[folder]', 'where the files go (default: export)'],
  ],
  options: [
    option('What to read', '--history', 'fetch the history of each ticket too, if the platform has one'),
    option('What to read', '--without <lists>', 'leave out lists, as side_conversations, audits'),
    option('What to read', '--recipe <file>', 'a recipe of your own (docs/export.md)'),
    option('How to send it', '--rate <requests/seconds>', 'most requests in a time', {
      byDefault: 'what the platform allows',
    }),
  ],
  without: ['--config'],
  examples: [
    ['export zendesk export/', 'fetch everything; run it again later for what changed'],
    ['run export/ --sandbox --serve', 'then look at it on your computer'],
  ],
  help: () => `It only reads. It signs in with variables: <PLATFORM>_URL, <PLATFORM>_TOKEN and, where needed, <PLATFORM>_EMAIL;
  <PLATFORM>_TOKEN_FILE names a file with the token. A missing one is named. Stopped at any time, the same command continues.

Exit codes: 0 done · 2 wrong usage or configuration · 3 done, but some rows could not be read or are missing ·
  5 token refused · 6 stopped early, run again · 130, 143 interrupted, run again`,
  run: exportCommand,
};

const AGAIN = 'Run the same command again: it continues where it stopped.';
const FETCHING: StoppedWork = {
  first: 'Stopping: writing answers under way.',
  second: 'Stopping at once.',
  soft: ['fetched files are in the folder', AGAIN],
  hard: ['fetched files are in the folder', AGAIN],
};

async function exportCommand(
  [name = '', typed = 'export']: readonly string[],
  flags: Flags,
  context: CliContext,
) {
  const whole = recipeOf(name, flags['recipe'], context.cwd);
  const names = String(flags['without'] ?? '').split(/[\s,]+/);
  const recipe = without(whole, names.filter(Boolean));
  const rate = typeof flags['rate'] === 'string' ? parseRate(flags['rate']) : undefined;
  if (rate !== undefined && 'problem' in rate) throw new AppError('usage', `--rate ${rate.problem}.`);
  const { stderr: stream, env, clock } = context;
  const style = styleOf(stream, context);
  const screen = await createScreen({
    ...{ stream, style, clock, env },
    ...{ budgets: [], quiet: false, verbose: false },
  });
  using stop = listenForStop(context, (message) => screen.print(wrap(message, style)), FETCHING);
  const { soft, hard } = stop;
  const ports = { ...portsOf(context, stop), emit: screen.emit };
  try {
    const platform = await connectPlatform(recipe, { ...ports, stopping: soft, rate: rate?.value });
    try {
      const files = new Set(recipe.resources.flatMap((one) => fileOf(one) ?? []));
      using state = new ExportState(resolve(context.cwd, typed), `${recipe.name} ${platform.address}`, [
        ...files,
      ]);
      const slow = recipe.resources.filter(({ costly }) => costly);
      const minutes = Math.ceil(10_000 / platform.speed() / 60);
      screen.print([
        `Reading from ${platform.address}`,
        ...slow.map(
          ({ name: list }) =>
            `${words(list)} take a request for each ticket, ${minutes} minutes for 10,000. Leave them out with --without ${list}`,
        ),
      ]);
      screen.emit({ type: 'stage', stage: 'exporting' });
      const result = await runExport({
        ...{ recipe, state, platform, soft, hard, emit: screen.emit, now: clock.now },
        history: flags['history'] === true,
      });
      screen.close();
      const exitCode = isWhole(result) ? 0 : 3;
      const about = { version: 1, platform: recipe.name, folder: typed, requests: platform.sent() };
      answer(
        context,
        flags,
        { ...about, ...result, exitCode },
        resultBlocks(recipe, result, typed, context.commands),
      );
      return exitCode;
    } finally {
      await platform.close();
    }
  } finally {
    screen.close();
  }
}

function recipeOf(name: string, file: Flags[string], cwd: string): Recipe {
  if (typeof file !== 'string') return builtinRecipe(name);
  let text: string;
  try {
    text = readSmallFile(resolve(cwd, file), BOUNDS.settings.most);
  } catch (cause) {
    throw new AppError('configuration', `The recipe ${printable(file)} ${whyUnread(cause)}.`, { cause });
  }
  return parseRecipe(text, file);
}

const MOST_SHOWN = 10;

function resultBlocks(
  { title }: Recipe,
  result: ExportResult,
  folder: string,
  commands: CommandLines,
): Block[] {
  const { counts, missing, flawed, incomplete, gaps, left, isUpdate } = result;
  const all = counts.map(({ noun, count }) => countOf(count, noun)).join(', ');
  const of = (parent: string, what: string) => `${parent === '' ? '' : `ticket ${parent}, `}${words(what)}`;
  const lines = [
    ...gaps
      .filter(({ asked }) => !asked)
      .map(
        ({ noun, highest, missing: many }) =>
          `${capitalized(noun)} numbers go to ${formatCount(highest)}; ${formatCount(many)} are not in the export`,
      ),
    ...incomplete.map(
      ({ what, parent, count, found }) =>
        `${of(parent, what)}: ${title} counts ${formatCount(count)}, ${formatCount(found)} were fetched`,
    ),
    ...missing.map(({ resource, parent, why }) => `${of(parent, resource)}: could not be read (${why})`),
    ...flawed.map(({ resource, id, why }) => `${words(resource)} ${id}: ${why}`),
  ];
  const [text, more] = isUpdate
    ? ['Import what changed:', ['--delta']]
    : ['Look at it on your computer:', ['--sandbox', '--serve']];
  return blocks(
    heading(`${all || 'Nothing'} in ${folder}.`, { level: 1, tone: isWhole(result) ? 'good' : 'warn' }),
    isUpdate && paragraph('Changes since the last export were fetched.'),
    lines.length > 0 && list('bullets', lines.slice(0, MOST_SHOWN), { more: lines.length - MOST_SHOWN }),
    gaps.map(
      ({ asked, noun, highest, missing: many }) =>
        asked &&
        paragraph(
          `${capitalized(noun)} numbers go to ${formatCount(highest)}. ${title} has ${formatCount(many)} of them no longer: each was asked for.`,
        ),
    ),
    left.map(({ resource, why }) => paragraph(`${words(resource)} were left out: ${why}`)),
    stepBlocks([{ text, command: commands.about('run', { files: [folder], more }) }]),
  );
}

function isWhole({ missing, flawed, incomplete, gaps }: ExportResult): boolean {
  return missing.length + flawed.length + incomplete.length === 0 && gaps.every(({ asked }) => asked);
}

function words(resource: string): string {
  return resource.replaceAll('_', ' ');
}
