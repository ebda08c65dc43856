import { expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { systemClock } from '../../src/system-clock.ts';
import { openFolder, ticket } from '../support/desk.ts';

const HOSTILE = `<img src=x onerror=alert(1)>`;

it('tickets that were not imported are shown by the sandbox with their reason and source rows, as text, until they are imported', async () => {
  const { folder, write, type } = openFolder();
  const run = 'run export.jsonl --sandbox box --set run.rate=100000/1'.split(' ');
  const leftOut = async (query = '') => {
    const sandbox = await startSandbox({ dir: folder.join('box'), clock: systemClock });
    const headers = { authorization: `Bearer ${sandbox.token}` };
    const page = await (await fetch(`${sandbox.url}/left-out${query}`, { headers })).text();
    await sandbox.close();
    return page;
  };
  const broken = [ticket('t1'), ticket('t2', { subject: HOSTILE, status: 'bogus', note: HOSTILE })];
  const lines = broken.map((one) => `${JSON.stringify(one)}\n`).join('');
  write('export.jsonl', `${lines}{"id": "t3", "subject": <b>\n`);
  expect((await type(...run)).code).toBe(3);
  const text = await leftOut();
  for (const shown of [
    'status is &quot;bogus&quot;',
    'export.jsonl:2',
    't2 hello',
    'export.jsonl:3',
    '&lt;b&gt;',
  ])
    expect(text).toContain(shown);
  for (const hidden of ['<img', 't1 hello']) expect(text).not.toContain(hidden);
  expect(text).toMatch(/Rejected<\/span><span class="count">2</);
  expect(await leftOut('?outcome=failed')).toContain('Nothing was left out');
  write('export.jsonl', [ticket('t1'), ticket('t2'), ticket('t3')]);
  await type(...run);
  expect(await leftOut()).toContain('Nothing was left out');
});
