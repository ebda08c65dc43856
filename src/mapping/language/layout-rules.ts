/** What a layout must keep to beyond its schema: names that exist, one table of tickets, zones and patterns that are some. */
import { didYouMean } from '../../domain/nearest.ts';
import { compileTimePattern } from '../../time/time-pattern.ts';
import { isZone, nearestZone } from '../../time/zone.ts';
import { listOf } from '../compile/column-path.ts';
import type { Layout } from './layout.ts';
import { referencesOf } from './references.ts';
import type { LayoutIssue } from './strict-object.ts';

/** All complaints at once; none means that the layout can be compiled. */
export function layoutIssues(layout: Layout): LayoutIssue[] {
  const issues: LayoutIssue[] = [];
  const complain = (path: readonly PropertyKey[], message: string) => issues.push({ path, message });
  const tables = Object.entries(layout.tables);
  const roots = tables.filter(([, table]) => table.role === 'root' || table.role === 'group');
  if (roots.length !== 1)
    complain(
      ['tables'],
      `A layout has exactly one table with role root or group: the tickets. This one has ${roots.length}.`,
    );
  for (const [name, table] of tables) {
    for (const [index, recognition] of listOf(table.recognise).entries()) {
      if (Object.values(recognition).every((value) => value === undefined))
        complain(
          ['tables', name, 'recognise', index],
          'Say how this table is known: by columns, or by a file name.',
        );
    }
  }
  const names = {
    table: Object.keys(layout.tables),
    map: Object.keys(layout.maps ?? {}),
    people: Object.keys(layout.people ?? {}),
  };
  for (const use of referencesOf(layout).uses) {
    if (!names[use.kind].includes(use.name))
      complain(
        use.path,
        `There is no ${WORDS[use.kind]} "${use.name}".${didYouMean(use.name, names[use.kind])}`,
      );
  }
  for (const [name, people] of Object.entries(layout.people ?? {})) {
    const role = layout.tables[people.table]?.role;
    if (role !== undefined && role !== 'lookup')
      complain(
        ['people', name, 'table'],
        `People are looked up: the table "${people.table}" needs the role lookup.`,
      );
  }
  const zone = layout.times?.zone;
  if (zone !== undefined && !isZone(zone)) {
    const meant = nearestZone(zone);
    complain(
      ['times', 'zone'],
      `There is no time zone "${zone}".${meant === undefined ? '' : ` Did you mean "${meant}"?`}`,
    );
  }
  for (const format of listOf(layout.times?.format)) {
    if (format !== 'auto' && format !== 'epoch' && compileTimePattern(format) === undefined)
      complain(
        ['times', 'format'],
        `"${format}" is no pattern of a time: use auto, epoch, or letters such as dd/MM/yyyy HH:mm.`,
      );
  }
  return issues;
}

const WORDS = { table: 'table', map: 'value map', people: 'table of people' } as const;
