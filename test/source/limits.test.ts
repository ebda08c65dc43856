/** Each limit of reading, reached with the figure of the table: what is said then. Those of answers are tested with the target. */
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAgents } from '../../src/commands/sandbox/sandbox-agents.ts';
import { readSmallFile } from '../../src/disk/small-file.ts';
import { BOUNDS } from '../../src/domain/limits.ts';
import { printable } from '../../src/domain/printable.ts';
import { readMapping } from '../../src/mapping/language/read-layout.ts';
import { builtinLayout } from '../../src/mapping/platforms/builtin-layouts.ts';
import { readYaml } from '../../src/settings/yaml-text.ts';
import { DEFAULT_TUNING } from '../../src/source/files/byte-source.ts';
import { errorBody } from '../../src/target/core-api/error-body.ts';
import { all, failure, openOne, signal, tempFolder } from './temp-export.ts';

/** Sparse: it takes no room. */
function fileOf(bytes: number): string {
  const path = join(tempFolder({ big: '' }), 'big');
  truncateSync(path, bytes);
  return path;
}

const nested = (levels: number) => `{"id":1,"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
const depthError = async (levels: number) =>
  String((await all(await openOne('x.jsonl', `${nested(levels)}\n{"id":2}\n`)))[0]?.error ?? '');
const patternIssues = (length: number) => {
  const subject = { column: 'subject', match: 'a'.repeat(length) };
  const read = readMapping({ extends: 'native', ticket: { subject } }, builtinLayout);
  return 'issues' in read ? read.issues.map(({ message }) => message).join() : '';
};
const smallFile = (most: number) => {
  expect(() => readSmallFile(fileOf(most + 1), most)).toThrow(/is too large/);
};

const REACHED: readonly (readonly [keyof typeof BOUNDS, () => unknown])[] = [
  ['settings', () => smallFile(BOUNDS.settings.most)],
  [
    'settings',
    () =>
      expect(readYaml(' '.repeat(BOUNDS.settings.most + 1), 's.yaml').complaints[0]?.message).toMatch(
        /far too long for a settings file/,
      ),
  ],
  ['token', () => smallFile(BOUNDS.token.most)],
  ['billing', () => smallFile(BOUNDS.billing.most)],
  [
    'team',
    async () =>
      expect((await failure(readAgents(fileOf(BOUNDS.team.most + 1), signal))).message).toMatch(
        /^The file of team members .* is too large\.$/,
      ),
  ],
  [
    'depth',
    async () => {
      expect(await depthError(BOUNDS.depth.most)).toBe('');
      expect(await depthError(BOUNDS.depth.most + 2)).toMatch(/1,?000/);
    },
  ],
  [
    'pattern',
    () => {
      expect(patternIssues(BOUNDS.pattern.most)).toBe('');
      expect(patternIssues(BOUNDS.pattern.most + 1)).toContain('10000 are the most');
    },
  ],
  ['shown', () => expect(printable('x'.repeat(BOUNDS.shown.most + 7))).toMatch(/x… \(7 more characters\)$/)],
  [
    'said',
    () => {
      const body = Buffer.from(JSON.stringify({ message: 'm'.repeat(5000) }));
      const answer = { kind: 'answer', status: 400, headers: {}, body } as unknown as Parameters<
        typeof errorBody
      >[0];
      expect(errorBody(answer, []).detail?.length).toBeLessThanOrEqual(BOUNDS.said.most + 1);
    },
  ],
];

describe('a limit', () => {
  it.each(REACHED)('%s', async (_name, reach) => {
    await reach();
  });

  it('of reading is the one of the table', () => {
    expect(DEFAULT_TUNING).toMatchObject({
      maxCsvRecordBytes: BOUNDS.csvRecord.most,
      maxJsonRecordBytes: BOUNDS.jsonRecord.most,
      maxRatio: BOUNDS.ratio.most,
      maxUnpackedBytes: BOUNDS.unpacked.most,
      maxPipedBytes: BOUNDS.piped.most,
      pipeSeconds: BOUNDS.pipe.most,
    });
  });
});
