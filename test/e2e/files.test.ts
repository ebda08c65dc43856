/** Files that are brought along (`--files`), from a server of the old helpdesk to the messages of the new one. */
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { FileSource, picture } from '../support/file-source.ts';

it('each file is fetched once, kept readable for a web server and linked; a missing one keeps its address and is named', async () => {
  await using source = await FileSource.start();
  using folder = temporaryFolder();
  const logo = source.file('/a/logo.gif', picture(1), 'image/gif');
  const copy = source.file('/b/copy.gif', picture(1), 'image/gif');
  const offer = source.file('/d/1', Buffer.from('%PDF-1.7 x'), 'application/octet-stream', {
    'content-disposition': 'attachment; filename="offer.pdf"',
  });
  const gone = `${source.origin}/gone.png`;
  const contact = { email: 'ann@example.com' };
  const message = (occurredAt: string, content: string, ...urls: string[]) => ({
    ...{ actorType: 'customer', contact, contentType: 'html', content, occurredAt },
    attachments: urls.map((url) => ({ url })),
  });
  const [first, second] = ['2024-01-01T00:00:00Z', '2024-01-02T00:00:00Z'];
  const messages = [
    message(first, `<img src="${logo}">`, offer, gone),
    message(second, 'Again.', copy, logo),
  ];
  const ticket = { id: '1', subject: 'Offer', createdAt: first, contact, messages };
  writeFileSync(folder.join('export.jsonl'), JSON.stringify(ticket));
  writeFileSync(folder.join('set.yaml'), 'files: { hosts: [127.0.0.1], missing: keep }\n');
  const args = ['run', 'export.jsonl', '-c', 'set.yaml', '--sandbox', '--files', 'kept', '--yes', '--json'];
  const { code, stdout, stderr } = await commandLine(args, { cwd: folder.path });
  const summary = JSON.parse(stdout);
  expect([code, summary.attachments], stderr).toMatchObject([0, { stored: 3, missing: 1 }]);
  expect(JSON.stringify(summary.problems)).toContain('/gone.png');
  for (const path of ['/a/logo.gif', '/b/copy.gif', '/d/1']) expect(source.timesAsked(path), path).toBe(1);

  const service = new Database(folder.join('helpdesk-import.sandbox/service.sqlite'), { readonly: true });
  const sent = service.prepare('SELECT content, attachments FROM messages ORDER BY position').all() as {
    content: string;
    attachments: string;
  }[];
  service.close();
  const urls = sent.map(({ attachments }) =>
    (JSON.parse(attachments) as { url: string }[]).map(({ url }) => url),
  );
  const [[keptOffer = '', stillGone] = [], [keptCopy = '', keptLogo] = []] = urls;
  expect(keptOffer).toMatch(/\/kept-files\/.*\.pdf$/);
  expect(sent[0]?.content).toBe(`<img src="${keptLogo}">`);
  expect([stillGone, keptCopy]).toEqual([gone, keptLogo]);

  const kept = readdirSync(folder.join('kept'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  expect(kept).toHaveLength(2);
  for (const path of kept) expect(statSync(path).mode & 0o777, path).toBe(0o644);

  const verified = await commandLine(['verify', 'export.jsonl', '--sandbox', '--all'], { cwd: folder.path });
  expect(verified.code, verified.stdout).toBe(0);
  const checkpoint = ['--checkpoint', 'helpdesk-import.sandbox/checkpoint.sqlite'];
  const asked = ['inspect', 'export.jsonl', ...checkpoint, '--ticket', '1', '--json'];
  const explained = JSON.parse((await commandLine(asked, { cwd: folder.path })).stdout);
  const offered = (field: string, value: unknown) => ({
    field: `messages[0].attachments[0].${field}`,
    value,
  });
  for (const one of [offered('name', 'offer.pdf'), offered('sizeBytes', 10)])
    expect(explained).toContainEqual(expect.objectContaining({ ...one, rule: 'files' }));
});
