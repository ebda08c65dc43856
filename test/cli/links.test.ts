/** `links`: which ticket became which. */
import { expect, it } from 'vitest';
import { openFolder } from '../support/desk.ts';
import { makeCheckpoint } from './checkpoints.ts';

async function links(...words: string[]) {
  const { folder, type } = openFolder();
  await makeCheckpoint(folder.join('helpdesk-import.checkpoint.sqlite'), {
    tickets: { 'a b,"c"': 'done', r: 'rejected', T1: 'done' },
    ticketIds: { 'a b,"c"': 't/2', T1: 't_1' },
  });
  return await type('links', ...words);
}
const set = (url: string) => ['--set', `source.ticketUrl=${url}`];

it('links as CSV lists ids and addresses of the tickets that are in the helpdesk, quoted and escaped', async () => {
  const { code, stdout } = await links(...set('https://old.example.com/agent/tickets/{id}'));
  expect([code, ...stdout.split('\r\n')]).toEqual([
    0,
    'old_id,old_address,new_id',
    'T1,https://old.example.com/agent/tickets/T1,t_1',
    '"a b,""c""",https://old.example.com/agent/tickets/a%20b%2C%22c%22,t/2',
    '',
  ]);
});

it('links without addresses has the ids', async () => {
  const { stdout } = await links('--json');
  expect(stdout.split('\n')[0]).toBe('{"oldId":"T1","newId":"t_1"}');
});

it('links refuses an address without {id}', async () => {
  const { code, stderr } = await links(...set('https://old.example.com/'));
  expect(code).toBe(2);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('source.ticketUrl must be a web address with {id} in it');
});
