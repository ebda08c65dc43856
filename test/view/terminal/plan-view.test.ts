import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { textWidth } from '../../../src/domain/printable.ts';
import { bucketsOf } from '../../../src/view/terminal/month-chart.ts';
import { planLines } from '../../../src/view/terminal/plan-view.ts';
import { LOSS, SURVEY } from './sample.ts';
import { testStyle } from './sink.ts';

const INPUT = {
  survey: SURVEY,
  loss: LOSS,
  layout: 'native',
  files: ['tickets.csv', 'messages.csv', 'events.csv', 'more.csv'],
  rate: '1000/60 and 5000/300',
};

describe('the plan on screen', () => {
  it('at 80 columns', () => {
    expect(planLines(INPUT, testStyle(80)).join('\n')).toMatchInlineSnapshot(`
      "Plan for 12,430 tickets
        from            tickets.csv, messages.csv, events.csv and 1 more (native)
        created         2024-01-02 to 2024-04-27
        messages        60,231 (3,011 internal notes), longest thread 87 (ticket 4711)
        events          20,111
        channels        chn_email 12,000, the default channel of the helpdesk 189
        attachments     911 (1.2 GB)
        contacts        5,102 different, 31 with several names (the newest is taken)
        without ticket  12 messages
        skipped         180: exclude rule "spam"
        skipped         20: created before --since
        to send         12,189 tickets, 12,100 with messages, 9,001 with events, in
                        122 batches of 100
        requests        33,290, and up to 20 to recognise the target and to count
        time            about 33 min at 1000/60 and 5000/300

      What maps to what
                  in the export      becomes    count
        Status    Open            →  open       9,200
                  顧客の返信待ち  →  pending      300
                  (nothing)       →  open           3
        Priority  P1              →  urgent        12
        Author    end-user        →  customer  40,000
        and 2 rarer values

      Tickets by month
        2024-01  8,000  ████████████████████████████████████████
        2024-02  4,429  ██████████████████████▏
        2024-03      0
        2024-04      1  ▏

      What will not arrive
        Columns that no rule uses
          brand               12,430 filled  tickets.csv
          satisfaction_score     801 filled  tickets.csv
        Values that are in no value map
          status  "On Hold"  41  rejects the ticket
        Agents without an agent id
          ben@example.com   400  → agt_01
          cleo@example.com    3  no fallback agent
        Authors known neither as agent nor as customer
          bot-17  5
        Fields that the service has no place for
          CC recipients  77

      A trial would take
        • 4711: the longest thread: 87 messages; status closed
        • 12: an internal note; non-Latin text; attachments"
    `);
  });

  it('at 60 columns, in ASCII', () => {
    expect(planLines(INPUT, testStyle(60, { ascii: true })).join('\n')).toMatchInlineSnapshot(`
      "Plan for 12,430 tickets
        from            tickets.csv, messages.csv, events.csv and
                        1 more (native)
        created         2024-01-02 to 2024-04-27
        messages        60,231 (3,011 internal notes), longest
                        thread 87 (ticket 4711)
        events          20,111
        channels        chn_email 12,000, the default channel of
                        the helpdesk 189
        attachments     911 (1.2 GB)
        contacts        5,102 different, 31 with several names
                        (the newest is taken)
        without ticket  12 messages
        skipped         180: exclude rule "spam"
        skipped         20: created before --since
        to send         12,189 tickets, 12,100 with messages,
                        9,001 with events, in 122 batches of 100
        requests        33,290, and up to 20 to recognise the
                        target and to count
        time            about 33 min at 1000/60 and 5000/300

      What maps to what
                  in the export       becomes    count
        Status    Open            ->  open       9,200
                  顧客の返信待ち  ->  pending      300
                  (nothing)       ->  open           3
        Priority  P1              ->  urgent        12
        Author    end-user        ->  customer  40,000
        and 2 rarer values

      Tickets by month
        2024-01  8,000  ##############################
        2024-02  4,429  #################
        2024-03      0
        2024-04      1  #

      What will not arrive
        Columns that no rule uses
          brand               12,430 filled  tickets.csv
          satisfaction_score     801 filled  tickets.csv
        Values that are in no value map
          status  "On Hold"  41  rejects the ticket
        Agents without an agent id
          ben@example.com   400  -> agt_01
          cleo@example.com    3  no fallback agent
        Authors known neither as agent nor as customer
          bot-17  5
        Fields that the service has no place for
          CC recipients  77

      A trial would take
        * 4711: the longest thread: 87 messages; status closed
        * 12: an internal note; non-Latin text; attachments"
    `);
  });

  it.each([60, 80, 120])('no line is wider than %i columns', (width) => {
    for (const line of planLines(INPUT, testStyle(width)))
      expect(textWidth(line), line).toBeLessThanOrEqual(width);
  });

  it('colours change no letter', () => {
    const colored = planLines(INPUT, testStyle(80, { color: true })).join('\n');
    expect(stripVTControlCharacters(colored)).toBe(planLines(INPUT, testStyle(80)).join('\n'));
    expect(colored).toContain('\u001b[33mValues that are in no value map\u001b[39m');
  });

  it('an empty export has a plan too', () => {
    const nothing = {
      ...SURVEY,
      skippedBecause: [],
      mapping: [],
      channels: [],
      months: [],
      trial: [],
      orphans: { messages: 0, events: 0 },
      requests: { creates: 0, messages: 0, events: 0, updates: 0, reads: 0, total: 0, checks: 0 },
      estimatedSeconds: 0,
    };
    const lines = planLines({ survey: nothing, layout: 'native', files: ['a.jsonl'] }, testStyle(80));
    expect(lines.join('\n')).not.toMatch(/NaN|undefined|Infinity/);
    expect(lines.length).toBeLessThan(14);
  });

  it('values from the export cannot steer the terminal', () => {
    const hostile = {
      ...SURVEY,
      mapping: [{ kind: 'status' as const, from: '\u001b[2J\u202eevil', to: 'open', count: 1 }],
      trial: [{ externalId: '\u0007', why: ['x'] }],
    };
    const text = planLines({ ...INPUT, survey: hostile }, testStyle(80)).join('\n');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});

describe('tickets over time', () => {
  const months = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({
      month: `${Math.floor((from + n) / 12)}-${String(((from + n) % 12) + 1).padStart(2, '0')}`,
      count: 1,
      byStatus: {},
    }));

  it.each([
    [1, 'month', ['2024-01']],
    [24, 'month', { 0: '2024-01', 23: '2025-12' }],
    [25, 'quarter', { 0: '2024 Q1', 8: '2026 Q1' }],
    [120, 'year', { 0: '2024', 9: '2033' }],
  ])('%i months are shown by %s', (count, title, labels) => {
    const { title: by, buckets } = bucketsOf(months(2024 * 12, count));
    expect(by).toBe(title);
    for (const [index, label] of Object.entries(labels)) expect(buckets[Number(index)]?.label).toBe(label);
    expect(buckets.reduce((sum, bucket) => sum + bucket.count, 0)).toBe(count);
  });

  it('a month without a ticket is a row with 0', () => {
    expect(bucketsOf(SURVEY.months).buckets).toEqual([
      { label: '2024-01', count: 8000 },
      { label: '2024-02', count: 4429 },
      { label: '2024-03', count: 0 },
      { label: '2024-04', count: 1 },
    ]);
  });

  it('one wrong year makes no thousand empty rows', () => {
    const odd = [...months(2024 * 12, 2), { month: '9999-12', count: 1, byStatus: {} }];
    expect(bucketsOf(odd).buckets).toEqual([
      { label: '2024', count: 2 },
      { label: '9999', count: 1 },
    ]);
  });
});
