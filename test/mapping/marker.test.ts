import { expect, it } from 'vitest';
import { builtinLayouts } from '../../src/mapping/detect/builtin-layouts.ts';
import { signal } from '../source/temp-export.ts';
import { layoutExport, layoutNames } from '../support/layouts.ts';
import { admits, fatesIn, isSilent, type Marked, plain } from './support/fates.ts';
import { mapExport, payloads, type Texts } from './support/map-export.ts';
import { columnsIn } from './support/markers.ts';

async function cameOut(texts: Texts, settings: object) {
  try {
    const { tickets, mapper, joined, detection } = await mapExport(texts, builtinLayouts(), {
      ...settings,
      unmapped: 'note',
    });
    const { agents, entries } = mapper.account();
    const rejected = [...joined.tickets(signal)].flat().filter((item) => item.kind === 'unreadable');
    const sent = tickets.map((each) => [payloads(each), each.unmapped]);
    const nameOf = (file: number) => Object.keys(texts)[file] ?? '';
    const { technical = {} } = detection.layout;
    const own = detection.plan.tables.filter(
      ({ name, role }) => role === 'lookup' && technical[name]?.includes('*'),
    );
    const whole = [
      ...own.flatMap(({ inputs }) => inputs),
      ...joined.olderRows(),
      ...rejected.map(({ ref }) => ref),
      ...joined.unaskedRows(new Set()),
    ];
    return {
      texts: JSON.stringify([sent, agents, entries, mapper.problems()]),
      columns: entries.filter(({ kind }) => kind === 'columns'),
      left: entries.filter(({ kind }) => kind === 'people' || kind === 'rows'),
      whole: new Set(whole.map(({ file }) => nameOf(file))),
      frames: joined.unreadRows(),
      fates: fatesIn([...mapper.ledger.cells()], detection.plan, nameOf),
    };
  } catch {
    return undefined;
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
        const path = plain(column.replace(/^\d+#/, ''));
        const imported = async (
          change: Parameters<typeof columns.written>[1],
        ): Promise<Marked | undefined> => {
          const after = await cameOut({ ...texts, [file]: columns.written(column, change) }, settings);
          if (after === undefined) return undefined;
          const isNamed =
            after.columns.some(({ what }) => `.${path}.`.includes(`.${plain(what)}.`)) ||
            after.whole.has(file) ||
            after.frames.some(({ file: name, list }) => name === file && list === path) ||
            after.left.some(({ what }) => what.includes(path.split('.').at(-1) ?? path));
          return {
            texts: after.texts,
            isNamed,
            isChanged: after.texts !== before?.texts,
            fates: after.fates(file, path),
          };
        };
        if ((await isSilent(imported)) && !admits(name, path)) silent.push(`${file}: ${path}`);
      }
    }
    expect(silent).toEqual([]);
  },
  120_000,
);
