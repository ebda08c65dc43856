/** The inputs of a plan, resolved: each with its file and its readers of keys. */
import { AppError } from '../../domain/errors.ts';
import type { JoinPlan, JoinTable, KeySpec } from '../../domain/join-plan.ts';
import type { ExportFiles, RecordSelector, SourceFile } from '../../domain/source-file.ts';
import { type KeyReader, keyReader, specName, versionReader } from './row-keys.ts';

export interface PlanInput {
  /** Its number in the plan; stands in the database for file and selector. */
  readonly index: number;
  readonly table: JoinTable;
  readonly file: SourceFile;
  readonly selector: RecordSelector | undefined;
  /** Of the external id, or of the ticket that a child names; a lookup has none. */
  readonly key: KeyReader | undefined;
  readonly version: KeyReader | undefined;
  /** By the text of their columns (`specName`): the keys under which rows of the table are looked up. */
  readonly lookups: ReadonlyMap<string, KeyReader>;
  /** By the text of their columns: what children match instead of the external id. Of roots only. */
  readonly alternates: ReadonlyMap<string, KeyReader>;
  /** Of lookups: the child tables whose rows name a row of this table, the key by which they do, and the ticket that it names. */
  readonly links: readonly {
    readonly child: string;
    readonly key: KeyReader;
    readonly get: KeyReader;
  }[];
  /** Whether a record that no table can have is told as one of this table. One input a file and path is. */
  readonly ownsErrors: boolean;
}

/** Whether rows of a table are tickets, or parts of one that stand for it. */
function isTicketTable({ role }: JoinTable): boolean {
  return role === 'root' || role === 'group';
}

export function planInputs(plan: JoinPlan, files: ExportFiles): PlanInput[] {
  const alternates = new Map<string, KeySpec>();
  for (const { parentKey } of plan.tables)
    if (parentKey !== undefined) alternates.set(specName(parentKey), parentKey);
  const byId = new Map(files.files.map((file) => [file.id, file]));
  const owners = errorOwners(plan);
  let index = 0;
  return plan.tables.flatMap((table) =>
    table.inputs.map((input): PlanInput => {
      const file = byId.get(input.file);
      if (file === undefined)
        throw new AppError('internal', `The plan names file ${input.file}, which is not open.`);
      const { selector } = input;
      const readers = (specs: Iterable<KeySpec>) =>
        new Map([...specs].map((columns) => [specName(columns), keyReader(columns, file)]));
      return {
        index: index++,
        table,
        file,
        selector,
        key: table.role === 'lookup' ? undefined : keyReader(input.key ?? table.key, file),
        version: table.latest === undefined ? undefined : versionReader(table.latest, file),
        lookups: readers(table.lookups ?? []),
        alternates: readers(isTicketTable(table) ? alternates.values() : []),
        links: (table.links ?? []).map(({ child, get }) => ({
          child,
          key: keyReader(input.key ?? table.key, file),
          get: keyReader(get, file),
        })),
        ownsErrors: owners.get(passName(input.file, selector)) === input,
      };
    }),
  );
}

/** Whether joining has to read an input before the first ticket can be handed out. */
export function mustLoad(input: PlanInput, inputs: readonly PlanInput[]): boolean {
  if (!isTicketTable(input.table) || input.table.role === 'group') return true;
  if (input.lookups.size > 0 || input.version !== undefined) return true;
  // a ticket may stand in several files: all of its records are needed at the first of them
  return inputs.some(
    (other) => other.table.role === 'child' || (other !== input && other.table === input.table),
  );
}

/** Inputs with the same name are read in one pass over the file. */
export function passName(file: number, selector: RecordSelector | undefined): string {
  return `${file} ${JSON.stringify(selector?.path ?? null)}`;
}

/** A broken record counts once: for a table of tickets, if one is read there, else for the first table. */
function errorOwners(plan: JoinPlan): Map<string, unknown> {
  const owners = new Map<string, unknown>();
  for (const tickets of [true, false]) {
    for (const table of plan.tables.filter((each) => isTicketTable(each) === tickets)) {
      for (const input of table.inputs) {
        const name = passName(input.file, input.selector);
        if (!owners.has(name)) owners.set(name, input);
      }
    }
  }
  return owners;
}

export function inputAt(inputs: readonly PlanInput[], index: number): PlanInput {
  const input = inputs[index];
  if (input === undefined) throw new AppError('internal', `The plan has no input ${index}.`);
  return input;
}
