import { describe, expect, it } from 'vitest';
import { emptyCounts } from '../../../src/domain/ticket-state.ts';
import type { summaryWith } from './sample.ts';
import { mixed, shown } from './shown-summary.ts';

describe('the end of a run on screen', () => {
  it('when all is done', () => {
    expect(shown({})).toMatchInlineSnapshot(`
      "✓ All 12,430 tickets are done.

        done  12,430  100 %  in the target, complete
        read  12,430

      What was read and sent
        messages    60,231 read, 60,231 in the target
        events      20,111 read, 20,111 in the target
        contacts    5,102 different
        requests    33,290 sent, 17/s
        time        33 min 19 s
        target      https://helpdesk.example.com
        layout      native
        checkpoint  helpdesk-import.checkpoint.sqlite"
    `);
  });

  it('when not all is well, at 80 columns', () => {
    expect(shown(mixed)).toMatchInlineSnapshot(`
      "! Finished with problems: 12,150 of 12,430 tickets done.

        done      12,150  98 %  in the target, complete
        rejected      41  <1 %  not valid, nothing of them was sent
        failed        30  <1 %  refused by the target, or incomplete there
        in doubt       9  <1 %  sent, and the outcome is unknown
        skipped      200   2 %  left out by your filters
        read      12,430

      What was read and sent
        messages     60,231 read, 60,000 in the target, 12 without their ticket
        events       20,111 read, 20,111 in the target
        contacts     5,102 different
        attachments  911 read, 40 checked, 2 cannot be reached
        requests     33,290 sent, 90 of them to read, 12 of them again, 1 turned away
                     by the rate limit, 17/s
        time         33 min 19 s
        target       https://helpdesk.example.com
        layout       native
        checkpoint   helpdesk-import.checkpoint.sqlite
        rejects      helpdesk-import.rejects
        report       report.html

      Errors: these tickets are not imported
        4,000 × The value is in no value map (status)
                e.g. tickets.csv:12, ticket 4711: The status "On Hold" is in no value
                     map.
                → Add it to the value map in helpdesk-import.yaml, or say there what
                  to do with unlisted values.
            1 × Invalid e-mail address (messages[].contact.email)
                e.g. messages.csv:90211, ticket 12: "ana at example.com" is not an
                     e-mail address.
                → Contacts are matched by their address, so it must be right. Correct
                  it in the export.

      Warnings: these do not stop an import
        1 × The column is used by no rule (brand)
            e.g. tickets.csv:1: The column "brand" is used by no rule and is not sent;
                 12,430 rows have a value in it.
            → It is not sent, or only in the note of its ticket (unmapped: note). Map
              it if it matters.

      Next
        9 tickets may or may not be in the target. First run the same command again,
        it looks for them there:
          helpdesk-import run export.jsonl
        See and settle what is in doubt even then:
          helpdesk-import resolve
        30 tickets were refused, or are incomplete in the target. See why:
          helpdesk-import status --failed
        Once the cause is fixed, run the same command again to try them again:
          helpdesk-import run export.jsonl
        Correct 41 rejected tickets in helpdesk-import.rejects, then import the
        folder:
          helpdesk-import run helpdesk-import.rejects"
    `);
  });

  it('of a trial: every ticket with its reasons and checks, and what to look at', () => {
    const trial = {
      tickets: [
        {
          externalId: '4711',
          ticketId: 'tic_1',
          why: ['the longest thread: 87 messages', 'status closed'],
          checks: [
            { name: 'message order', ok: true, detail: '87 messages in the order of the export.' },
            {
              name: 'attachment accessibility',
              ok: false,
              detail:
                'https://files.example.com/a.png answers 404: look whether the old service still serves it.',
            },
          ],
        },
        { externalId: '12', why: ['an internal note'], checks: [] },
      ],
    };
    const text = shown(
      { mode: 'trial', trial, tickets: { ...emptyCounts(), read: 900, done: 2, pending: 898 }, exitCode: 3 },
      80,
      {
        checklist: {
          overall: ['No customer got an e-mail.'],
          tickets: [
            {
              ticketId: 'tic_1',
              subject: 'Where is it?',
              look: ['Its 87 messages read well.', 'It is closed.'],
            },
          ],
        },
      },
    );
    expect(text.slice(text.indexOf('Trial: '))).toMatchInlineSnapshot(`
      "Trial: 2 tickets, 1 check failed

        4711 → tic_1
          the longest thread: 87 messages; status closed
          ✓ 1 check passed
          ✗ attachment accessibility  https://files.example.com/a.png answers 404:
                                      look whether the old service still serves it.

        12 not in the target
          an internal note

      Please check in the target
        ☐ No customer got an e-mail.
        ☐ tic_1 Where is it?
          Its 87 messages read well. It is closed.

      Next
        Look at what failed before you import the rest:
          helpdesk-import run export.jsonl"
    `);
  });

  it('--quiet is the verdict, the counts and the errors', () => {
    expect(shown(mixed, 80, { quiet: true })).toMatchInlineSnapshot(`
      "! Finished with problems: 12,150 of 12,430 tickets done.

        done      12,150  98 %  in the target, complete
        rejected      41  <1 %  not valid, nothing of them was sent
        failed        30  <1 %  refused by the target, or incomplete there
        in doubt       9  <1 %  sent, and the outcome is unknown
        skipped      200   2 %  left out by your filters
        read      12,430

      Errors: these tickets are not imported
        4,000 × The value is in no value map (status)
                e.g. tickets.csv:12, ticket 4711: The status "On Hold" is in no value
                     map.
                → Add it to the value map in helpdesk-import.yaml, or say there what
                  to do with unlisted values.
            1 × Invalid e-mail address (messages[].contact.email)
                e.g. messages.csv:90211, ticket 12: "ana at example.com" is not an
                     e-mail address.
                → Contacts are matched by their address, so it must be right. Correct
                  it in the export."
    `);
    expect(shown({}, 80, { quiet: true })).toMatchInlineSnapshot(`
      "✓ All 12,430 tickets are done.

        done  12,430  100 %  in the target, complete
        read  12,430"
    `);
  });

  it('--quiet shows a failed check of a trial, and no ticket that passed', () => {
    const check = (ok: boolean, detail: string) => ({ name: 'message order', ok, detail });
    const trial = {
      tickets: [
        {
          externalId: '4711',
          ticketId: 'tic_1',
          why: ['closed'],
          checks: [check(false, 'Two are swapped.')],
        },
        { externalId: '12', ticketId: 'tic_2', why: ['open'], checks: [check(true, 'As they were.')] },
      ],
    };
    const text = shown({ mode: 'trial', trial, exitCode: 3 }, 80, { quiet: true });
    expect(text).toContain('Two are swapped.');
    expect(text).toContain('4711');
    expect(text).not.toContain('tic_2');
  });

  it.each([60, 80, 120])('no line is wider than %i columns', (width) => {
    const wide = shown(mixed, width)
      .split('\n')
      .filter((line) => line.length > width);
    expect(wide).toEqual([]);
  });
});

