import { describe, expect, it } from 'vitest';
import { check, FROM_CUSTOMER, mapped, STATUS_CHANGE, TICKET } from './mapped.ts';

describe('rules of the helpdesk', () => {
  it.each([
    [{ tag: '' }, {}, undefined],
    [{ tag: '' }, { tags: [] }, undefined],
    [{ tag: 'moved' }, { tags: ['a', 'moved'] }, ['a', 'moved']],
  ])('with the rules %j a ticket with %j has the tags %j', (rules, ticket, tags) => {
    expect(check(mapped({ ...TICKET, ...ticket }, [FROM_CUSTOMER]), rules).checked?.ticket.tags).toEqual(
      tags,
    );
  });

  it('with the name of a source every ticket carries a tag of its own and one of its source, each once', () => {
    const sourceName = () => 'zendesk';
    const tagsOf = (ticket: object, externalId: string) =>
      check(mapped({ ...TICKET, ...ticket }, [], [], { externalId }), { sourceName }).checked?.ticket.tags;
    expect(tagsOf({ tags: ['vip'] }, '1041')).toEqual(['zendesk-1041', 'from-zendesk', 'vip', 'imported']);
    expect(tagsOf({}, 'a, b')?.slice(0, 2)).toEqual([
      expect.stringMatching(/^zendesk--[0-9a-f]{20}$/),
      'from-zendesk',
    ]);
    expect(tagsOf({ tags: ['from-zendesk'] }, '7')).toEqual(['zendesk-7', 'from-zendesk', 'imported']);
  });

  it('a ticket has not changed because it carries its identity now, or another name of its source', () => {
    const of = (name: string | undefined, tag: string, tags: string[] = ['vip']) =>
      check(mapped({ ...TICKET, tags }), { tag, sourceName: () => name }).checked?.fingerprints;
    for (const tag of ['', 'imported'])
      for (const name of ['a', 'b']) {
        expect(of(name, tag)).toEqual(of(undefined, tag));
        expect(of(name, tag, [])).toEqual(of(undefined, tag, []));
      }
    expect(of('a', '')).not.toEqual(of('a', '', ['vap']));
  });

  it('readOnly and managedBy of the settings stand over those of the export', () => {
    const ticket = mapped({ ...TICKET, readOnly: true, managedBy: 'x' }, [FROM_CUSTOMER]);
    expect(check(ticket, { readOnly: false, managedBy: 'Old' }).checked?.ticket).toMatchObject({
      readOnly: false,
      managedBy: 'Old',
    });
    expect(check(ticket).checked?.ticket).toMatchObject({ readOnly: true, managedBy: 'x' });
  });

  it.each(['status_change', 'status_changed', ' status_change '])(
    'a status change spelled %j goes out as the helpdesk spells it, with statuses alone',
    (type) => {
      const event = { ...STATUS_CHANGE, type, oldValue: { status: 'open', by: 'x' } };
      const result = check(mapped(TICKET, [FROM_CUSTOMER], [event]), { statusChangeType: 'status_changed' });
      expect(result.checked?.events[0]).toMatchObject({
        type: 'status_changed',
        oldValue: { status: 'open' },
      });
      expect(result.checked?.events[0]?.oldValue).toStrictEqual({ status: 'open' });
    },
  );

  it('events of customers go out without a contact id', () => {
    const event = { ...STATUS_CHANGE, actorType: 'customer', agentId: undefined };
    expect(check(mapped(TICKET, [FROM_CUSTOMER], [event])).problems).toEqual([]);
  });

  it.each([
    ['createdAt', TICKET, { createdAt: '2025-06-02T12:00:01Z' }],
    ['resolvedAt', TICKET, { resolvedAt: '2030-01-01T00:00:00Z' }],
  ])('a %s in the future is reported and sent', (field, ticket, part) => {
    const result = check(mapped({ ...ticket, ...part }, [FROM_CUSTOMER]));
    expect(result.problems).toContainEqual(
      expect.objectContaining({ severity: 'warning', code: 'time-in-future', field }),
    );
    expect(result.checked).toBeDefined();
  });

  it('a clock a day behind the export makes no future of its times', () => {
    const ticket = { ...TICKET, createdAt: '2025-06-02T12:00:00Z' };
    const { problems } = check(mapped(ticket, [{ ...FROM_CUSTOMER, occurredAt: ticket.createdAt }]));
    expect(problems.map(({ code }) => code)).not.toContain('time-in-future');
  });

  it('an attachment replaces a missing body', () => {
    const message = { ...FROM_CUSTOMER, content: undefined, attachments: [{ url: 'http://h.example/a' }] };
    const result = check(mapped(TICKET, [message, { ...message, content: ' ' }]));
    expect(result.problems).toEqual([]);
    expect(result.checked?.messages.map((m) => m.content)).toEqual(['', ' ']);
  });

  it('what an exclude rule leaves out is counted and not judged', () => {
    const result = check(mapped({ status: 'x' }, [{ isInternal: true }], [{}], { excluded: 'spam' }));
    expect(result).toEqual({
      seq: 7,
      externalId: 'T-1',
      problems: [],
      contacts: [],
      names: [],
      mapped: [],
      messages: 1,
      internal: 1,
      events: 1,
      attachments: 0,
      attachmentBytes: 0,
    });
  });
});
