/** Patterns and modules of the user that do not end: the run ends, and says whose turn it was. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BOUNDS } from '../../src/domain/limits.ts';
import { startCli } from '../support/cli.ts';

const EXPORT = `id,subject,email,created
1,Hello,ann@example.com,2024-01-01T00:00:00Z
2,${'a'.repeat(60)}c,ben@example.com,2024-01-01T00:00:00Z
`;

const mapping = (subject: string, more = '') =>
  `mapping:
  name: mine
  title: Mine
${more}  tables: { tickets: { role: root, key: id, recognise: { columns: [id, subject, email] } } }
  ticket:
    subject: ${subject}
    createdAt: { column: created, time: iso-like }
    contact: { email: email }
`.replace('iso-like', 'auto');

it.each<[what: string, settings: string, module: string, named: string]>([
  ['a pattern', mapping("{ column: subject, match: '^(a+)+b' }"), '', 'export.csv'],
  [
    'a transform',
    mapping('subject', '  transform: ./own.js\n'),
    'export const transform = (ticket) => { if (ticket.externalId === "2") for (;;); return ticket; };',
    'The ticket 2 (export.csv, line 3)',
  ],
  [
    'a module',
    mapping('subject', '  transform: ./own.js\n'),
    'for (;;); export const transform = (ticket) => ticket;',
    'The transform ./own.js',
  ],
])(
  '%s that does not end stops the run with a sentence that names the place',
  async (_, settings, module, named) => {
    const folder = mkdtempSync(join(tmpdir(), 'own-code-'));
    try {
      writeFileSync(join(folder, 'export.csv'), EXPORT);
      writeFileSync(join(folder, 'helpdesk-import.yaml'), settings);
      writeFileSync(join(folder, 'own.js'), module);
      const { code, stderr } = await startCli(['run', 'export.csv', '--dry-run'], { cwd: folder }).result;
      expect(stderr).toContain(named);
      expect(stderr).toContain(`takes more than ${BOUNDS.ownCode.most} seconds`);
      expect(code).toBe(2);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s while a transform does not end: exit %i, and the ticket is named',
  async (signal, expected) => {
    const folder = mkdtempSync(join(tmpdir(), 'own-code-'));
    try {
      writeFileSync(join(folder, 'export.csv'), EXPORT);
      writeFileSync(join(folder, 'helpdesk-import.yaml'), mapping('subject', '  transform: ./own.js\n'));
      writeFileSync(
        join(folder, 'own.js'),
        'export const transform = (ticket) => { if (ticket.externalId === "2") { process._rawDebug("begun"); for (;;); } return ticket; };',
      );
      const cli = startCli(['run', 'export.csv', '--dry-run'], { cwd: folder });
      await cli.shown('begun');
      cli.kill(signal);
      const { code, stderr } = await cli.result;
      expect(stderr).toContain('The ticket 2 (export.csv, line 3)');
      expect(code).toBe(expected);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
