/**
 * Small exports with a mistake in the mapping, one for each class of mistakes, and what is said of them. An error stops the run with 2
 * before anything is sent; `ordinary` is the same export mapped as it should be.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../src/commands/run/run.ts';
import { FINDINGS } from '../../src/findings/finding.ts';
import { inProcess } from '../cli/in-process.ts';
import { fixtures, temporaryFolder } from '../support/cli.ts';

const FOLDER = join(fixtures, 'findings');

/** The finding that the folder is about is its name; others that it gives as well stand behind it. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'agent-writes-first': [
    'agent-writes-first',
    'agents-like-requesters',
    'not-the-requester',
    'requester-is-agent',
  ],
  'agents-like-requesters': ['agents-like-requesters', 'requester-is-agent'],
  conversations: ['conversations'],
  'customer-notes': ['customer-notes'],
  'few-requesters': ['few-requesters', 'not-the-requester'],
  'few-tickets': ['few-tickets', 'repeated-text'],
  'guessed-columns': ['guessed-columns'],
  'joined-tags': ['joined-tags'],
  'kept-internal': ['customer-notes', 'repeated-text'],
  'line-breaks': ['line-breaks'],
  'many-customers': ['many-customers'],
  'no-conversation': ['no-conversation'],
  'no-id': ['no-id'],
  'no-requester': ['no-requester'],
  'not-the-requester': ['not-the-requester'],
  'note-published': ['note-published', 'repeated-text'],
  'nothing-said': ['nothing-said'],
  'odd-key': ['odd-key'],
  'odd-times-before': ['odd-times'],
  'odd-times-closed': ['odd-times'],
  'odd-times-future': ['odd-times'],
  'odd-times-midnight': ['odd-times', 'same-times'],
  'odd-times-one-minute': ['odd-times'],
  'one-author-type': ['one-author-type'],
  ordinary: [],
  'repeated-text': ['repeated-text'],
  'repeated-text-everywhere': ['repeated-text'],
  'repeated-text-transcript': ['repeated-text'],
  'requester-is-agent': ['few-requesters', 'not-the-requester', 'requester-is-agent'],
  'row-versions': ['one-author-type', 'repeated-text', 'row-versions'],
  'same-times': ['same-times'],
  'several-speakers': ['several-speakers'],
  'shared-rows': ['shared-rows'],
  'status-not-latest': ['status-not-latest'],
  'unjoined-rows': ['unjoined-rows'],
  'unread-field': ['unread-field'],
  'unread-records': ['unread-records'],
  'unread-text': ['unread-text'],
  'unread-text-of-a-file': ['unread-text'],
  'unread-text-of-few': ['unread-text'],
  'unread-visibility': ['unread-visibility'],
  'unsure-columns': [
    'unsure-assignee',
    'unsure-attachments',
    'unsure-author',
    'unsure-priority',
    'unsure-requester',
    'unsure-status',
    'unsure-subject',
    'unsure-tables',
    'unsure-tags',
    'unsure-text',
    'unsure-tickets',
    'unsure-times',
    'unsure-visibility',
  ],
};

interface Told {
  readonly exitCode: number;
  readonly problems: readonly { severity: string; code: string; field?: string; message: string }[];
}

async function dryRun(folder: string): Promise<Told> {
  using own = temporaryFolder();
  const flags = { config: join(FOLDER, folder, 'helpdesk-import.yaml'), dryRun: true, json: true };
  const { stdout } = await inProcess(runCommand, [], flags, { cwd: own.path });
  return JSON.parse(stdout) as Told;
}

const isFinding = (code: string): code is keyof typeof FINDINGS => Object.hasOwn(FINDINGS, code);

describe('a mistake of each class gives its finding', () => {
  it('every folder is one of the table, and every finding has a folder', () => {
    expect(readdirSync(FOLDER).sort()).toEqual(Object.keys(EXPECTED).sort());
    expect(new Set(Object.values(EXPECTED).flat())).toEqual(new Set(Object.keys(FINDINGS)));
  });

  it.each(Object.entries(EXPECTED))('%s: %j', async (folder, codes) => {
    const { exitCode, problems } = await dryRun(folder);
    const found = problems.filter(({ code }) => isFinding(code));
    expect([...new Set(found.map(({ code }) => code))].sort()).toEqual(codes);
    for (const { severity, code, field, message } of found) {
      expect(severity).toBe(isFinding(code) && FINDINGS[code].grave ? 'error' : 'warning');
      expect(field).toMatch(/^mapping\b/);
      expect(message).toMatch(/See mapping\b.* in the settings\.$/);
    }
    expect(exitCode).toBe(found.some(({ severity }) => severity === 'error') ? 2 : 0);
  });
});
