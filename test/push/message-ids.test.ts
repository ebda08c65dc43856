import { describe, expect, it } from 'vitest';
import { bareId } from '../../src/domain/snapshot.ts';
import { FakeTarget, refused, unknownOutcome } from './fake-target.ts';
import { importOnce, scratchCheckpoint } from './import-run.ts';

const TICKETS = ['a', 'b', 'c', 'd'].map((id) => ({ id, messages: ['agent', 'agent'], events: 1 }));

async function imported(api: FakeTarget, messageIds = true) {
  const { ledger } = scratchCheckpoint();
  const { result } = await importOnce({
    tickets: TICKETS,
    api,
    ledger,
    options: { messageIds, facts: {}, sourceName: 'zendesk', concurrency: 4 },
  });
  const ids = [...api.tickets.values()].map(({ messages }) => messages.map(({ messageId }) => messageId));
  return { result, ledger, ids };
}

/** Puts that carry ids of mails are refused. */
function strict(api: FakeTarget): FakeTarget {
  const put = api.replaceMessages.bind(api);
  api.replaceMessages = (id, messages, signal) =>
    messages.some((message) => 'messageId' in message)
      ? Promise.reject(refused())
      : put(id, messages, signal);
  return api;
}

describe('the ids of messages', () => {
  it('go with every ticket where the target keeps them, each its own', async () => {
    const { result, ids } = await imported(new FakeTarget());
    expect(result.tickets.done).toBe(4);
    const all = ids.flat();
    expect(new Set(all).size).toBe(8);
    for (const id of all) expect(id).toMatch(/^<zendesk\.[0-9a-f]{12}\.[0-9a-f]{8}@import\.invalid>$/);
  });

  it('are the same for the same message, whoever imports it and however often', async () => {
    const [one, other] = [await imported(new FakeTarget()), await imported(new FakeTarget())];
    expect(one.ids).toEqual(other.ids);
  });

  it('are left out where the target refuses them', async () => {
    const api = strict(new FakeTarget());
    const { result, ids } = await imported(api);
    expect(result.tickets.done).toBe(4);
    expect(ids.flat()).toEqual(Array(8).fill(undefined));
  });

  it('are never sent to a target that cannot be read', async () => {
    const { result, ids } = await imported(new FakeTarget({ readable: false }));
    expect(result.tickets.done).toBe(4);
    expect(ids.flat()).toEqual(Array(8).fill(undefined));
  });

  it('are still sent where a PUT failed for another reason', async () => {
    let left = 6;
    const api = new FakeTarget({
      fault: (call) =>
        call === 'messages' && left-- > 0 ? { at: 'before', error: unknownOutcome() } : undefined,
    });
    const { ids } = await imported(api);
    expect(ids.flat().filter((id) => id !== undefined)).toHaveLength(6);
  });

  it('are not sent where the settings say so', async () => {
    const { ids } = await imported(new FakeTarget(), false);
    expect(ids.flat()).toEqual(Array(8).fill(undefined));
  });

  it('angle brackets are no difference', () => {
    expect(bareId(' <a@b> ')).toBe(bareId('a@b'));
  });
});
