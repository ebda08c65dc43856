/** Files that were fetched by a command of their own: the links are rewritten all the same. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cli, startCli } from '../support/cli.ts';
import { FileSource, picture } from '../support/file-source.ts';
import { type Service, withServiceOfProcesses } from './service-run.ts';

const root = mkdtempSync(join(tmpdir(), 'files-afterwards-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function folder(name: string, urls: readonly string[], publicUrl = 'https://files.example.com'): string {
  const cwd = join(root, name);
  mkdirSync(cwd);
  writeFileSync(
    join(cwd, 'helpdesk-import.yaml'),
    `run:\n  timeout: 5\nfiles:\n  hosts: [127.0.0.1, localhost]\n  publicUrl: ${publicUrl}\n`,
  );
  const contact = { email: 'ann@example.com' };
  const at = '2024-05-06T07:08:09Z';
  const lines = urls.map((url, index) => {
    const content = `<p>See <img src="${url}"> for you.</p>`;
    const message = { actorType: 'customer', contact, occurredAt: at, contentType: 'html', content };
    return JSON.stringify({
      id: String(index),
      subject: `Ticket ${index}`,
      contact,
      createdAt: at,
      messages: [message, { ...message, content: 'And this.', attachments: [{ url }] }],
    });
  });
  writeFileSync(join(cwd, 'export.jsonl'), lines.join('\n'));
  return cwd;
}

function expectRewritten(service: Service, old: string, files: number): void {
  const rows = service.store.database.prepare('SELECT content, attachments FROM messages').all();
  const text = JSON.stringify(rows);
  expect(rows).toHaveLength(files * 2);
  expect(text).not.toContain(old);
  expect(text.match(/https:\/\/files\.example\.com\//g)).toHaveLength(files * 2);
}

const TO = ['--files', 'kept'];
const FILES = 12;

describe('links are rewritten', () => {
  it('of files that were fetched by themselves, even if their host is gone by then', async () => {
    const source = await FileSource.start();
    const { origin } = source;
    const urls = Array.from({ length: FILES }, (_, at) =>
      source.file(`/${at}.gif`, picture(at), 'image/gif'),
    );
    const cwd = folder('fetched', urls);
    await withServiceOfProcesses({ dir: join(cwd, 'service'), strict: false }, async (service) => {
      let asked = 0;
      const killed = startCli(['run', 'export.jsonl', '--files-only', ...TO], { cwd, env: service.env });
      source.onAsked = () => {
        asked += 1;
        if (asked === FILES / 2) killed.kill('SIGKILL');
      };
      expect((await killed.result).code).toBe('SIGKILL');
      const fetched = await cli(['run', 'export.jsonl', '--files-only', ...TO, '--json'], {
        cwd,
        env: service.env,
      });
      expect(JSON.parse(fetched.stdout)).toMatchObject({ wanted: FILES, missing: 0 });
      await source[Symbol.asyncDispose]();
      const run = await cli(['run', 'export.jsonl'], { cwd, env: service.env });
      expect(run.code, run.stdout + run.stderr).toBe(0);
      expectRewritten(service, origin, FILES);
    });
  });
});
