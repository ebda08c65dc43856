import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { groupKey, type Problem } from '../../src/domain/problem.ts';
import type { SourceFrame } from '../../src/domain/source.ts';
import { type ImportResult, runImport } from '../../src/import/run-import.ts';
import { resolveSettings } from '../../src/settings/resolve-settings.ts';
import { systemClock } from '../../src/system-clock.ts';
import { fixtures, temporaryFolder } from '../support/cli.ts';

const signal = new AbortController().signal;

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

async function dryRun(
  files: readonly string[],
  frames = true,
  survey?: () => void,
  mapping?: object,
): Promise<ImportResult> {
  const { settings } = resolveSettings({
    flags: { dryRun: true, checkpoint: folder.join('c.sqlite') },
    env: {},
    files,
  });
  return await runImport({ ...settings, ...(mapping && { mapping }) }, undefined, {
    clock: systemClock,
    random: Math.random,
    emit: () => {},
    env: {},
    soft: signal,
    hard: signal,
    version: '0',
    frames,
    beforeClose: async () => survey?.(),
  });
}

function framed({ facts, frames }: ImportResult): { problem: Problem; frame: SourceFrame | undefined }[] {
  return facts.problemGroups.map(({ example }) => ({ problem: example, frame: frames?.[groupKey(example)] }));
}

describe('the lines that are shown with problems', () => {
  const sameQuotes = (result: ImportResult) => {
    let compared = 0;
    for (const { problem, frame } of framed(result)) {
      const quoted = /^(?:.* is )?"([^"\\]+)"/.exec(problem.message)?.[1];
      if (quoted !== undefined && problem.field !== undefined && problem.line !== 1) {
        expect(frame?.marked, `${problem.code} ${problem.field}`).toContain(quoted);
        compared++;
      }
      if (frame === undefined) continue;
      const line = readFileSync(frame.file, 'utf8').split('\n')[frame.line - 1] ?? '';
      const { before, marked, after, column = 0 } = frame;
      expect(line.slice(column - 1).startsWith(marked + after)).toBe(true);
      expect(line.slice(0, column - 1).endsWith(before)).toBe(true);
    }
    return compared;
  };

  it.each(['native/bad/csv', 'native/bad/jsonl'])(
    'of %s: what a sentence quotes stands in what is marked, and the frame is what the file says there',
    async (export_) => expect(sameQuotes(await dryRun([join(fixtures, export_)]))).toBeGreaterThan(10),
  );

  it('of a mapping that rewrites times, addresses and words: cells are quoted as they are in the file', async () => {
    const file = folder.join('tickets.csv');
    writeFileSync(
      file,
      [
        'Nr;Titel;Kunde;Erstellt;Ende;Stand;Text;Wer',
        '1;Lampe;Ann <Ann@mail.example;31.12.2024 9:15;1.1.1970 10:00 UTC;zu;Hallo;Kunde',
        '2;Tisch;ann@mail.example;1.2.2090 09:15 UTC;3. Februar 2024;Offen;Hallo;Wer?',
      ].join('\n'),
    );
    const time = (column: string) => ({ column, time: 'auto' });
    const mapping = {
      ...{ name: 'own', title: 'Own' },
      tables: { tickets: { role: 'root', key: 'Nr', recognise: { columns: ['Nr', 'Titel', 'Kunde'] } } },
      ticket: {
        ...{ subject: 'Titel', contact: { email: 'Kunde' } },
        ...{ createdAt: time('Erstellt'), resolvedAt: time('Ende') },
        status: { column: 'Stand', map: { Offen: 'open' }, unlisted: 'keep' },
      },
      messages: [
        {
          ...{ content: 'Text', occurredAt: time('Erstellt'), public: true },
          actorType: { column: 'Wer', map: { Kunde: 'customer' }, unlisted: 'keep' },
        },
      ],
    };
    expect(sameQuotes(await dryRun([file], true, undefined, mapping))).toBeGreaterThan(6);
  });

  it('are read only on demand', async () => {
    expect((await dryRun([join(fixtures, 'native/bad/csv')], false)).frames).toBeUndefined();
  });

  it('the line is shown as read, also after the file has changed', async () => {
    const file = folder.join('tickets.jsonl');
    writeFileSync(file, '{"id":1,"subject":"","createdAt":"2024-01-01T00:00:00Z"}\n');
    const result = await dryRun([file], true, () => writeFileSync(file, ''));
    expect(result.facts.exitCode).toBe(3);
    expect(framed(result)[0]).toMatchObject({ frame: { line: 1, marked: '""' } });
  });
});
