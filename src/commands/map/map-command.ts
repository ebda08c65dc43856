/** `helpdesk-import map`: which ticket of the old helpdesk became which of the new one, as CSV or JSONL. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CheckpointReader, readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import { checkpointPaths } from '../../cli/checkpoint-path.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { loadSettings } from '../../cli/load-settings.ts';
import { AppError } from '../../domain/errors.ts';
import { addressWithId, csvCell } from '../../domain/printable.ts';
import { TICKET_STATES } from '../../domain/ticket-state.ts';
import { parseTicketUrl } from '../../settings/parsers.ts';

/** Templates with `{id}` for the id of a ticket. */
interface Addresses {
  readonly source?: string | undefined;
  readonly target?: string | undefined;
}

export async function mapCommand(
  args: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const addresses = await addressesOf(flags, context);
  const readers: CheckpointReader[] = [];
  try {
    for (const path of await checkpointPaths(args, flags, context)) readers.push(readCheckpoint(path));
    await pipeline(
      Readable.from(mapLines(readers, flags['format'] === 'jsonl' ? 'jsonl' : 'csv', addresses)),
      context.stdout,
      { end: false },
    );
    return 0;
  } finally {
    for (const reader of readers) reader.close();
  }
}

/** From the command line, else from the settings. */
async function addressesOf(flags: Flags, context: CliContext): Promise<Addresses> {
  const { config, sourceUrl, targetUrl } = flags;
  const { settings } = await loadSettings([], { config, dryRun: true }, [], { ...context, env: {} });
  return {
    source: addressIn(sourceUrl, '--source-url') ?? settings.source.ticketUrl,
    target: addressIn(targetUrl, '--target-url') ?? settings.target.ticketUrl,
  };
}

/** The template of an option; undefined where it was not given. */
export function addressIn(typed: Flags[string], option: string): string | undefined {
  if (typeof typed !== 'string') return undefined;
  const parsed = parseTicketUrl(typed);
  if ('value' in parsed) return parsed.value;
  throw new AppError('usage', `${option} ${parsed.problem}.`);
}

const HEADER = 'old_id,old_address,new_id,new_address';

/** Of the tickets that are in the target. */
function* mapLines(
  readers: readonly CheckpointReader[],
  format: 'csv' | 'jsonl',
  { source, target }: Addresses,
): Generator<string> {
  if (format === 'csv') yield `${HEADER}\r\n`;
  for (const reader of readers)
    for (const { externalId: oldId, ticketId: newId } of reader.inStates(TICKET_STATES)) {
      if (newId === undefined) continue;
      const oldAddress = source && addressWithId(source, oldId);
      const newAddress = target && addressWithId(target, newId);
      yield format === 'jsonl'
        ? `${JSON.stringify({ oldId, oldAddress, newId, newAddress })}\n`
        : `${[oldId, oldAddress ?? '', newId, newAddress ?? ''].map((text) => csvCell(text)).join(',')}\r\n`;
    }
}
