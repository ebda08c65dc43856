import { describe, expect, it } from 'vitest';
import { NeedsCounter } from '../../src/discover/propose/open-needs.ts';
import { openPaths, withAnswers } from '../../src/discover/propose/proposal.ts';
import { openDate, proposeSettings } from '../../src/discover/propose/propose-settings.ts';
import { settingsText } from '../../src/discover/propose/settings-text.ts';
import type { LossReport } from '../../src/domain/survey.ts';
import type { MappedTicket } from '../../src/domain/ticket.ts';
import { readMapping } from '../../src/mapping/language/read-layout.ts';
import { builtinLayout } from '../../src/mapping/platforms/builtin-layouts.ts';
import { parseSettingsFile } from '../../src/settings/settings-file.ts';

const NO_LOSS: LossReport = {
  unusedColumns: [],
  unmappedValues: [],
  agentsWithoutId: [],
  unknownAuthors: [],
  notHeld: [],
};
const ref = { file: 0, offset: 0, length: 1, line: 2 };

function mapped(
  ticket: Record<string, unknown>,
  messages: Record<string, unknown>[] = [],
  more: Partial<MappedTicket> = {},
): MappedTicket {
  return {
    kind: 'ticket',
    seq: 0,
    externalId: 'T1',
    ref,
    rows: [],
    problems: [],
    values: [],
    events: [],
    ticket: { subject: 'S', createdAt: '2024-01-01T10:00:00.000Z', ...ticket },
    messages: messages.map((value) => ({
      ref,
      value: { occurredAt: '2024-01-01T10:00:00.000Z', actorType: 'system', content: 'x', ...value },
    })),
    ...more,
  };
}

function needsOf(tickets: readonly MappedTicket[], loss: LossReport = NO_LOSS) {
  const counter = new NeedsCounter();
  for (const ticket of tickets) counter.see(ticket);
  return counter.needs(loss);
}

const layout = builtinLayout('native');
const proposed = (tickets: readonly MappedTicket[], loss?: LossReport, openDates?: string) =>
  proposeSettings({
    files: ['export/'],
    layout,
    proposal: undefined,
    needs: needsOf(tickets, loss),
    openDates,
  });

