import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { builtinLayouts } from '../../src/mapping/detect/builtin-layouts.ts';
import { layoutExport, layoutNames } from '../support/layouts.ts';
import { mapExport, payloads, type Texts } from './support/map-export.ts';
import { columnsIn, markedValue } from './support/markers.ts';

/** Columns of which a word is nowhere and nothing is said. This list may only shrink. */
const SILENT: Readonly<Record<string, readonly string[]>> = parse(
  readFileSync(join(import.meta.dirname, 'marker.yaml'), 'utf8'),
);

async function cameOut(texts: Texts, settings: object) {
  try {
    const { tickets, mapper } = await mapExport(texts, builtinLayouts(), { ...settings, unmapped: 'note' });
    const sent = JSON.stringify(tickets.map((each) => [payloads(each), each.unmapped]));
    const { agents, entries } = mapper.account();
    const loss = JSON.stringify([agents, entries, mapper.problems()]);
    return {
      sent,
      loss,
      columns: entries.filter(({ kind }) => kind === 'columns'),
      left: entries.filter(({ kind }) => kind === 'people' || kind === 'rows'),
    };
  } catch (error) {
    return { sent: '', loss: String(error), columns: [], left: [] };
  }
}

it.each(layoutNames)(
  '%s: a word in any column is sent, kept, or its column is named',
  async (name) => {
    const { texts, settings } = layoutExport(name);
    const before = await cameOut(texts, settings);
    const silent: string[] = [];
    for (const [file, text] of Object.entries(texts)) {
      const columns = columnsIn(file, text);
      for (const column of columns.names) {
        const seeks: (string | undefined)[] = [];
        const written = columns.written(column, (value, n) => {
          const [marked, seek] = markedValue(value, n);
          seeks.push(seek);
          return marked;
        });
        const after = await cameOut({ ...texts, [file]: written }, settings);
        const plain = column.replace(/^\d+#/, '').replace(/^(?:\[\])+\.?/, '');
        const isNamed =
          after.columns.some(
            (of) =>
              plain.endsWith(of.what) || plain.includes(`${of.what}.`) || plain.includes(`${of.what}[]`),
          ) || after.left.some(({ what }) => what.includes(plain.split(/\[\]\.?|\./).at(-1) ?? plain));
        const isChanged = after.sent !== before.sent || after.loss !== before.loss;
        const isThere = seeks.some((seek) => seek !== undefined && after.sent.includes(seek));
        if (!isNamed && !isThere && !isChanged) silent.push(`${file}: ${plain}`);
      }
    }
    expect(silent.filter((column) => SILENT[name]?.includes(column) !== true)).toEqual([]);
  },
  120_000,
);