describe('the first line', () => {
  const first = (parts: Parameters<typeof summaryWith>[0]) => shown(parts, 120).split('\n')[0];
  const counts = (parts: object) => ({ tickets: { ...emptyCounts(), ...parts } });
  it.each([
    [{ ...counts({ read: 9, done: 9 }) }, '✓ All 9 tickets are done.'],
    [{ ...counts({ read: 1, done: 1 }) }, '✓ 1 ticket is done.'],
    [
      { ...counts({ read: 9, done: 9 }), requests: { sent: 6, retried: 0, rateLimited: 0, changing: 0 } },
      '✓ All 9 tickets are done. Already imported; nothing to send.',
    ],
    [{ ...counts({ read: 9, done: 7, skipped: 2 }) }, '✓ All 7 tickets are done, 2 skipped.'],
    [{ ...counts({ read: 2, skipped: 2 }) }, '✓ No ticket was to be imported, 2 skipped.'],
    [{ ...counts({}) }, '✓ The export has no tickets.'],
    [
      { ...counts({ read: 9, done: 8, failed: 1 }), exitCode: 3 },
      '! Finished with problems: 8 of 9 tickets done.',
    ],
    [{ ...counts({ read: 9, done: 8, pending: 1 }), exitCode: 6 }, '✗ Stopped early: 8 of 9 tickets done.'],
    [
      { ...counts({ read: 9, pending: 9 }), mode: 'dry-run' as const },
      '✓ The dry run found nothing to reject in 9 tickets.',
    ],
    [
      { ...counts({ read: 9, pending: 8, rejected: 1 }), mode: 'dry-run' as const, exitCode: 3 },
      '! The dry run would reject 1 of 9 tickets.',
    ],
    [
      { ...counts({ read: 9, done: 8, pending: 1 }), mode: 'trial' as const },
      '✓ The trial is in the target, and all checks passed.',
    ],
  ])('%j', (parts, line) => {
    expect(first(parts)).toBe(line);
  });
});
