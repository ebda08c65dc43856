/** Arrow 1: the files of an export become rows, its layout is recognised, and its tables are joined. */
import { isFileThere } from '../checkpoint/file.ts';
import { readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import type { RecordRef, Row } from '../domain/source.ts';
import { stop } from '../domain/text/stops.ts';
import { builtinLayout, detectBuiltin } from '../mapping/detect/builtin-layouts.ts';
import { detectLayout, UnknownLayout } from '../mapping/detect/detect.ts';
import type { Layout } from '../mapping/language/layout.ts';
import { sourceNameOf } from '../plan/source-name.ts';
import { TicketPlan } from '../plan/ticket-plan.ts';
import type { Settings } from '../settings/settings.ts';
import { createContactNames } from '../source/contact-names.ts';
import { joinExport } from '../source/join.ts';
import { openExport, type StagedExport } from '../source/open-export.ts';
import type { Problems } from '../source/problem-list.ts';
import { rejectFoldersOf } from '../source/reject-folder.ts';
import type { ReadPorts, Source } from './run.ts';

type Reading = Pick<Settings, 'source' | 'mapping' | 'output'>;

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
  const files = await openExport(source.files, {
    encoding: areRejects(source.files) ? undefined : source.encoding,
    ...{ delimiter: source.delimiter, skipLines: source.skipLines, header: source.header },
    ...{ stdin: ports.stdin, signal },
    onProgress: (bytes, totalBytes, records) => emit({ type: 'read', bytes, totalBytes, records }),
  });
  try {
    for (const problem of files.problems) problems.tell(problem);
    const { detection, proposal } = await detected(files, settings, signal);
    const contacts = createContactNames();
    return {
      name: sourceNameOf(settings, detection.layout.name, recorded),
      ...{ files, detection, proposal, contacts, toldProblems: files.problems.length },
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

/** An unknown export is mapped as it is proposed, if nothing is asked; later ones of its checkpoint as the first was. */
async function detected(
  files: StagedExport,
  { mapping, source: { from }, output: { checkpoint } }: Reading,
  signal: AbortSignal,
): Promise<Pick<Source, 'detection' | 'proposal'>> {
  const by = async (own: unknown, isProposed = false) => {
    const layout = { ...(await ownLayout(own)), isProposed };
    return detectLayout(files.files, [layout], layout.name);
  };
  if (mapping !== undefined) return { detection: await by(mapping) };
  try {
    return { detection: detectBuiltin(files.files, from) };
  } catch (error) {
    if (!(error instanceof UnknownLayout) || from !== undefined) throw error;
    const first = isFileThere(checkpoint) ? proposalIn(checkpoint) : undefined;
    if (first !== undefined) return { detection: await by(first, true), proposal: first };
    const { proposedMapping } = await import('../discover/proposed-mapping.ts');
    const { mapping: proposal, open } = await proposedMapping(files, signal);
    if (open.length > 0) throw stop('open-mapping', {}, { lines: [...error.lines, ...open] });
    return { detection: await by(proposal, true), proposal };
  }
}

function proposalIn(checkpoint: string): unknown {
  using reader = readCheckpoint(checkpoint);
  return reader.size() === 0 ? undefined : reader.meta.proposal;
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