describe('what the export does not say', () => {
  it.each([
    ['a zone', [mapped({ createdAt: '2024-01-01T10:00:00.000' })], ['source.timezone']],
    ['a zone, in a message', [mapped({}, [{ occurredAt: '2024-01-01 10:00:00' }])], ['source.timezone']],
    ['a zone, with a date alone', [mapped({ closedAt: '2024-01-01' })], ['source.timezone']],
    ['a time of creation', [mapped({ createdAt: undefined })], ['source.missingCreatedAt']],
    ['an agent id', [mapped({}, [{ actorType: 'agent' }])], ['fallbackAgent']],
    ['an address', [mapped({}, [{ actorType: 'customer' }])], ['customersWithoutEmail.synthesize']],
    ['who wrote', [mapped({}, [{ actorType: undefined }])], ['mapping.otherAuthors']],
    [
      'nothing',
      [
        mapped({}, [
          { actorType: 'agent', agentId: 'a' },
          { actorType: 'customer', contact: { email: 'a@example.com' } },
        ]),
      ],
      [],
    ],
    [
      'nothing, of a ticket that is left out',
      [mapped({ createdAt: undefined }, [], { excluded: 'spam' })],
      [],
    ],
    ['nothing, where a message has a time to take', [mapped({ createdAt: undefined }, [{}])], []],
  ])('%s', (_, tickets, open) => {
    const { settings, decisions } = proposed(tickets);
    expect(openPaths(settings).map((path) => path.join('.'))).toEqual(open);
    expect(decisions.map(({ path }) => path.join('.'))).toEqual(open);
  });

  it('messages without a time take the one before, and the file says so', () => {
    const { settings, comments } = proposed([mapped({}, [{ occurredAt: undefined }])]);
    expect(settings['source']).toMatchObject({ missingTimes: 'previous' });
    expect(comments[0]?.text).toMatch(/^1 message or event has no time/);
  });

  it('an order of day and month that nothing proves is a question', () => {
    const { decisions } = proposed([mapped({})], undefined, '03/04/2025');
    expect(decisions.map(({ path }) => path.join('.'))).toEqual(['source.timezone', 'source.dayFirst']);
    expect(decisions[1]?.question).toContain('03/04/2025');
  });

  it('values that a map lacks are added: known words with their meaning, others as questions', () => {
    const zendesk = { ...layout, name: 'native', maps: { stage: { values: { new: 'open' } } } };
    const tickets = [
      mapped({}, [], {
        problems: [
          {
            severity: 'error',
            code: 'unmapped-value',
            message:
              'The value "Awaiting Vendor" of Stage is not in maps.stage: add it there, or say what to do with unlisted values.',
            count: 1,
          },
        ],
      }),
      mapped({}, [], {
        problems: [
          {
            severity: 'error',
            code: 'unmapped-value',
            message:
              'The value "Zzz" of Stage is not in maps.stage: add it there, or say what to do with unlisted values.',
            count: 1,
          },
        ],
      }),
    ];
    const loss: LossReport = {
      ...NO_LOSS,
      unmappedValues: [
        { field: 'status', value: 'Awaiting Vendor', count: 7, action: 'error' },
        { field: 'status', value: 'Zzz', count: 2, action: 'error' },
        { field: 'newValue.status', value: 'Zzz', count: 5, action: 'error' },
        { field: 'status', value: 'kept one', count: 5, action: 'kept' },
      ],
    };
    const { settings, decisions } = proposeSettings({
      files: ['x'],
      layout: zendesk,
      proposal: undefined,
      needs: needsOf(tickets, loss),
      openDates: undefined,
    });
    expect(settings['mapping']).toEqual({
      extends: 'native',
      maps: { stage: { values: { 'Awaiting Vendor': 'pending', Zzz: 'TODO' } } },
    });
    expect(decisions.map(({ path }) => path.join('.'))).toEqual(['mapping.maps.stage.values.Zzz']);
    expect(settings['source']).not.toHaveProperty('from');
  });

  it('agents come most active first, and nobody is not one of them', () => {
    const loss = {
      ...NO_LOSS,
      agentsWithoutId: [
        { agent: 'a@example.com', count: 1 },
        { agent: '(nobody)', count: 9 },
        { agent: 'b@example.com', count: 3 },
      ],
    };
    expect(proposed([mapped({})], loss).agents.map(({ agent }) => agent)).toEqual([
      'b@example.com',
      'a@example.com',
    ]);
  });

  it.each([
    [[{ dayOrder: 'open', examples: ['03/04/2025'] }], '03/04/2025'],
    [
      [
        { dayOrder: 'open', examples: ['03/04/2025'] },
        { dayOrder: 'day-first', examples: [] },
      ],
      undefined,
    ],
    [[{ dayOrder: undefined, examples: ['x'] }], undefined],
  ] as const)('an open date among %j is %s', (columns, example) => {
    expect(openDate(columns)).toBe(example);
  });
});

