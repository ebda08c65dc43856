/** The options of `sandbox`, and its help: every fault that can be asked for, made from the table that plays them. */

import type { OptionSpec } from '../../cli/options.ts';
import { FAULT_TARGETS, FAULTS } from '../../sandbox/faults/faults.ts';

/** The port that is tried where none is named: the same address each time, so that a checkpoint stays valid. */
export const SANDBOX_PORT = 4180;

export const SANDBOX_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--port <n>',
    description: 'port to listen on; 0 is any that is free',
    byDefault: `${SANDBOX_PORT}, and any that is free where that is taken`,
    example: 'helpdesk-import sandbox --port 8080',
    group: 'What to do',
  },
  {
    flags: '--host <address>',
    description:
      'address to listen on; on any but a local address, anyone who has its token can read what is imported',
    byDefault: '127.0.0.1',
    example: 'helpdesk-import sandbox --host 0.0.0.0',
    group: 'What to do',
  },
  {
    flags: '--memory',
    description: 'keep nothing: all data are gone when it ends',
    example: 'helpdesk-import sandbox --memory',
    group: 'What to do',
  },
  {
    flags: '--agents <file>',
    description:
      'the team members it knows: a CSV or JSON file with email, and optionally id and name; without it, it makes up a team member for every e-mail that is asked for',
    example: 'helpdesk-import sandbox --agents team.csv',
    group: 'What to do',
  },
  {
    flags: '--billing <file>',
    description:
      'what an app sells to whom, for the app API: a JSON file with metrics, plans and customers; see docs/billing-data.md',
    byDefault: 'billing.json in its folder, if there',
    example: 'helpdesk-import sandbox --billing billing.json',
    group: 'What to do',
  },
  {
    flags: '--fault <spec>',
    description: 'make requests fail; may be given more than once; see below',
    byDefault: 'none',
    example: 'helpdesk-import sandbox --fault reset-after:5@create --fault 503',
    group: 'What to do',
    repeat: true,
  },
  {
    flags: '--seed <n>',
    description: 'the same seed and the same order of requests give the same faults',
    byDefault: '1',
    example: 'helpdesk-import sandbox --fault 500 --seed 42',
    group: 'What to do',
  },
  {
    flags: '--rate-limit <n/seconds>',
    description:
      'answer 429 beyond n requests in any window of that length; may be given more than once, and all hold at once',
    byDefault: 'none',
    example: 'helpdesk-import sandbox --rate-limit 1000/60 --rate-limit 5000/300',
    group: 'What to do',
    repeat: true,
  },
  {
    flags: '--unreadable [403|404|405]',
    description:
      'refuse to be read, as services do that promise no reading; with 404 where no status is given',
    example: 'helpdesk-import sandbox --unreadable 403',
    group: 'What to do',
  },
  {
    flags: '--racy-contacts [milliseconds]',
    description:
      'look for a contact first and create it so much later, without looking again; 5 ms where no time is given',
    example: 'helpdesk-import sandbox --racy-contacts 20',
    group: 'What to do',
  },
  {
    flags: '--bare',
    description: 'answer a create with the bare ticket instead of {"ticket": …}',
    example: 'helpdesk-import sandbox --bare',
    group: 'What to do',
  },
  {
    flags: '--strict',
    description:
      'take only what the specification names: no other writes, no other fields of tickets, messages and events',
    example: 'helpdesk-import sandbox --strict',
    group: 'What to do',
  },
  {
    flags: '--json',
    description: 'one JSON object with addresses and credentials on standard output, as soon as it listens',
    example: 'helpdesk-import sandbox --json',
    group: 'What is written',
  },
];

const EXAMPLES: readonly (readonly [spec: string, meaning: string])[] = [
  ['503', 'one request in ten is answered with 503'],
  ['reset-after:5@create', 'one create in twenty is done, and then the connection is reset'],
  ['429=30:1', 'one request in a hundred is answered with 429 and "Retry-After: 30"'],
  ['no-answer-after@create#3', 'the third create, and only that one, is done and never answered'],
  ['slow=2000:50@reads', 'every other read is answered two seconds late'],
  ['late-504=12:5@create', 'one create in twenty is answered with 504, and done twelve seconds later'],
  ['restored=50#200', 'from request 200 on only the 50 oldest tickets are there'],
];

/** What stands below the options of `sandbox --help`. */
export function sandboxHelp(): string {
  const kinds = Object.entries(FAULTS).map(([name, { meaning, value }]) => {
    const reported = value === undefined ? '' : ` (=${value.unit}, ${value.default} where not given)`;
    return `  ${name.padEnd(20)}${meaning}${reported}`;
  });
  return [
    '',
    'Faults: kind[=value][:percent][@requests][#first[-last]]',
    'Without a percentage one request in ten is meant, with # every one; without @ all requests of the Core API.',
    'What a service is always like (lists, stored fields, threads) holds for every request, and any number of these at once.',
    'Other data (emptied, restored, other-workspace) come once: with the first request, or with the one that # names.',
    '',
    'Kinds of faults:',
    ...kinds,
    '',
    `Requests that @ may name: ${[...FAULT_TARGETS.keys()].join(', ')}`,
    '',
    'Examples of faults:',
    ...EXAMPLES.map(([spec, meaning]) => `  --fault ${spec.padEnd(26)}${meaning}`),
  ].join('\n');
}
