/** Files that are brought along (`--files`), from a server of the old helpdesk to the messages of the new one. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openFolder, type Ran, says, ticket } from '../support/desk.ts';
import { FileSource, picture } from '../support/file-source.ts';

it('each file is fetched once, kept readable for a web server and linked; a missing one keeps its address and is named', async () => {
  await using source = await FileSource.start();
  const { folder, write, run, type } = openFolder();
  const logo = source.file('/a/logo.gif', picture(1), 'image/gif');
  const copy = source.file('/b/copy.gif', picture(1), 'image/gif');
  const offer = source.file('/d/1', Buffer.from('%PDF-1.7 x'), 'application/octet-stream', {
    'content-disposition': 'attachment; filename="offer.pdf"',
  });
  const gone = `${source.origin}/gone.png`;
  const message = (day: number, content: string, ...urls: string[]) => ({
    ...says(content, day),
    contentType: 'html',
    attachments: urls.map((url) => ({ url })),
  });
  const messages = [message(1, `<img src="${logo}">`, offer, gone), message(2, 'Again.', copy, logo)];
  write('export.jsonl', [ticket('1', { messages })]);
  write('set.yaml', 'files: { hosts: [127.0.0.1], missing: keep }\n');
  const line = 'run export.jsonl -c set.yaml --sandbox --files kept';
  const { code, stderr, ...summary } = (await run(...line.split(' '))) as Ran & { attachments: object };
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

  const verified = await type('verify', 'export.jsonl', '--sandbox', '--all');
  expect(verified.code, verified.stdout).toBe(0);
  const checkpoint = ['--checkpoint', 'helpdesk-import.sandbox/checkpoint.sqlite'];
  const asked = ['inspect', 'export.jsonl', ...checkpoint, '--ticket', '1', '--json'];
  const explained = JSON.parse((await type(...asked)).stdout);
  const offered = (field: string, value: unknown) => ({
    field: `messages[0].attachments[0].${field}`,
    value,
  });
  for (const one of [offered('name', 'offer.pdf'), offered('sizeBytes', 10)])
    expect(explained).toContainEqual(expect.objectContaining({ ...one, rule: 'files' }));
});
