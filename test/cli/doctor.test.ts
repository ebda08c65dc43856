import { describe, expect, it } from 'vitest';
import { checkCheckpoint, exitCodeOf, judgeSpace, judgeStorage } from '../../src/commands/doctor.ts';
import { failed, fine, judgeAnswer, warning } from '../../src/commands/doctor-target.ts';
import type { Answer } from '../../src/helpdesk/http.ts';
import { temporaryFolder } from '../support/cli.ts';
import { makeCheckpoint, TARGET } from './checkpoints.ts';

const NOW = Date.parse('2025-06-02T08:00:00.000Z');
function answer(status: number, body: unknown = {}, headers: Record<string, string> = {}): Answer {
  return {
    type: 'answer',
    status,
    headers: { date: new Date(NOW).toUTCString(), ...headers },
    body: Buffer.from(JSON.stringify(body)),
  };
}

function judged(given: Answer) {
  return judgeAnswer(
    given,
    { baseUrl: 'https://desk.example', apiPath: '/api/core/v1' },
    { sentAt: NOW - 50, answeredAt: NOW + 50 },
  );
}

const found = (given: Answer) => judged(given).map(({ name, status }) => `${name} ${status}`);

describe('what one read shows of the helpdesk', () => {
  const tickets = { tickets: [], hasNextPage: false };

  it.each<[string, Answer, string, number]>([
    ['a list of tickets', answer(200, tickets), 'token ok', 0],
    ['a refused token', answer(401, { error: 'invalid_token' }), 'token failed', 5],
    ['a token without the scope', answer(403, { error: 'insufficient_scope' }), 'token warning', 0],
    ['no such path', answer(404), 'reading warning', 0],
    ['no such method', answer(405), 'reading warning', 0],
    ['too many requests', answer(429), 'limits warning', 0],
    ['a service in trouble', answer(503), 'target failed', 6],
    ['a list in a form of its own', answer(200, { results: [], next: null }), 'reading warning', 0],
    ['a page that is no API', answer(200, '<html>'), 'target failed', 2],
    ['a redirect', answer(301, {}, { location: 'https://new.example/' }), 'target failed', 6],
    ['a refusal', answer(400), 'target failed', 2],
  ])('%s', (_, given, finding, exitCode) => {
    expect(found(given)).toContain(finding);
    expect(exitCodeOf(judged(given))).toBe(exitCode);
  });

  it('names the missing scope and the address of a redirect', () => {
    const messages = (given: Answer) => judged(given).map(({ message, hint }) => `${message} ${hint ?? ''}`);
    expect(messages(answer(403)).join(' ')).toMatch(/read:tickets/);
    expect(messages(answer(302, {}, { location: 'https://new.example/x' })).join(' ')).toMatch(
      /to https:\/\/new\.example/,
    );
  });

  it.each<[string, number, string]>([
    ['agrees', 0, 'ok'],
    ['is a little off', 20_000, 'ok'],
    ['is behind', 120_000, 'warning'],
    ['is ahead', -120_000, 'warning'],
  ])('a clock that %s', (_, offMs, status) => {
    const date = new Date(NOW + offMs).toUTCString();
    const check = judged(answer(200, tickets, { date })).find(({ name }) => name === 'clock');
    expect(check?.status).toBe(status);
    if (status === 'warning') expect(check?.message).toMatch(offMs > 0 ? /behind/ : /ahead of/);
  });
});

describe('the machine', () => {
  it.each<[number, number, string]>([
    [80e9, 0, 'ok'],
    [80e9, 1e9, 'ok'],
    [500e6, 0, 'warning'],
    [10e6, 0, 'failed'],
    [5e9, 6e9, 'failed'],
  ])('%i bytes free, %i needed: %s', (free, needed, status) => {
    expect(judgeSpace('temporary files', '/tmp', free, needed).status).toBe(status);
  });

  it.each([
    [0x6969, 'NFS'],
    [-11317950, 'CIFS'],
    [0x65735546, 'FUSE'],
    [0xef53, undefined],
    [0x794c7630, undefined],
  ])('a checkpoint on storage of type %i: %s', (type, name) => {
    const [check] = judgeStorage('/data', type);
    expect(check?.status).toBe(name === undefined ? undefined : 'warning');
    if (name !== undefined) expect(check?.message).toContain(name);
  });

  it('a checkpoint of another helpdesk fails, one with doubts has a remark, a missing one is fine', async () => {
    using folder = temporaryFolder();
    const path = folder.join('c.sqlite');
    expect(checkCheckpoint(path, TARGET)).toMatchObject({ status: 'ok' });
    await makeCheckpoint(path, { tickets: { a: 'done', b: 'inDoubt' } });
    expect(checkCheckpoint(path, TARGET)).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(/2 tickets, 1 of them in doubt/),
    });
    expect(checkCheckpoint(path, 'https://other.example')).toMatchObject({
      status: 'failed',
      exitCode: 2,
      message: expect.stringMatching(/belongs to the helpdesk/),
    });
  });
});

describe('the exit code of doctor', () => {
  it.each([
    [[], 0],
    [[fine('a', 'x'), warning('b', 'x', 'y')], 0],
    [[failed('a', 6, 'x', 'y'), failed('b', 5, 'x', 'y')], 5],
    [[failed('a', 6, 'x', 'y'), failed('b', 2, 'x', 'y')], 2],
    [[failed('a', 6, 'x', 'y')], 6],
  ])('%j ends with %i', (checks, code) => {
    expect(exitCodeOf(checks)).toBe(code);
  });
});
