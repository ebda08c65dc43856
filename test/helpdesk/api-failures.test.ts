import { describe, expect, it } from 'vitest';
import { folderOfTest } from '../support/folder-of-test.ts';
import { failure, setUp, signal, TOKEN, ticket } from './client-set-up.ts';

describe('what went out is a fact of the wire', () => {
  it('nothing, if the file with the token cannot be read', async () => {
    const path = folderOfTest().join('token');
    const { api, server } = await setUp(() => ({ status: 201, body: { id: 't1' } }), {
      credentials: { kind: 'token-file', path },
    });
    const wire = { mayHaveArrived: true };
    await expect(api.createTicket(ticket, signal, wire)).rejects.toMatchObject({ code: 'configuration' });
    expect(wire.mayHaveArrived).toBe(false);
    expect(server.seen).toHaveLength(0);
  });

  it.each([
    [500, true],
    [422, false],
  ])('an answer of %i: it may have arrived: %s', async (status, mayHaveArrived) => {
    const { api, settle } = await setUp(() => ({ status, body: { error: 'no' } }));
    const wire = { mayHaveArrived: !mayHaveArrived };
    await failure(settle(api.createTicket(ticket, signal, wire)));
    expect(wire).toEqual({ mayHaveArrived });
  });
});

describe('the Core API', () => {
  describe('failures are reported in one sentence', () => {
    const INVALID = { error: 'invalid', details: [{ path: 'contact.email' }] };
    const SCOPE = { error: 'forbidden', message: 'missing scope write:contacts' };
    const refuses = 'The helpdesk refuses the token (401: token_expired); get a new one and check that it';
    const lacks = 'The token may not send the ticket (403: forbidden: missing scope write:contacts); it';
    const unsure = 'The helpdesk did not confirm the ticket:';
    const elsewhere = 'The base URL redirects elsewhere (308 to https://new.example); set it to the final';
    it.each([
      [
        422,
        INVALID,
        'refused',
        'The helpdesk refused the ticket (422: invalid: [{"path":"contact.email"}]).',
      ],
      [
        413,
        '<html><h1>No</h1></html>',
        'unknown-outcome',
        `${unsure} 413 with a page of something in front of it.`,
      ],
      [401, { error: 'token_expired' }, 'auth', `${refuses} belongs to this target.`],
      [403, SCOPE, 'auth', `${lacks} needs the scope write:contacts.`],
      [308, '', 'unreachable', `${elsewhere} address.`],
      [500, 'oops', 'unknown-outcome', `${unsure} 500: oops.`],
    ] as const)('%i', async (status, body, code, text) => {
      const { api } = await setUp(() => ({
        status,
        body,
        headers: { location: 'https://new.example/x?token=1' },
      }));
      expect(await failure(api.createTicket(ticket, signal))).toMatchObject({ code, status, message: text });
    });

    it('without secrets, control characters or length', async () => {
      const { api } = await setUp(({ headers }) => ({
        status: 422,
        body: {
          error: `\u001b[31mYou sent ${headers.authorization}\n`,
          message: 'x'.repeat(5_000),
          details: { refresh_token: 'abcdefgh' },
        },
      }));
      const error = await failure(api.createTicket(ticket, signal));
      expect(error.message.length).toBeLessThanOrEqual(300);
      expect(error.detail!.length).toBeLessThanOrEqual(300);
      for (const text of [error.message, error.detail, error.stack, JSON.stringify(error)]) {
        expect(text).not.toContain(TOKEN);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what must not be there
        expect(text?.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f]/);
      }
    });
  });

  it('a read that keeps failing is tried six times', async () => {
    const { api, server, settle } = await setUp(() => ({ status: 500 }));
    expect(await failure(settle(api.readTicket('1', signal)))).toMatchObject({ status: 500 });
    expect(server.seen.length).toBe(6);
  });

  it('no secret in any event, and no query in a path', async () => {
    const { api, events, settle } = await setUp((_request, nth) =>
      nth === 1 ? { status: 500 } : { body: { tickets: [] } },
    );
    await settle(api.findTickets({ search: 'someone@private.example' }, signal));
    const text = JSON.stringify(events);
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain('private.example');
    expect(events.filter(({ type }) => type === 'request')).toMatchObject([
      { method: 'GET', path: '/api/core/v1/tickets', status: 500, attempt: 1 },
      { method: 'GET', path: '/api/core/v1/tickets', status: 200, attempt: 2 },
    ]);
  });
});
