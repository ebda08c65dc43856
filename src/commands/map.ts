/** `helpdesk-import map`: which ticket of the old helpdesk became which of the new one, as CSV or JSONL. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CheckpointReader } from '../checkpoint/read-checkpoint.ts';
import { type CommandSpec, shared, WHICH_CHECKPOINT } from '../cli/command.ts';
import type { CliContext, Flags } from '../cli/context.ts';
import { loadSettings } from '../cli/load-settings.ts';
import { addressWithId, csvCell } from '../domain/printable.ts';
import { TICKET_STATES } from '../domain/ticket-state.ts';
import { option } from '../settings/option-spec.ts';
import type { Settings } from '../settings/settings.ts';
import { checkpointPaths, withReaders } from './checkpoint-view.ts';
import { TICKET_ADDRESSES, ticketAddresses } from './links.ts';

export const command: CommandSpec = {
  arguments: [['[checkpoints...]', 'checkpoint files; several (of shards) make the whole']],
  options: [
    option('What to do', '--format <csv|jsonl>', 'form of the table', {
      choices: ['csv', 'jsonl'],
      byDefault: 'csv',
    }),
    ...TICKET_ADDRESSES,
    ...WHICH_CHECKPOINT,
    shared('--config', {
      description: 'settings file, which may name the checkpoint and the addresses',
    }),
  ],
  examples: [
    ['map > moved.csv', 'old and new ids and addresses'],
    ['map --format jsonl', 'the same, an object a line'],
  ],
  run: mapCommand,
};

async function mapCommand(args: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const { config, format } = flags;
  const { settings } = await loadSettings([], { config, dryRun: true }, [], { ...context, env: {} });
  await withReaders(await checkpointPaths(args, flags, context), async (readers) => {
    const lines = mapLines(readers, format === 'jsonl', ticketAddresses(flags, settings));
    await pipeline(Readable.from(lines), context.stdout, { end: false });
  });
  return 0;
}

/** Of the tickets that are in the target. */
function* mapLines(
  readers: readonly CheckpointReader[],
  isJson: boolean,
  { source, target }: Pick<Settings, 'source' | 'target'>,
): Generator<string> {
  if (!isJson) yield 'old_id,old_address,new_id,new_address\r\n';
  for (const reader of readers)
    for (const { externalId: oldId, ticketId: newId } of reader.inStates(TICKET_STATES)) {
      if (newId === undefined) continue;
      const oldAddress = source.ticketUrl && addressWithId(source.ticketUrl, oldId);
      const newAddress = target.ticketUrl && addressWithId(target.ticketUrl, newId);
      yield isJson
        ? `${JSON.stringify({ oldId, oldAddress, newId, newAddress })}\n`
        : `${[oldId, oldAddress ?? '', newId, newAddress ?? ''].map((text) => csvCell(text)).join(',')}\r\n`;
    }
}
