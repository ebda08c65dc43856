/** Where the time of a dry run goes: the journey of a ticket, one stage longer each time, in one process. */

import { createChecker } from '../src/check/check-ticket.ts';
import { checkRules } from '../src/import/check-rules.ts';
import { type Examination, examine } from '../src/import/examine.ts';
import { openSource } from '../src/import/source.ts';
import { surveyExport } from '../src/import/survey-export.ts';
import { createSelection } from '../src/plan/selection.ts';
import { createContactNames } from '../src/source/join/contact-names.ts';
import { systemClock } from '../src/system-clock.ts';
import { cpuMs } from './support/cpu-time.ts';
import { exportOf, type KeptExport, ORDINARY_BODY, type Shape } from './support/exports.ts';
import { sideBySide, type Way } from './support/rounds.ts';
import { settingsFor } from './support/settings.ts';
import { fixed, printTable, title } from './support/table.ts';

const TICKETS = 20_000;

export async function stages(): Promise<void> {
  title('Where the time of a dry run goes');
  const shapes: readonly (readonly [string, Shape])[] = [
    ['JSONL', { tickets: TICKETS, bodyLength: ORDINARY_BODY }],
    [
      'CSV trio, rows shuffled',
      { tickets: TICKETS, bodyLength: ORDINARY_BODY, format: 'csv', shuffle: true },
    ],
  ];
  for (const [name, shape] of shapes) {
    const kept = await exportOf(shape);
    const measured = await sideBySide(waysOf(kept));
    console.log(`${name}: ${kept.tickets} tickets, ${fixed(kept.bytes / 1e6, 0)} MB\n`);
    let before = 0;
    printTable(
      ['up to', 'CPU ms', 'µs a ticket', 'MB/s', 'this stage, µs'],
      measured.map(({ name: stage, median }) => {
        const each = (median / kept.tickets) * 1000;
        const own = each - before;
        before = each;
        return [stage, fixed(median, 0), fixed(each, 1), fixed(kept.bytes / median / 1000, 0), fixed(own, 1)];
      }),
    );
  }
}

function waysOf(kept: KeptExport): Way[] {
  const settings = settingsFor(kept.files);
  const signal = new AbortController().signal;
  const open = () => openSource(settings, { emit: () => {}, signal, problem: () => {}, folder: '.' });
  const timed = (work: () => Promise<void>) => async () => {
    const begun = cpuMs();
    await work();
    return cpuMs() - begun;
  };
  return [
    {
      name: 'read',
      run: timed(async () => {
        await using source = await open();
        for (const file of source.files.files) for await (const _ of file.records(undefined, signal));
      }),
    },
    {
      name: 'stage',
      run: timed(async () => {
        await using source = await open();
        for await (const _ of source.joined.tickets(signal));
      }),
    },
    {
      name: 'map',
      run: timed(async () => {
        await using source = await open();
        for await (const items of source.joined.tickets(signal))
          for (const item of items) if (item.kind === 'ticket') source.mapper.map(item);
      }),
    },
    {
      name: 'check',
      run: timed(async () => {
        await using source = await open();
        const examination: Examination = {
          joined: source.joined,
          files: source.files,
          mapper: source.mapper,
          check: createChecker(checkRules(settings, source, systemClock)),
          selection: createSelection({}),
          ledger: undefined,
          mode: 'run',
        };
        for await (const _ of examine(examination, signal));
      }),
    },
    {
      name: 'survey',
      run: timed(async () => {
        await using source = await open();
        using names = createContactNames();
        await surveyExport(source, settings, {
          check: createChecker(checkRules(settings, source, systemClock)),
          names,
          ledger: undefined,
          problem: () => {},
          emit: () => {},
          now: systemClock.now,
          signal,
        });
      }),
    },
  ];
}
