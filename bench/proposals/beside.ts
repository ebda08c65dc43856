/** Records that stand beside tickets and messages: what nobody said, and what was said elsewhere. */
import type { Choices } from './choices.ts';
import type { Chance } from './random.ts';
import type { Row } from './shape.ts';
import type { Person, Truth } from './truth.ts';
import type { TimeStyle } from './values.ts';

interface Means {
  readonly chance: Chance;
  readonly time: TimeStyle;
  /** The column that names the ticket. */
  readonly ref: string;
  id(n: number): string | number;
  person(person: Person): Row;
}

/** `named`: a part of a text that has to come in or be named by a finding; undefined where there is none. */
export function besideTable(
  kind: Choices['beside'],
  { tickets, agents }: Truth,
  { chance, time, ref, id, person }: Means,
): { rows: Row[]; named: string | undefined } {
  const rows = tickets.flatMap((ticket): Row[] => {
    const agent = ticket.assignee ?? chance.one(agents);
    const key = { entry: `${ticket.n}-${chance.whole(100, 999)}`, [ref]: id(ticket.n) };
    const at = time.write(ticket.createdAt + 3_600_000);
    switch (kind) {
      case 'audits':
        return ticket.changes.map((change) => ({
          ...key,
          field: 'status',
          value: change.status,
          changed: time.write(change.at),
        }));
      case 'calls':
        return chance.happens(0.6)
          ? [
              {
                ...key,
                started: at,
                seconds: chance.whole(20, 900),
                ...person(agent),
                call_summary: `Called back about ${ticket.subject} and left a message, number ${ticket.n}.`,
              },
            ]
          : [];
      case 'time-entries':
        return chance.happens(0.6)
          ? [
              {
                ...key,
                worked: at,
                minutes: chance.whole(1, 90),
                ...person(agent),
                remark: `Spent some time with the logs of ${ticket.subject}, entry ${ticket.n}.`,
              },
            ]
          : [];
      case 'surveys':
        return chance.happens(0.5)
          ? [
              {
                ...key,
                answered: at,
                satisfaction: chance.whole(1, 5),
                survey_comment: `The survey said ${chance.whole(1, 999)}: friendly, but slow this time.`,
              },
            ]
          : [];
      default:
        return [];
    }
  });
  const named =
    kind === 'calls' ? 'Called back about' : kind === 'time-entries' ? 'Spent some time with' : undefined;
  return { rows, named: rows.length > 1 ? named : undefined };
}
