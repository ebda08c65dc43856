/** Large accounts on a clock of their own: everything is there, or the number that is missing is right; and what that costs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runExport } from '../../src/export/engine.ts';
import { builtinRecipe, fileOf, recipeNames } from '../../src/export/recipe.ts';
import { ExportState } from '../../src/export/state.ts';
import { account } from '../support/account.ts';
import { root, temporaryFolder } from '../support/cli.ts';

const COUNT = Number(process.env['ACCOUNT_TICKETS'] ?? 400);
/** Figures of the page are those of an account of this size. */
const TABLE = 400;

it.each(recipeNames())(
  `%s: all ${COUNT} tickets arrive, archived ones too, and deleted ones are counted`,
  async (name) => {
    using folder = temporaryFolder();
    const recipe = builtinRecipe(name);
    const { platform, archived, gone, spent } = account(recipe, COUNT);
    const files = recipe.resources.flatMap((one) => fileOf(one) ?? []);
    const { signal } = new AbortController();
    using state = new ExportState(folder.join('export'), name, files);
    const result = await runExport({
      ...{ recipe, state, platform, history: false, emit: () => {}, soft: signal, hard: signal },
      now: () => Date.UTC(2026, 0, 1),
    });
    const tickets = result.counts
      .filter(({ noun }) => noun === 'ticket')
      .reduce((sum, { count }) => sum + count, 0);
    const { missing, flawed, incomplete, left } = result;
    expect([missing, flawed, incomplete, left].flat()).toEqual([]);
    // conversations and tickets are two lists
    const kinds = name === 'intercom' ? 2 : 1;
    expect(tickets).toBe(kinds * (COUNT - gone));
    expect(result.gaps.reduce((sum, one) => sum + one.missing, 0)).toBe(gone);
    expect(archived + gone > 0).toBe(recipe.resources.some(({ page }) => page && 'numbers' in page));
    const each = (spent.requests / COUNT).toFixed(2);
    const hours = ((spent.seconds / COUNT) * (100_000 / 3600)).toFixed(1);
    const page = readFileSync(join(root, 'docs/export.md'), 'utf8');
    if (COUNT === TABLE) expect(page).toContain(`| \`${name}\` | ${each} | ${hours} |`);
  },
  600_000,
);
