/** `helpdesk-import init`: its flags, help and examples. */

import { type CommandSpec, NEEDED_FILES, shared } from '../../cli/command.ts';
import { option } from '../../settings/option-spec.ts';
import { SETTINGS_FILE } from '../../settings/table/table.ts';

export const init: CommandSpec = {
  name: 'init',
  argument: NEEDED_FILES,
  description: 'look at an export and write a commented helpdesk-import.yaml',
  group: 'Before',
  options: [
    option('What to do', '--propose', 'propose a new mapping even if the layout is known'),
    shared('--yes', { description: 'ask nothing: what only you can know is marked TODO' }),
    shared('--from'),
    shared('--encoding'),
    shared('--delimiter'),
    option(
      'What is written',
      '-o, --output <file>',
      'the settings file to write; a JSON schema for editors is written next to it',
      { byDefault: SETTINGS_FILE },
    ),
    shared('--force', { description: 'replace an existing settings file' }),
  ],
  examples: [
    ['init export/', 'propose a mapping and ask what only you know'],
    ['init export/ --yes', 'ask nothing: what only you know is marked TODO'],
    ['init export/ -o acme.yaml', 'write it to another file'],
  ],
  load: async () => {
    const { initCommand } = await import('./init.ts');
    return async (args, flags, context) => await initCommand(args, flags, context);
  },
};
