/** `helpdesk-import map`: which ticket of the old helpdesk became which of the new one, for links, redirects and notices. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CheckpointReader, outcomeOf, readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import { checkpointPaths } from '../../cli/checkpoint-path.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { loadSettings } from '../../cli/load-settings.ts';
import { requireOutputFile } from '../../cli/output-file.ts';
import { AppError } from '../../domain/errors.ts';
import { TICKET_STATES } from '../../domain/ticket-state.ts';
import { countOf } from '../../present/terminal/format.ts';
import { oneOf, parseTicketUrl } from '../../settings/parsers.ts';
import { MAP_FORMATS, type MapFormat } from './map-options.ts';
import { type Addresses, type MappedTicket, mapLines, NEEDED } from './ticket-map.ts';

export async function mapCommand(
  args: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const format = formatOf(flags['format']);
  const addresses = await addressesOf(flags, context);
  for (const side of NEEDED[format])
    if (addresses[side] === undefined)
      throw new AppError(
        'usage',
        `--format ${format} needs the address of a ticket in the ${SIDES[side].name} helpdesk.`,
        {
          hint: `Give it with --${side}-url, or as ${side}.ticketUrl in the settings.`,
        },
      );
  const { output } = flags;
  if (typeof output === 'string') requireOutputFile(output, output, { mayBeStream: true });
  const readers: CheckpointReader[] = [];
  try {
    for (const path of await checkpointPaths(args, flags, context)) readers.push(readCheckpoint(path));
    const tickets = function* () {
      for (const reader of readers) yield* ticketsIn(reader);
    };
    const lines = Readable.from(mapLines(tickets, format, addresses));
    if (typeof output !== 'string') await pipeline(lines, context.stdout, { end: false });
    else {
      await writeFile(lines, output);
      const count = readers.reduce((sum, reader) => sum + reader.size(), 0);
      context.stdout.write(`${output}: ${countOf(count, 'ticket')}.\n`);
    }
    return 0;
  } finally {
    for (const reader of readers) reader.close();
  }
}

const SIDES = { source: { name: 'old' }, target: { name: 'new' } } as const;

function formatOf(text: Flags[string]): MapFormat {
  const parsed = oneOf(MAP_FORMATS)(String(text ?? 'csv'));
  if ('value' in parsed) return parsed.value;
  throw new AppError('usage', `--format ${parsed.problem}`);
}

/** From the command line, else from the settings. */
async function addressesOf(flags: Flags, context: CliContext): Promise<Addresses> {
  const { config, sourceUrl, targetUrl, notice } = flags;
  const { settings } = await loadSettings([], { config, dryRun: true }, [], { ...context, env: {} });
  const given = (typed: Flags[string], option: string, held: string | undefined) => {
    if (typeof typed !== 'string') return held;
    const parsed = parseTicketUrl(typed);
    if ('value' in parsed) return parsed.value;
    throw new AppError('usage', `${option} ${parsed.problem}.`);
  };
  return {
    source: given(sourceUrl, '--source-url', settings.source.ticketUrl),
    target: given(targetUrl, '--target-url', settings.target.ticketUrl),
    notice: typeof notice === 'string' ? notice : undefined,
  };
}

function* ticketsIn(reader: CheckpointReader): Generator<MappedTicket> {
  const isBeingWritten = reader.writer() !== undefined;
  for (const { externalId, ticketId, state } of reader.inStates(TICKET_STATES))
    yield { externalId, ticketId, state: outcomeOf(state, isBeingWritten) };
}

async function writeFile(lines: Readable, path: string): Promise<void> {
  try {
    await pipeline(lines, createWriteStream(path, { mode: 0o600 }));
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
    if (code === undefined || cause instanceof AppError) throw cause;
    throw new AppError('disk-write', `${path} cannot be written (${code}).`, { cause });
  }
}
