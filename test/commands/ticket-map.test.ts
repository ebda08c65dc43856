/** The map of tickets in its forms, and the command that writes it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { MapFormat } from '../../src/commands/map/map-options.ts';
import { type Addresses, mapLines } from '../../src/commands/map/ticket-map.ts';
import { tickets } from '../library/tickets.ts';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';

const SOURCE = 'https://old.example.com/agent/tickets/{id}';
const TARGET = 'https://new.example.com/tickets/{id}';

const SOME = [
  { externalId: '1', ticketId: 't_1', state: 'done' },
  { externalId: 'a b,"c"', ticketId: 't/2', state: 'failed' },
  { externalId: '3', state: 'rejected' },
] as const;

function written(
  format: MapFormat,
  addresses: Addresses = { source: SOURCE, target: TARGET },
  of: readonly (typeof SOME)[number][] = SOME,
) {
  return [...mapLines(() => of, format, addresses)].join('');
}

describe('the map of tickets', () => {
  it('as CSV quotes what has to be quoted and escapes ids in addresses', () => {
    expect(written('csv')).toBe(
      [
        'old_id,old_address,new_id,new_address,state',
        '1,https://old.example.com/agent/tickets/1,t_1,https://new.example.com/tickets/t_1,done',
        '"a b,""c""",https://old.example.com/agent/tickets/a%20b%2C%22c%22,t/2,https://new.example.com/tickets/t%2F2,failed',
        '3,https://old.example.com/agent/tickets/3,,,rejected',
        '',
      ].join('\r\n'),
    );
  });

  it('without addresses has the ids and states', () => {
    expect(written('jsonl', {}).split('\n')[0]).toBe('{"oldId":"1","newId":"t_1","state":"done"}');
  });

  it('as notices has a text for each ticket that is in the target', () => {
    const notices = written('notices', { target: TARGET, notice: 'Now {id}: {url}' });
    expect(
      notices
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { oldId: '1', text: 'Now t_1: https://new.example.com/tickets/t_1' },
      { oldId: 'a b,"c"', text: 'Now t/2: https://new.example.com/tickets/t%2F2' },
    ]);
  });

  it('as redirects leaves out what is not in the target, and what no address can hold', () => {
    const of = [...SOME, { externalId: 'x\ny', ticketId: 't_4', state: 'done' }] as never;
    for (const format of ['nginx', 'caddy'] as const) {
      const text = written(format, undefined, of);
      expect(text).toContain('/agent/tickets/1');
      expect(text).not.toContain('/agent/tickets/3');
      expect(text).not.toContain('t_4');
    }
  });
});

describe('the command map', () => {
  async function imported() {
    const folder = temporaryFolder();
    onTestFinished(() => folder[Symbol.dispose]());
    const at = { cwd: folder.path };
    writeFileSync(folder.join('tickets.jsonl'), tickets(3));
    expect((await commandLine(['run', 'tickets.jsonl', '--sandbox'], at)).code).toBe(0);
    const map = (...args: string[]) => commandLine(['map', '--sandbox', ...args], at);
    return { map, folder };
  }

  it('lists every ticket with its ids and states', async () => {
    const { map } = await imported();
    const { code, stdout } = await map('--source-url', SOURCE);
    expect(code).toBe(0);
    const [head, ...rows] = stdout.trim().split('\r\n');
    expect(head).toBe('old_id,old_address,new_id,new_address,state');
    expect(rows.map((row) => row.replace(/,[^,]+,,done$/, ',…,,done'))).toEqual(
      ['T0', 'T1', 'T2'].map((id) => `${id},https://old.example.com/agent/tickets/${id},…,,done`),
    );
  });

  it('takes the addresses from the settings, and writes a file', async () => {
    const { map, folder } = await imported();
    writeFileSync(
      folder.join('helpdesk-import.yaml'),
      `source: { ticketUrl: '${SOURCE}' }\ntarget: { ticketUrl: '${TARGET}' }\n`,
    );
    const { code, stdout } = await map('--format', 'jsonl', '-o', folder.join('map.jsonl'));
    expect(code).toBe(0);
    expect(stdout).toContain('3 tickets');
    const [first] = readFileSync(folder.join('map.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(first ?? '')).toMatchObject({ oldAddress: SOURCE.replace('{id}', 'T0') });
  });

  it.each<[string[], string]>([
    [['--format', 'nginx'], '--format nginx needs the address of a ticket in the old helpdesk.'],
    [['--format', 'ngnix'], 'Did you mean "nginx"?'],
    [['--source-url', 'https://old.example.com/'], '--source-url must be a web address with {id} in it'],
    [['--source-url', 'javascript:{id}'], '--source-url must be a web address with {id} in it'],
    [['-o', 'none/map.csv'], 'none/map.csv cannot be written (ENOENT).'],
  ])('says what is missing or wrong: %j', async (args, sentence) => {
    const { map } = await imported();
    const { code, stderr } = await map(...args);
    expect(code === 2 || code === 6).toBe(true);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(sentence);
  });
});
