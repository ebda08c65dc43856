/** An import with 60 pictures of six kinds and some broken ones, looked at in Chromium: each ticket, and the report. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { publicId } from '../../src/sandbox/store/kept-values.ts';
import { systemClock } from '../../src/system-clock.ts';
import { describeInBrowser } from '../support/browser.ts';
import { cli, temporaryFolder } from '../support/cli.ts';
import { FileSource } from '../support/file-source.ts';

const TICKETS = 6;
const PICTURES = 60;

describeInBrowser('pictures that were brought along', (browser) => {
  it.each(['kept', 'target'] as const)(
    'are shown from %s, without a request to the old hosts',
    async (place) => {
      using folder = temporaryFolder();
      await using source = await FileSource.start();
      const { page, witnessed } = await browser.page();
      const made = await pictures(page as unknown as Canvas);
      const urls = Array.from({ length: PICTURES }, (_, number) => {
        const [extension = '', type = '', draw] = made[number % made.length] ?? [];
        return source.file(`/p/${number}.${extension}`, draw?.(number) ?? Buffer.alloc(0), type);
      });
      const broken = [
        source.file(
          '/broken/page.png',
          Buffer.from('<html>Sign in <input type=password></html>'),
          'text/html',
        ),
        source.file('/broken/nothing.gif', Buffer.alloc(0), 'image/gif'),
        source.answers('/broken/gone.jpg', 404),
      ];
      writeExport(folder.path, urls, broken);
      const { code, stdout } = await cli(
        ['run', 'export.jsonl', '--sandbox', '--files', place, '--report', 'report.html'],
        { cwd: folder.path },
      );
      expect(code, stdout).toBe(0);
      const askedByImport = source.asked.length;

      const dir = folder.join('helpdesk-import.sandbox');
      const sandbox = await startSandbox({ clock: systemClock, dir });
      try {
        witnessed.requests.length = 0;
        let all = 0;
        const unshown: string[] = [];
        await page.goto(sandbox.page);
        for (const id of ticketsOf(sandbox)) {
          await page.goto(`${sandbox.url}/tickets/${id}`);
          for (const frame of page.frames().slice(1)) {
            await frame.waitForLoadState('load');
            const broken = (await frame.evaluate(
              'Promise.all([...document.images].map(async (one) => { await one.decode().catch(() => {}); return one.naturalWidth > 0 ? "" : one.src; }))',
            )) as string[];
            all += broken.length;
            unshown.push(...broken.filter((src) => src !== ''));
          }
        }
        expect(all).toBe(PICTURES);
        // A drawing may hold a script: in a folder it is no picture.
        expect(unshown).toHaveLength(place === 'kept' ? PICTURES / 3 : 0);
        expect(unshown.every((src) => src.startsWith(sandbox.url) && src.endsWith('.bin'))).toBe(true);
        expect(witnessed.requests.filter((url) => !url.startsWith(sandbox.url))).toEqual([]);

        witnessed.requests.length = 0;
        await page.goto(`file://${folder.join('report.html')}`);
        const images = (await page.evaluate(
          'Promise.all([...document.images].map(async (one) => { await one.decode().catch(() => {}); return one.naturalWidth; }))',
        )) as number[];
        expect(images.filter((width) => width === 0)).toEqual([]);
        expect(witnessed.requests.filter((url) => !url.startsWith('file:'))).toEqual([]);
        expect(source.asked.length).toBe(askedByImport);
      } finally {
        await sandbox.close();
      }
    },
    240_000,
  );
});

function ticketsOf({ store }: Sandbox): string[] {
  const rows = store.database.prepare('SELECT seq FROM tickets ORDER BY seq').pluck().all() as number[];
  return rows.map((seq) => publicId('ticket', seq));
}

/** Ten in each ticket: as html, as Markdown, by `srcset`, by content id; and what is broken in the last one. */
function writeExport(cwd: string, urls: readonly string[], broken: readonly string[]): void {
  const each = PICTURES / TICKETS;
  const contact = { email: 'ann@example.com' };
  const lines = Array.from({ length: TICKETS }, (_, ticket) => {
    const own = urls.slice(ticket * each, (ticket + 1) * each);
    const last = ticket === TICKETS - 1 ? broken : [];
    const common = { actorType: 'customer', contact };
    const [first = '', ...others] = own;
    return JSON.stringify({
      id: `T-${ticket}`,
      subject: `Pictures ${ticket}`,
      createdAt: '2024-01-01T00:00:00Z',
      contact,
      messages: [
        {
          ...common,
          occurredAt: '2024-01-01T00:00:00Z',
          contentType: 'html',
          content: `${others
            .slice(0, 4)
            .concat(last)
            .map((url) => `<p>See <img src="${url}" alt="a picture"></p>`)
            .join('')}<img src="cid:first@mail">`,
          attachments: [{ url: first, name: 'first' }],
        },
        {
          ...common,
          occurredAt: '2024-01-01T00:00:01Z',
          contentType: 'markdown',
          content: others
            .slice(4)
            .map((url) => `![a picture](${url})`)
            .join('\n\n'),
        },
      ],
    });
  });
  writeFileSync(join(cwd, 'export.jsonl'), lines.join('\n'));
  writeFileSync(join(cwd, 'helpdesk-import.yaml'), 'files:\n  hosts: [127.0.0.1, localhost]\n');
}

type Draw = (number: number) => Buffer;
interface Canvas {
  evaluate(script: string): Promise<unknown>;
}

/** One way to draw for each kind; a browser draws those it can encode, and bytes after their end make them differ. */
async function pictures(page: Canvas): Promise<readonly (readonly [string, string, Draw])[]> {
  const drawn = async (type: string) => {
    const data = (await page.evaluate(
      `(() => { const c = document.createElement('canvas'); c.width = c.height = 8; c.getContext('2d').fillRect(0, 0, 4, 8); return c.toDataURL('${type}'); })()`,
    )) as string;
    return Buffer.from(data.split(',')[1] ?? '', 'base64');
  };
  const [jpeg, webp] = [await drawn('image/jpeg'), await drawn('image/webp')];
  const behind = (bytes: Buffer, number: number) => Buffer.concat([bytes, Buffer.from(`#${number}`)]);
  const svg = (number: number) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="${number % 9}" height="9"/><!-- ${number} --></svg>`;
  return [
    ['png', 'image/png', (number) => png(number)],
    ['jpg', 'image/jpeg', (number) => behind(jpeg, number)],
    ['webp', 'image/webp', (number) => behind(webp, number)],
    ['svg', 'image/svg+xml', (number) => Buffer.from(svg(number))],
    // What calls itself something else than it is.
    ['jpg', 'application/octet-stream', (number) => png(number + 10_000)],
    ['', 'text/plain', (number) => Buffer.from(`<?xml version="1.0"?>\n${svg(number)}`)],
  ];
}

function png(number: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(1, 0);
  head.writeUInt32BE(1, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const dot = Buffer.from([0, number & 255, (number >> 8) & 255, 7]);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(dot)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
