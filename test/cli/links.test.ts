/** `links`: which ticket became which. */
import { describe, expect, it } from 'vitest';
import { commandLine } from '../support/command-line.ts';
import { folderOfTest } from '../support/folder-of-test.ts';
import { makeCheckpoint } from './checkpoints.ts';

const SOURCE = 'https://old.example.com/agent/tickets/{id}';

const set = (url: string) => ['--set', `source.ticketUrl=${url}`];

async function scene() {
  const folder = folderOfTest();
  const checkpoint = folder.join('helpdesk-import.checkpoint.sqlite');
  await makeCheckpoint(checkpoint, {
    tickets: { 'a b,"c"': 'done', r: 'rejected', T1: 'done' },
    ticketIds: { 'a b,"c"': 't/2', T1: 't_1' },
  });
  const links = (...args: string[]) => commandLine(['links', ...args], { cwd: folder.path });
  return { links };
}

describe('links', () => {
  it('as CSV lists ids and addresses of the tickets that are in the helpdesk, quoted and escaped', async () => {
    const { links } = await scene();
    const { code, stdout } = await links(...set(SOURCE));
    expect(code).toBe(0);
    expect(stdout.split('\r\n')).toEqual([
      'old_id,old_address,new_id',
      'T1,https://old.example.com/agent/tickets/T1,t_1',
      '"a b,""c""",https://old.example.com/agent/tickets/a%20b%2C%22c%22,t/2',
      '',
    ]);
  });

  it('without addresses has the ids', async () => {
    const { links } = await scene();
    const { stdout } = await links('--json');
    expect(stdout.split('\n')[0]).toBe('{"oldId":"T1","newId":"t_1"}');
  });

  it.each<[string[], string]>([
    [set('https://old.example.com/'), 'source.ticketUrl must be a web address with {id} in it'],
  ])('says what is missing or wrong: %j', async (args, sentence) => {
    const { links } = await scene();
    const { code, stderr } = await links(...args);
    expect(code === 2 || code === 6).toBe(true);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(sentence);
  });
});
