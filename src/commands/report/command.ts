/** `helpdesk-import report`: its flags, help and examples. */

import { type CommandSpec, FILES, READING, shared, WHICH_CHECKPOINT } from '../../cli/command.ts';
import { option } from '../../settings/option-spec.ts';
import { REPORT_FILE } from '../../settings/table/run.ts';

const [, SANDBOX] = WHICH_CHECKPOINT;

export const report: CommandSpec = {
  name: 'report',
  argument: FILES,
  description: 'write the HTML report of a checkpoint',
  group: 'After',
  options: [
    shared('--checkpoint', {
      description:
        'the SQLite checkpoint; may be given more than once: the checkpoints of all shards make the whole',
      group: 'What to read',
      repeat: true,
    }),
    ...(SANDBOX === undefined ? [] : [SANDBOX]),
    ...READING,
    option('What is written', '-o, --output <file>', 'the HTML file to write', { byDefault: REPORT_FILE }),
    shared('--force'),
    shared('--redact', {
      description: 'hide personal data: addresses, names, subjects, messages, quoted values',
      advanced: undefined,
    }),
  ],
  examples: [
    ['report export/', 'write helpdesk-import.report.html'],
    ['report export/ --redact', 'without names, addresses and texts'],
  ],
  load: async () => (await import('./report-command.ts')).reportCommand,
};
