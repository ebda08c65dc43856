import { describe, expect, it } from 'vitest';
import { allAdvice } from '../../../src/view/advice.ts';
import { problemLines } from '../../../src/view/terminal/problem-view.ts';
import { PROBLEMS, snapshotOf } from './sample.ts';
import { testStyle } from './sink.ts';

describe('problems on screen', () => {
  it('a ticket that is in the target twice is not told as one that is not imported', () => {
    const twice = {
      severity: 'error',
      code: 'duplicate-in-target',
      ticket: '7',
      message: 'The target has this ticket 2 times (T1, T2).',
      count: 1,
    } as const;
    const shown = problemLines(snapshotOf([twice]), testStyle(100)).join('\n');
    expect(shown).toContain('Errors: these tickets are in the target twice');
    expect(shown).not.toContain('not imported');
  });

  it('the same problem 4,000 times is one line with a count, an example and what to do', () => {
    expect(problemLines(snapshotOf(PROBLEMS), testStyle(80)).join('\n')).toMatchInlineSnapshot(`
      "
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
              it if it matters."
    `);
  });

  it('many kinds are cut, and counted', () => {
    const many = Array.from({ length: 20 }, (_, n) => ({ ...PROBLEMS[0]!, code: `kind-${n}`, count: 2 }));
    const lines = problemLines(snapshotOf(many), testStyle(80), { mostGroups: 3 });
    expect(lines.at(-1)).toBe('  and 34 more of 17 other kinds: see --json or --report');
  });

  it('a kind that has no advice stands under its code', () => {
    const [, , line] = problemLines(
      snapshotOf([{ ...PROBLEMS[0]!, code: 'new-kind', count: 1 }]),
      testStyle(80),
    );
    expect(line).toBe('  1 × new-kind (status)');
  });

  it('every advice is a title and whole sentences', () => {
    for (const { code, title, todo } of allAdvice()) {
      expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(title).toMatch(/^[A-Z].*[^.]$/);
      expect(todo).toMatch(/^[A-Za-z].*\.$/);
    }
    expect(allAdvice().length).toBeGreaterThan(40);
  });
});
