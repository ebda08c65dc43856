/** `helpdesk-import links`: its flags, help and examples. */
import { type CommandSpec, READING, shared } from '../../cli/command.ts';
import { type OptionSpec, option } from '../../settings/option-spec.ts';

/** Where tickets are shown, before and after. */
export const TICKET_ADDRESSES: readonly OptionSpec[] = (
  [
    ['source', 'old'],
    ['target', 'new'],
  ] as const
).map(([section, age]) =>
  option(
    'What to do',
    `--${section}-url <template>`,
    `address of a ticket in the ${age} helpdesk, with {id} for its id there`,
    { byDefault: `${section}.ticketUrl`, carried: true },
  ),
);

export const links: CommandSpec = {
  name: 'links',
  argument: ['<what...>', 'plan or apply, and the files of the export'],
  description: 'rewrite links between tickets to point to the new helpdesk',
  group: 'After',
  options: [
    ...TICKET_ADDRESSES,
    shared('--sandbox', { description: 'the messages of an import into the local service' }),
    shared('--yes'),
    ...READING,
    shared('--only'),
    shared('--checkpoint'),
    shared('--json'),
  ],
  examples: [
    ['links plan export/', 'list every link and what it becomes; nothing is sent'],
    ['links apply export/', 'rewrite them, when all tickets are in the target; again after a delta'],
  ],
  help: () =>
    'Addresses of imported tickets are rewritten. Edits that people made in the new helpdesk stay. Give the files of the export, as for run.',
  load: async () => (await import('./links-command.ts')).linksCommand,
};
