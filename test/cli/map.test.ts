/** `links map`: which ticket became which. */
import { describe, expect, it } from 'vitest';
import { commandLine } from '../support/command-line.ts';
import { folderOfTest } from '../support/folder-of-test.ts';
import { makeCheckpoint } from './checkpoints.ts';

const SOURCE = 'https://old.example.com/agent/tickets/{id}';
const TARGET = 'https://new.example.com/tickets/{id}';

const set = (side: string, url: string) => ['--set', `${side}.ticketUrl=${url}`];

async function scene() {
  const folder = folderOfTest();
  const checkpoint = folder.join('helpdesk-import.checkpoint.sqlite');
  await makeCheckpoint(checkpoint, {
    tickets: { 'a b,"c"': 'done', r: 'rejected', T1: 'done' },
    ticketIds: { 'a b,"c"': 't/2', T1: 't_1' },
  });
  const map = (...args: string[]) => commandLine(['links', 'map', ...args], { cwd: folder.path });
  return { map };
}

describe('links map', () => {
  it('as CSV lists ids and addresses of the tickets that are in the helpdesk, quoted and escaped', async () => {
    const { map } = await scene();
    const { code, stdout } = await map(...set('source', SOURCE), ...set('target', TARGET));
    expect(code).toBe(0);
    expect(stdout.split('\r\n')).toEqual([
      'old_id,old_address,new_id,new_address',
      'T1,https://old.example.com/agent/tickets/T1,t_1,https://new.example.com/tickets/t_1',
      '"a b,""c""",https://old.example.com/agent/tickets/a%20b%2C%22c%22,t/2,https://new.example.com/tickets/t%2F2',
      '',
    ]);
  });

  it('without addresses has the ids', async () => {
    const { map } = await scene();
    const { stdout } = await map('--json');
    expect(stdout.split('\n')[0]).toBe('{"oldId":"T1","newId":"t_1"}');
  });

  it.each<[string[], string]>([
    [set('source', 'https://old.example.com/'), 'source.ticketUrl must be a web address with {id} in it'],
  ])('says what is missing or wrong: %j', async (args, sentence) => {
    const { map } = await scene();
    const { code, stderr } = await map(...args);
    expect(code === 2 || code === 6).toBe(true);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(sentence);
  });
});
