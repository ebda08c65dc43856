/**
 * People embedded in tickets, in some complete and in others by ID only: one table for all records
 * of the export, so that every ID is resolved.
 */
import type { JoinedExport, JoinPlan } from '../../domain/join-plan.ts';
import { type ExportFiles, isJsonObject, selectObject } from '../../domain/source-file.ts';
import { parsePath, valueAt } from '../compile/column-path.ts';
import { type CompileContext, mainColumn, rowPlace } from '../compile/compile-context.ts';
import { compileExpression, itemPlace, itemsOf } from '../compile/expressions.ts';
import { itemScope, newNotes, rowScope } from '../compile/scope.ts';
import { comparable } from '../compile/text-forms.ts';
import { compileFields, readPerson } from './people.ts';
import type { EmbeddedPeople, Person } from './person.ts';

/** Reads all tickets once; nothing where the layout names no such place, or the export has none of them. */
export async function embeddedPeople(
  context: CompileContext,
  plan: JoinPlan,
  files: ExportFiles,
  joined: JoinedExport,
  signal: AbortSignal,
): Promise<EmbeddedPeople> {
  const rows = rowPlace(context.rootTable);
  const sources = Object.entries(context.layout.people ?? {}).flatMap(([name, { within = [], ...rule }]) =>
    within
      .filter(({ each }) => isThere(mainColumn(each), context, plan, files))
      .map(({ each, role = rule.role }) => ({
        name,
        items: compileExpression(each, rows, context),
        fields: compileFields({ id: 'id', ...rule, role }, itemPlace(each, rows), context),
      })),
  );
  const people = new Map<string, Map<string, Person>>();
  if (sources.length === 0) return people;
  for await (const items of joined.tickets(signal))
    for (const item of items) {
      if (item.kind !== 'ticket') continue;
      const scope = rowScope(item, item.row, newNotes());
      for (const { name, items: read, fields } of sources)
        for (const each of itemsOf(read(scope)).filter(isJsonObject)) {
          const person = readPerson(fields, itemScope(scope, each));
          if (person.id === undefined) continue;
          const known = people.get(name) ?? new Map<string, Person>();
          people.set(name, known);
          const key = comparable(person.id);
          known.set(key, merged(known.get(key), person));
        }
    }
  return people;
}

/** What is said first stays; the others fill in what it leaves out. */
function merged(one: Person | undefined, other: Person): Person {
  if (one === undefined) return other;
  return {
    id: one.id,
    email: one.email ?? other.email,
    name: one.name ?? other.name,
    role: one.role ?? other.role,
    roleFrom: one.role === undefined ? other.roleFrom : one.roleFrom,
  };
}

function isThere(path: string, context: CompileContext, plan: JoinPlan, { files }: ExportFiles): boolean {
  const steps = parsePath(path);
  const root = plan.tables.find(({ name }) => name === context.rootTable);
  return (root?.inputs ?? []).some(({ file, selector }) => {
    const { collections } = files.find(({ id }) => id === file)?.outline ?? {};
    const samples = collections?.find(({ path: at }) => at?.join('.') === selector?.path?.join('.'))?.sample;
    return samples?.some((sample) =>
      [valueAt(selectObject(sample, selector), steps)].flat().some(isJsonObject),
    );
  });
}
