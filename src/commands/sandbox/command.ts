/** `helpdesk-import sandbox`: its flags, help and examples, with every fault that can be asked for. */

import type { CommandSpec } from '../../cli/command.ts';
import { FAULT_TARGETS, FAULTS } from '../../sandbox/faults/faults.ts';
import { option } from '../../settings/option-spec.ts';
import { SANDBOX_PORT } from '../../settings/table/run.ts';

const OPTIONS: CommandSpec['options'] = [
  option('What to do', '--port <n>', 'port to listen on; 0 is any free port', {
    byDefault: `${SANDBOX_PORT}, or any free port if it is in use`,
  }),
  option(
    'What to do',
    '--host <address>',
    'address to listen on; anyone who can reach it and has its token can read what is imported',
    { byDefault: '127.0.0.1' },
  ),
  option(
    'What to do',
    '--agents <file>',
    'its team members: a CSV file with email, and optionally id and name',
    { byDefault: 'a team member for every e-mail that is asked for' },
  ),
  option('What to do', '--strict', 'refuse every write and field that the specification does not name'),
  option('What to do', '--fault <spec>', 'make requests fail; may be given more than once; see below', {
    byDefault: 'none',
    repeat: true,
  }),
  option(
    'What is written',
    '--json',
    'one JSON object with addresses and credentials on standard output, as soon as it listens',
  ),
];

const EXAMPLES: readonly (readonly [spec: string, meaning: string])[] = [
  ['503', 'one request in ten is answered with 503'],
  ['reset-after:5@create', 'one create in twenty is done, and then the connection is reset'],
  ['429=30:1', 'one request in a hundred is answered with 429 and "Retry-After: 30"'],
  ['no-answer-after@create#3', 'the third create, and only that one, is done and never answered'],
  ['late-504=12:5@create', 'one create in twenty is answered with 504, and done twelve seconds later'],
];

/** The help below the options of `sandbox --help`. */
export function sandboxHelp(): string {
  const kinds = Object.entries(FAULTS).map(([name, { meaning, value }]) => {
    const reported = value === undefined ? '' : ` (=${value.unit}, default ${value.default})`;
    return `  ${name.padEnd(20)}${meaning}${reported}`;
  });
  return [
    '',
    'Faults: kind[=value][:percent][@requests][#first[-last]]',
    'Without a percentage one request in ten fails, with # every one; without @ all requests of the Core API.',
    'unreadable, list-lags, list-hides, tags-dropped and events-append hold for every request.',
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

export const sandbox: CommandSpec = {
  name: 'sandbox',
  argument: ['[dir]', 'folder of its data (default: helpdesk-import.sandbox)'],
  description: 'a local helpdesk service with the Core API, and a page to look at it',
  group: 'Tools',
  options: OPTIONS,
  examples: [
    ['sandbox', 'look at what was imported into it'],
    ['sandbox --fault reset-after:5@create --fault 503', 'rehearse with a service that fails'],
    ['sandbox --fault unreadable=403', 'with a service that cannot be read'],
  ],
  help: sandboxHelp,
  load: async () => (await import('./sandbox.ts')).sandboxCommand,
};
