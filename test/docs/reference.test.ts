/** The reference and the README against the code and against what was agreed. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/domain/errors.ts';
import { fixtures, temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { tickets } from '../support/tickets.ts';
import { pageOf, root } from './markdown.ts';
import { EXIT_CODES, VARIABLES } from './reference-tables.ts';

describe('exit codes', () => {
  it('are all codes of the program: errors, and the outcomes 0, 3 and 4', () => {
    const ends = new Set<number>([0, 3, 4, ...Object.values(ERROR_CODES)]);
    expect(new Set(EXIT_CODES.flatMap(([codes]) => codes))).toEqual(ends);
  });
});

describe('variables', () => {
  const ours = VARIABLES.flatMap(([names]) => names);

  it('are all that the program reads, and no others', () => {
    const program = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(root, 'src', name), 'utf8'))
      .join('\n');
    // The program names one that went, with its successor.
    const named = [...program.matchAll(/\bHELPDESK(?:_[A-Z]+)+\b/g)].flatMap(([name]) =>
      name === 'HELPDESK_REFRESH_TOKEN' ? [] : name,
    );
    expect([...new Set(named)].toSorted()).toEqual(
      ours.filter((name) => name.startsWith('HELPDESK_')).toSorted(),
    );
  });
});

describe('the JSON summary', () => {
  /** `problems[].message` for every key of the object, lists by their elements. */
  function paths(value: unknown, at = ''): string[] {
    if (Array.isArray(value)) return value.flatMap((item) => paths(item, `${at}[]`));
    if (typeof value !== 'object' || value === null || at.endsWith('.example') || at.endsWith('.checks[]'))
      return [at];
    return Object.entries(value).flatMap(([key, inner]) => paths(inner, at === '' ? key : `${at}.${key}`));
  }

  it('has every field of a trial and of a dry run in docs/reference.md, and no others', async () => {
    using folder = temporaryFolder();
    const file = folder.join('tickets.jsonl');
    writeFileSync(file, tickets(5));
    const summaryOf = async (...args: string[]): Promise<Record<string, unknown>> => {
      const { stdout } = await commandLine(['run', ...args, '--json', '--quiet'], { cwd: folder.path });
      const { next, ...summary } = JSON.parse(stdout);
      return summary;
    };
    const trial = await summaryOf(file, '--trial', '--sandbox', '--report', folder.join('report.html'));
    const bad = await summaryOf(
      join(fixtures, 'native/bad/csv'),
      '--dry-run',
      '--set',
      `run.rejects=${folder.join('rejects')}`,
    );
    const reported = new Set([...paths(trial), ...paths(bad)]);
    // A list that may be empty is checked by its own name, others by those of their elements.
    for (const path of [...reported]) reported.add(/^(\w+)\[\]/.exec(path)?.[1] ?? path);
    reported.delete('trial');
    const section = pageOf('docs/reference.md').text.split('## The JSON summary')[1]?.split('\n## ')[0] ?? '';
    const documented = [...section.matchAll(/^\| ((?:`[^`]+`(?:, )?)+) \|/gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    );
    const plain = (path: string) => path.replace(/(\.why|\.checks|kept\.columns)\[\]$/, '$1');
    // Only the command line has `next`, and only a run `openFirst`.
    const openFirst = ['openFirst.tickets', 'openFirst.done', 'openFirst.afterMs'];
    // Where filters leave something out.
    const skipped = ['skipped', 'export.channels[].channelId'];
    // Of this layout, nothing is in them.
    const columns = ['table', 'column', 'file', 'filled'].map((name) => `details.columns[].${name}`);
    const empty = [
      'people.agents',
      'attachments.hosts',
      'kept.columns',
      'lost[].remedy',
      'details',
      ...columns,
    ];
    // Of a dry run with files.
    const optional = [
      'files',
      'updates',
      ...openFirst,
      ...skipped,
      ...empty,
      'planFile.path',
      'planFile.digest',
      'problems[].column',
      'stopped.message',
      'stopped.hint',
      'next[].text',
      'next[].command',
      'error',
    ];
    expect([...new Set([...reported].map(plain))].filter((path) => !documented.includes(path))).toEqual([]);
    expect(
      documented.filter((path) => ![...reported].map(plain).includes(path) && !optional.includes(path)),
    ).toEqual([]);
  });
});

it('no table or text falls apart into single letters', () => {
  const lines = pageOf('docs/reference.md').text.split('\n');
  expect(lines.filter((line) => /^\S$/.test(line.trim()))).toEqual([]);
});
