/** An import by the built program, failed and killed until all is done, and the account of the ledger. */
import { mkdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { systemClock } from '../../src/system-clock.ts';
import { cli, startCli } from '../support/cli.ts';
import { type Desk, openDesk, type Ran, summaryOf } from '../support/desk.ts';
import { parseFaults } from '../support/double/faults.ts';
import { generateExport } from '../support/generate-export.ts';
import { generatedMessages, generatedTicket } from '../support/generated-ticket.ts';
import { seeded } from '../support/seeded.ts';

/** Every kind of fault that the sandbox can play and that a client is expected to come through. */
const EVERY_FAULT = [
  '429=1',
  '429-date=1',
  '503',
  '500-after',
  '504-after',
  'reset-before',
  'reset-after',
  'close-after',
  'no-answer-before',
  'no-answer-after',
  'slow=300',
  'truncated',
  'garbage',
  'token-expired',
  '408',
] as const;

/** All of them, so that about `percent` of all requests meet one. */
export function everyFault(percent: number): string[] {
  const share = Number((percent / EVERY_FAULT.length).toFixed(3));
  return EVERY_FAULT.map((fault) => `${fault}:${share}`);
}

interface FaultRun {
  readonly tickets: number;
  readonly contacts: number;
  readonly faults: readonly string[];
  readonly seed: number;
  readonly kills: number;
  readonly readable?: boolean;
  readonly messages?: number;
}

interface Account {
  /** Of the process that had nothing left to do, or could not go on. */
  readonly last: Ran;
  readonly processes: number;
  /** Creates that nothing came after, so that their absence was not proven and a person had to say that they are to be sent again. */
  readonly leftToPerson: number;
  readonly created: number;
  readonly duplicates: number;
  readonly contacts: number;
  readonly contactsInExport: number;
  /** External ids of tickets whose thread differs from the export in a letter or in its sequence. */
  readonly wrongThreads: readonly string[];
  readonly faultsPlayed: number;
}

/** After so many processes it is no longer an import but a loop. */
const MOST_PROCESSES = 12;

export async function faultRun(options: FaultRun): Promise<Account> {
  const { tickets, contacts, seed, kills } = options;
  const shape = { tickets, contacts, seed, messages: options.messages ?? 3, events: true };
  const faults = parseFaults(
    [...options.faults, 'racy-contacts=5@writes', ...(options.readable === false ? ['unreadable'] : [])],
    seed,
  );
  const desk = await openDesk({ clock: systemClock, faults });
  const { folder, sandbox } = desk;
  mkdirSync(folder.join('export'));
  await generateExport({ ...shape, dir: folder.join('export'), format: 'jsonl' });
  const args = 'run export --set run.batchSize=16 --set run.timeout=1 --set run.rate=100000/1'.split(' ');
  // Credentials that can be renewed, for tokens that expire on the way.
  const { tokenUrl, client } = sandbox.oauth;
  const env = {
    HELPDESK_BASE_URL: sandbox.url,
    HELPDESK_TOKEN_URL: tokenUrl,
    HELPDESK_CLIENT_ID: client.id,
    HELPDESK_CLIENT_SECRET: client.secret,
  };
  const reported = async () => summaryOf(await cli([...args, '--json'], { cwd: folder.path, env }));
  const random = seeded(seed, 97);
  for (let kill = 1; kill <= kills; kill += 1) {
    const run = startCli(args, { cwd: folder.path, env });
    // Anywhere between the last kill and the next one, at no particular moment of a request.
    const share = (kill - 1 + random.between(20, 90) / 100) / (kills + 1);
    await created(desk, Math.floor(tickets * share), run.result);
    await pause(random.between(0, 60));
    run.kill('SIGKILL');
    await run.result;
  }
  let last = await reported();
  let processes = kills + 1;
  let leftToPerson = 0;
  while (processes < MOST_PROCESSES) {
    const unproven = last.problems.filter(({ code }) => code === 'not-proven-absent');
    if (last.exitCode === 4 && unproven.length > 0) {
      // A fault of the very last create: nothing can come after it that would prove what the list shows.
      const ids = unproven.flatMap(({ ticket = [] }) => ticket);
      leftToPerson += ids.length;
      const resolved = await cli(['resolve', '--retry', ids.join()], { cwd: folder.path, env });
      expect(resolved.code, resolved.stderr).toBe(0);
    } else if (last.exitCode !== 3) break; // 3: six faults in a row fail a ticket, and the next run goes on with it.
    last = await reported();
    processes += 1;
  }
  return account(desk, shape, last, { processes, leftToPerson });
}

async function created(desk: Desk, least: number, ended: Promise<unknown>): Promise<void> {
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  while (!isOver && desk.count('tickets') < least) await pause(5);
}

/** What came of it, by what the service holds and by its log. */
function account(
  desk: Desk,
  shape: { tickets: number; contacts: number; seed: number; messages: number },
  last: Ran,
  run: Pick<Account, 'processes' | 'leftToPerson'>,
): Account {
  const { log, store } = desk.sandbox;
  const { messages, database } = store;
  const find = database.prepare('SELECT seq FROM tickets WHERE subject = ? AND created_ms = ?').pluck();
  const wrongThreads: string[] = [];
  const emails = new Set<string>();
  const inDoubt = new Set(last.problems.map(({ ticket }) => ticket));
  for (let index = 0; index < shape.tickets; index += 1) {
    const { id, subject, createdAt, contact } = generatedTicket(shape, index);
    emails.add(contact.email);
    if (last.tickets['inDoubt'] !== 0 && inDoubt.has(id)) continue;
    const [seq] = find.all(subject, Date.parse(createdAt)) as number[];
    const held = seq === undefined ? undefined : messages.ofTicket(seq).map(({ content }) => content);
    const wanted = generatedMessages(shape, index)
      .sort((one, other) => Date.parse(one.occurredAt) - Date.parse(other.occurredAt))
      .map(({ content }) => content);
    if (JSON.stringify(held) !== JSON.stringify(wanted)) wrongThreads.push(id);
  }
  const faulty = log.requests().filter(({ fault }) => fault !== undefined);
  return {
    last,
    ...run,
    created: desk.count('tickets'),
    duplicates: log.duplicates().length,
    contacts: desk.count('contacts'),
    contactsInExport: emails.size,
    wrongThreads,
    faultsPlayed: faulty.length,
  };
}