describe('answers', () => {
  const open = proposed([mapped({ createdAt: '2024-01-01T10:00:00.000' }, [{ actorType: 'agent' }])]);

  it('take the place of TODO; what is left open stays', () => {
    const [zone, agent] = open.decisions;
    const settled = withAnswers(open, [
      { decision: zone!, value: 'Europe/Berlin' },
      { decision: agent!, value: undefined },
    ]);
    expect(settled.settings['source']).toMatchObject({ timezone: 'Europe/Berlin' });
    expect(openPaths(settled.settings)).toEqual([['fallbackAgent']]);
    expect(settled.decisions).toEqual([agent]);
    expect(openPaths(open.settings)).toHaveLength(2);
  });

  it('a value named __proto__ is a value', () => {
    const values = JSON.parse('{"__proto__":"TODO"}') as Record<string, unknown>;
    const decision = { ...open.decisions[0]!, path: ['mapping', 'maps', 'status', 'values', '__proto__'] };
    const settled = withAnswers({ ...open, settings: { mapping: { maps: { status: { values } } } } }, [
      { decision, value: 'open' },
    ]);
    expect(JSON.stringify(settled.settings)).toBe(
      '{"mapping":{"maps":{"status":{"values":{"__proto__":"open"}}}}}',
    );
    expect(({} as Record<string, unknown>)['open']).toBeUndefined();
  });
});

describe('the settings as text', () => {
  const text = (p: ReturnType<typeof proposed>) =>
    settingsText({ proposed: p, schema: 'helpdesk-import.schema.json', about: ['Settings for export/'] });
  const check = (mapping: unknown) => {
    const read = readMapping(mapping, builtinLayout);
    return 'issues' in read ? read.issues : [];
  };

  it('begins with the line by which editors find the schema', () => {
    expect(text(proposed([mapped({})])).split('\n')[0]).toBe(
      '# yaml-language-server: $schema=./helpdesk-import.schema.json',
    );
  });

  it('with nothing open it is read without complaint', () => {
    const file = parseSettingsFile(text(proposed([mapped({})])), 'helpdesk-import.yaml', check);
    expect(file.complaints).toEqual([]);
    expect(file.value.source).toEqual({ files: ['export/'], from: 'native' });
  });

  it('each open decision has its comment, and is all that a run complains about', () => {
    const open = proposed([
      mapped({ createdAt: '2024-01-01T10:00:00.000' }, [
        { actorType: 'agent' },
        { actorType: 'customer' },
        { actorType: undefined },
      ]),
    ]);
    const written = text(open);
    const file = parseSettingsFile(written, 'helpdesk-import.yaml', check);
    expect(file.complaints).toHaveLength(4);
    expect(file.complaints.every(({ message }) => message.includes('still to be decided'))).toBe(true);
    const lines = written.split('\n');
    for (const [at, line] of lines.entries())
      if (/: TODO$/.test(line)) expect(lines[at - 1]?.trim()).toMatch(/^# /);
  });

  it('names of agents cannot break out of their comment', () => {
    const loss = { ...NO_LOSS, agentsWithoutId: [{ agent: 'evil\nsource: { files: [x] }', count: 1 }] };
    const file = parseSettingsFile(text(proposed([mapped({})], loss)), 'helpdesk-import.yaml', check);
    expect(file.complaints).toEqual([]);
    expect(file.value.source?.files).toEqual(['export/']);
  });
});

it('a column of a known layout may have another name in the export, which is asked', () => {
  const proposal = proposeSettings({
    files: ['export/'],
    layout: builtinLayout('zendesk-csv'),
    proposal: undefined,
    needs: needsOf([mapped({})]),
    openDates: undefined,
    findings: [
      {
        code: 'unread-field',
        message: 'The tags of nearly all tickets are empty.',
        setting: 'mapping.ticket.tags',
        unread: { field: 'tags', column: 'Labels used' },
      },
    ],
  });
  const { settings, decisions } = proposal;
  expect(settings['mapping']).toEqual({ extends: 'zendesk-csv', aliases: { Tags: ['TODO'] } });
  expect(decisions[0]?.choices?.map(({ value }) => value)).toEqual(['Labels used', 'Tags']);
  const [decision] = decisions;
  const answered = withAnswers(proposal, decision === undefined ? [] : [{ decision, value: 'Labels used' }]);
  expect(answered.settings['mapping']).toEqual({
    extends: 'zendesk-csv',
    aliases: { Tags: ['Labels used'] },
  });
});
