/** What a dry run announces is what the run does: for every built-in layout, by the books of the service. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { fixtures } from '../support/cli.ts';
import { type Desk, openDesk } from '../support/desk.ts';
import { type EngineOptions, runImport } from '../support/engine.ts';
import { layoutExport, layoutNames } from '../support/layouts.ts';
import { decided } from './init-then-run.ts';

type Export = Pick<EngineOptions, 'files' | 'settings' | 'only'>;

/** With the settings of `init` once it has asked everything: none of these runs stops for a decision. */
const layout = async (name: string): Promise<Export> => {
  const { paths } = layoutExport(name);
  return { files: paths, settings: parse(await decided(paths)) };
};

const native = async (name: string, only?: readonly string[]): Promise<Export> => ({
  ...{ files: join(fixtures, name), settings: { source: { from: 'native' as const } }, only },
});

/** All but those that name a contact of the helpdesk, which no dry run can know. */
const GOOD = readFileSync(join(fixtures, 'native/good/jsonl/tickets.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.includes('"contactId"'))
  .map((line) => String((JSON.parse(line) as { id: unknown }).id));

const EXPORTS: readonly (readonly [string, () => Promise<Export>])[] = [
  ...layoutNames.map((name) => [name, () => layout(name)] as const),
  ...['csv', 'json', 'jsonl'].map(
    (form) => [`native, ${form}`, () => native(`native/good/${form}`, GOOD)] as const,
  ),
  ...['bad/csv', 'bad/jsonl'].map((name) => [`native, ${name}`, () => native(`native/${name}`)] as const),
];

/** What a review says of a mapping that is not as it should be. */
const FINDINGS = 'no-conversation note-published repeated-text unread-text incomplete-thread'.split(' ');

async function both(exported: Export, { folder, env, sandbox }: Desk) {
  const options: EngineOptions = {
    ...exported,
    settings: { ...exported.settings, run: { rate: ['10000/1'] } },
    target: { baseUrl: sandbox.url, credentials: { token: env['HELPDESK_TOKEN'] ?? '' } },
    checkpoint: folder.join('checkpoint.sqlite'),
    rejects: folder.join('rejects'),
  };
  const announced = await runImport({ ...options, rejects: undefined, mode: 'dry-run' });
  expect(sandbox.log.requests().filter(({ effect }) => effect !== 'read')).toEqual([]);
  return { announced, ran: await runImport(options) };
}

describe('a dry run', () => {
  it.each(EXPORTS)('of %s announces what the run then does', async (_, exported) => {
    const desk = await openDesk({ inventAgents: true });
    const { log } = desk.sandbox;
    const { announced, ran } = await both(await exported(), desk);
    const [before, after] = [announced.facts, ran.facts];

    const { pending, ...others } = before.tickets;
    expect(before.tickets.read).toBeGreaterThan(0);
    expect(after.tickets, JSON.stringify(after.problems)).toEqual({
      ...others,
      done: others.done + pending,
      created: pending,
      pending: 0,
    });
    expect(after.messages, 'messages').toMatchObject({
      read: before.messages.read,
      orphans: before.messages.orphans,
    });
    expect(after.events, 'events').toMatchObject({
      read: before.events.read,
      orphans: before.events.orphans,
    });
    expect(after.attachments.read).toBe(before.attachments.read);
    expect(after.contacts).toEqual(before.contacts);
    expect(after.exitCode).toBe(before.exitCode);
    expect(before.problems.filter(({ code }) => FINDINGS.includes(code))).toEqual([]);

    const written = (kind: 'create' | 'messages' | 'events') =>
      log.requests({ kind }).filter(({ effect }) => effect === 'created' || effect === 'replaced').length;
    const { creates, messages, events, total, checks } = announced.facts.plan.requests;
    const agents = log.requests().filter(({ path }) => path.includes('/agents'));
    const sent = after.requests.sent - agents.length;
    expect(sent, 'requests').toBeGreaterThanOrEqual(total);
    expect(sent, 'requests').toBeLessThanOrEqual(total + checks);
    expect({
      creates: written('create'),
      messages: written('messages'),
      events: written('events'),
    }).toEqual({ creates, messages, events });
    expect(desk.count('tickets')).toBe(pending);
    expect(desk.count('messages')).toBe(after.messages.sent + after.kept.tickets);
    expect(desk.count('events')).toBe(after.events.sent);
    if (before.tickets.rejected + before.tickets.skipped === 0) {
      expect(after.messages.sent).toBe(before.messages.read - before.messages.orphans);
      expect(after.events.sent).toBe(before.events.read - before.events.orphans);
    }

    const reported = (problems: typeof before.problemGroups) =>
      Object.fromEntries(problems.map(({ code, severity, count: n }) => [`${severity} ${code}`, n]));
    expect(reported(after.problemGroups), 'problems').toEqual(reported(before.problemGroups));
  });
});
