import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CheckpointReader, readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import { type CommandSpec, SET, WHICH_CHECKPOINT } from '../cli/command.ts';
import type { CliContext, Flags } from '../cli/context.ts';
import { checkpointPath, loadSettings } from '../cli/load-settings.ts';
import { addressWithId } from '../domain/printable.ts';
import { TICKET_STATES } from '../domain/ticket-state.ts';
import { csvLine } from '../source/csv-line.ts';

export const command: CommandSpec = {
  arguments: [['[checkpoint]', 'the checkpoint file']],
  options: [SET, ...WHICH_CHECKPOINT],
  examples: [['links > moved.csv', 'the old and the new ID of each imported ticket']],
  help: () =>
    'The setting source.ticketUrl adds the old address of each ticket. --json prints one object a line instead of CSV.',
  run: linksCommand,
};

async function linksCommand([named]: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const { config, set, json } = flags;
  const { settings } = await loadSettings([], { config, set, dryRun: true }, [], { ...context, env: {} });
  using reader = readCheckpoint(await checkpointPath(named, flags, context));
  const lines = linksIn(reader, json === true, settings.source.ticketUrl);
  await pipeline(Readable.from(lines), context.stdout, { end: false });
  return 0;
}

function* linksIn(
  reader: CheckpointReader,
  isJson: boolean,
  oldTickets: string | undefined,
): Generator<string> {
  if (!isJson) yield 'old_id,old_address,new_id\r\n';
  for (const { externalId: oldId, ticketId: newId } of reader.inStates(TICKET_STATES)) {
    if (newId === undefined) continue;
    const oldAddress = oldTickets && addressWithId(oldTickets, oldId);
    yield isJson
      ? `${JSON.stringify({ oldId, oldAddress, newId })}\n`
      : `${csvLine([oldId, oldAddress ?? '', newId], ',')}\r\n`;
  }
}
