/** Staging in tests: exports of a few lines, joined by a plan of a few words, printed in short. */

import type { Row, SourceItem } from '../../src/domain/source.ts';
import type {
  ExportFiles,
  JoinedExport,
  JoinPlan,
  JoinTable,
  RecordSelector,
} from '../../src/domain/source-file.ts';
import { joinExport } from '../../src/source/join.ts';
import type { StagedExport } from '../../src/source/open-export.ts';
import { signal } from './temp-export.ts';

type TableWish = Omit<JoinTable, 'inputs'> & { readonly file?: string; readonly selector?: RecordSelector };

/** The two tables that most exports have: tickets by their id, and the messages that name it. */
export const ROOT = { name: 'tickets', role: 'root', key: ['id'] } as const;
export const MESSAGES = { name: 'messages', role: 'child', key: ['ticketId'] } as const;

/** `file`: the beginning of the names of its files; without it the table's own name. */
export function planOf(files: ExportFiles, tables: readonly TableWish[]): JoinPlan {
  return {
    tables: tables.map(({ file, selector, ...table }) => ({
      ...table,
      inputs: files.files
        .filter(({ name }) =>
          name
            .split('/')
            .at(-1)
            ?.startsWith(file ?? table.name),
        )
        .map(({ id }) => (selector === undefined ? { file: id } : { file: id, selector })),
    })),
  };
}

export function stage(files: StagedExport, tables: readonly TableWish[]): JoinedExport {
  return joinExport(files, planOf(files, tables), signal);
}

export function items(joined: JoinedExport): SourceItem[] {
  const found: SourceItem[] = [];
  for (const chunk of joined.tickets(signal)) found.push(...chunk);
  return found;
}

/** `T1: row | messages: row, row`, or `code T1`. A row is its cells, or its object as JSON. */
export function reported(joined: JoinedExport): string[] {
  return items(joined).map((item) => {
    if (item.kind === 'unreadable')
      return [item.code, item.externalId].filter((part) => part !== undefined).join(' ');
    const children = [...item.children].map(([table, rows]) => ` | ${table}: ${rows.map(text).join(', ')}`);
    return `${item.externalId}: ${text(item.row)}${children.join('')}`;
  });
}

export function text(row: Row | undefined): string {
  return row?.cells?.join(' ') ?? JSON.stringify(row?.object);
}
