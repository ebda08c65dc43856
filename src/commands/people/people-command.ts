/** `helpdesk-import people`: which addresses of an export may be one person's, into a file that somebody confirms. */
import { existsSync } from 'node:fs';
import { normalizeEmail } from '../../check/email.ts';
import { PEOPLE_COLUMNS } from '../../check/people.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { loadSettings } from '../../cli/load-settings.ts';
import { requireOutputFile } from '../../cli/output-file.ts';
import { listenForStop, portsOf, READING } from '../../cli/signals.ts';
import { writeWhole } from '../../disk/whole-file.ts';
import { AppError } from '../../domain/errors.ts';
import { csvCell, printable } from '../../domain/printable.ts';
import type { JsonObject } from '../../domain/source.ts';
import type { ReadRecord, SourceFile } from '../../domain/source-file.ts';
import { readPeopleRows } from '../../import/people/people-file.ts';
import { PeopleProposals } from '../../import/people/people-proposals.ts';
import { openSource } from '../../import/source.ts';
import { collectionsOf } from '../../mapping/detect/collections.ts';
import { countOf } from '../../present/terminal/format.ts';
import { PEOPLE_FILE } from './people-options.ts';

export async function peopleCommand(
  files: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const { settings, folder } = await loadSettings(files, { ...flags, dryRun: true }, ['files'], context);
  using stop = listenForStop(context, () => undefined, READING);
  const output = typeof flags['output'] === 'string' ? flags['output'] : PEOPLE_FILE;
  requireOutputFile(output, output);
  const before = existsSync(output) ? await readPeopleRows(output, stop.soft) : [];
  // what is proposed does not depend on what was confirmed before
  await using source = await openSource(
    { ...settings, people: { ...settings.people, people: undefined } },
    {
      ...portsOf(context, stop),
      emit: () => undefined,
      problem: () => undefined,
      signal: stop.soft,
      folder,
    },
  );
  const found = new PeopleProposals();
  for await (const items of source.joined.tickets(stop.soft))
    for (const item of items) if (item.kind === 'ticket') found.see(source.mapper.map(item));
  for (const file of source.files.files) await readRecords(file, found, stop.soft);
  const known = new Set(before.map(({ address, sameAs }) => pairOf(address, sameAs)));
  const added = found.proposals().filter(({ address, sameAs }) => !known.has(pairOf(address, sameAs)));
  if (before.length + added.length === 0) {
    context.stdout.write(
      'No address of this export looks like a second one of the same person. Nothing is written.\n',
    );
    return 0;
  }
  const rows = [
    [...PEOPLE_COLUMNS],
    ...before.map(({ address, sameAs, reason, confirmed }) => [address, sameAs, reason, confirmed]),
    ...added.map(({ address, sameAs, reason, isSaid }) => [address, sameAs, reason, isSaid ? 'yes' : '']),
  ];
  await save(output, rows.map((cells) => `${cells.map((cell) => csvCell(cell)).join(',')}\r\n`).join(''));
  const said = added.filter(({ isSaid }) => isSaid).length;
  const lines = [
    `${printable(output)}: ${countOf(added.length, 'proposal')}${before.length > 0 ? ` added to ${countOf(before.length, 'row')}, which stay as they are` : ''}.`,
    ...(said > 0
      ? [
          `The export itself says so of ${countOf(said, 'row')}, which ${said === 1 ? 'is' : 'are'} confirmed already. Look at ${said === 1 ? 'it' : 'them'} too.`,
        ]
      : []),
    ...(added.length > said
      ? [
          `${countOf(added.length - said, 'row')} ${added.length - said === 1 ? 'waits' : 'wait'} for your answer: write yes under confirmed where it is one person.`,
        ]
      : []),
    `Then name the file in the settings: people: ${printable(output)}`,
  ];
  context.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

async function save(path: string, text: string): Promise<void> {
  try {
    await writeWhole(path, text);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw new AppError('disk-write', `${path} cannot be written (${code}).`, { cause });
  }
}

const pairOf = (one: string, other: string) => [one, other].map(normalizeEmail).sort().join(' ');

/** All records of a file, also of tables that no rule reads. */
async function readRecords(file: SourceFile, found: PeopleProposals, signal: AbortSignal): Promise<void> {
  const seen = new Set<string>();
  for (const { selector } of collectionsOf(file.outline)) {
    const key = JSON.stringify(selector ?? null);
    if (seen.has(key)) continue;
    seen.add(key);
    for await (const records of file.records(selector, signal))
      for (const record of records) {
        const object = objectOf(record, file);
        if (object !== undefined) found.record(object, `${file.name}:${record.ref.line}`);
      }
  }
}

function objectOf({ object, cells, error }: ReadRecord, { outline }: SourceFile): JsonObject | undefined {
  if (error !== undefined) return undefined;
  if (object !== undefined) return object;
  const header = outline.header ?? [];
  return Object.fromEntries((cells ?? []).map((cell, at) => [header[at] ?? '', cell]));
}
