/** Arrow 1: the files of an export become rows, its layout is recognised, and its tables are joined. */
import type { RecordRef, Row } from '../domain/source.ts';
import type { FileOutline } from '../domain/source-file.ts';
import { stop } from '../domain/text/stops.ts';
import { builtinLayout, detectBuiltin } from '../mapping/detect/builtin-layouts.ts';
import { type Detection, detectLayout } from '../mapping/detect/detect.ts';
import type { Layout } from '../mapping/language/layout.ts';
import { sourceNameOf } from '../plan/source-name.ts';
import { TicketPlan } from '../plan/ticket-plan.ts';
import type { Settings } from '../settings/settings.ts';
import { createContactNames } from '../source/contact-names.ts';
import { joinExport } from '../source/join.ts';
import { openExport } from '../source/open-export.ts';
import type { Problems } from '../source/problem-list.ts';
import { rejectFoldersOf } from '../source/reject-folder.ts';
import { requireTemporaryRoom } from '../source/temporary-room.ts';
import type { ReadPorts, Source } from './run.ts';

type Reading = Pick<Settings, 'source' | 'mapping'>;

interface Read {
  readonly settings: Reading;
  readonly ports: ReadPorts;
  readonly problems: Pick<Problems, 'tell'>;
  /** The name of the source in the checkpoint, and its path. */
  readonly recorded?: { readonly name: string | undefined; readonly checkpoint: string } | undefined;
}

export async function readExport({ settings, ports, problems, recorded }: Read): Promise<Source> {
  const { source } = settings;
  const { emit, soft: signal } = ports;
  emit({ type: 'stage', stage: 'reading' });
  const find = await layoutFinder(settings);
  const files = await openExport(source.files, {
    encoding: areRejects(source.files) ? undefined : source.encoding,
    ...{ delimiter: source.delimiter, skipLines: source.skipLines, header: source.header },
    ...{ stdin: ports.stdin, signal },
    onListed: (bytes) => requireTemporaryRoom(bytes, emit),
    onProgress: (bytes, totalBytes, records) => emit({ type: 'read', bytes, totalBytes, records }),
  });
  try {
    for (const problem of files.problems) problems.tell(problem);
    const detection = find(files.files.map(({ outline }) => outline));
    for (const problem of detection.problems) problems.tell(problem);
    const contacts = createContactNames();
    return {
      name: sourceNameOf(settings, detection.layout.name, recorded),
      ...{ files, detection, contacts, toldProblems: files.problems.length },
      joined: joinExport(files, detection.plan, signal),
      plan: new TicketPlan(files.stage.database),
      [Symbol.asyncDispose]: async () => {
        contacts[Symbol.dispose]();
        await files[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await files[Symbol.asyncDispose]();
    throw error;
  }
}

/** Rejects are always UTF-8. */
function areRejects(files: readonly string[]): boolean {
  return files.length > 0 && files.every((file) => rejectFoldersOf([file]).length > 0);
}

type LayoutFinder = (outlines: readonly FileOutline[]) => Detection;

async function layoutFinder({ mapping, source: { from } }: Reading): Promise<LayoutFinder> {
  if (mapping === undefined) return (outlines) => detectBuiltin(outlines, from);
  const layout = await ownLayout(mapping);
  return (outlines) => detectLayout(outlines, [layout], layout.name);
}

async function ownLayout(mapping: unknown): Promise<Layout> {
  const { readMapping } = await import('../mapping/language/read-layout.ts');
  const read = readMapping(mapping, builtinLayout);
  if ('layout' in read) return read.layout;
  throw stop(
    'own-mapping',
    {},
    { lines: read.issues.map(({ path, message }) => `mapping.${path.map(String).join('.')}: ${message}`) },
  );
}

export function nameOf({ files }: Pick<Source, 'files'>, { file }: Pick<RecordRef, 'file'>): string {
  return files.files[file]?.name ?? '';
}

export function rowAt(
  { table, ref }: { readonly table: string; readonly ref: RecordRef },
  { files, detection }: Pick<Source, 'files' | 'detection'>,
): Row | undefined {
  const inputs = detection.plan.tables.find(({ name }) => name === table)?.inputs ?? [];
  const selector = inputs.find((input) => input.file === ref.file)?.selector;
  const record = files.files[ref.file]?.at(ref, selector);
  return record === undefined || record.error !== undefined ? undefined : { ...record, table };
}
