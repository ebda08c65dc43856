/** The tickets of a trial as the rows of the export say them: the left side of its pages. */
import { isFileThere } from '../../checkpoint/file.ts';
import { readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import type { TrialPick } from '../../domain/decisions.ts';
import type { Row, SourceTicket } from '../../domain/source.ts';
import { pathOf, valueAt } from '../../domain/source-file.ts';
import type { CheckResult, MappedTicket } from '../../domain/ticket.ts';
import { Agents } from '../../import/agents.ts';
import { sentView } from '../../import/known-files.ts';
import { learn } from '../../import/learn.ts';
import { nameOf, readExport } from '../../import/read.ts';
import { fieldsOf } from '../../import/review-notes.ts';
import type { ImportPorts, LearntSource } from '../../import/run.ts';
import type { Mapper } from '../../mapping/compile/mapper.ts';
import type { Settings } from '../../settings/settings.ts';
import { type OldCell, plainly, textOfValue, topOf, unreadCells } from '../../source/old-cells.ts';
import { NO_PROBLEMS } from '../../source/problem-list.ts';
import type { Sent } from '../../verify/read-back.ts';

export interface OldMessage {
  readonly body: string;
  /** Its other cells: author, time, visibility, files. */
  readonly cells: readonly OldCell[];
}

export interface OldTicket extends TrialPick {
  readonly sent: Sent;
  readonly subject: string;
  readonly cells: readonly OldCell[];
  /** By the place of the message in `sent`. */
  readonly messages: readonly OldMessage[];
  /** By the place of the event in `sent`. */
  readonly events: readonly (readonly OldCell[])[];
  /** Filled cells of its rows that no rule reads. */
  readonly unread: readonly OldCell[];
}

type Fields = ReturnType<Mapper['explain']>;
type Origin = Fields[number]['from'][number];

/** Reads the export once more. */
export async function trialSides(
  settings: Settings,
  picks: readonly TrialPick[],
  ports: ImportPorts,
): Promise<OldTicket[]> {
  const { checkpoint } = settings.output;
  using reader = isFileThere(checkpoint) ? readCheckpoint(checkpoint) : undefined;
  const quiet = { ...ports, emit: () => undefined };
  await using read = await readExport({ settings, ports: quiet, problems: NO_PROBLEMS });
  const source = await learn({ settings, ports }, read, new Agents(undefined, reader));
  const { check, mapper, joined } = source;
  const view = sentView(settings, reader && { files: reader.files, origin: settings.target.baseUrl });
  const waiting = new Map(picks.map((pick) => [pick.externalId, pick]));
  const found = new Map<string, OldTicket>();
  for await (const items of joined.tickets(ports.soft)) {
    for (const item of items) {
      const pick = waiting.get(item.externalId ?? '');
      if (pick === undefined || item.kind !== 'ticket') continue;
      const mapped = await mapper.mapAsking(item, ports.soft);
      const { checked } = view(check(mapped), nameOf(source, item.row.ref));
      if (checked !== undefined)
        found.set(
          pick.externalId,
          oldTicket(pick, checked, placesIn(mapped, check), mapper.explain(item), item, source),
        );
    }
    if (found.size === picks.length) break;
  }
  return picks.flatMap(({ externalId }) => found.get(externalId) ?? []);
}

interface Places {
  readonly messages: readonly number[];
  readonly events: readonly number[];
}

/** The place in the export of each message and event: a ticket sorts them by time, so each is checked alone. */
function placesIn(mapped: MappedTicket, check: (mapped: MappedTicket) => CheckResult): Places {
  const alone = (part: Partial<MappedTicket>) =>
    check({ ...mapped, messages: [], events: [], ...part }).checked;
  const sorted = (times: readonly (string | undefined)[]) =>
    [...times.keys()].sort((one, other) => Date.parse(times[one] ?? '') - Date.parse(times[other] ?? ''));
  return {
    messages: sorted(mapped.messages.map((one) => alone({ messages: [one] })?.messages[0]?.occurredAt)),
    events: sorted(mapped.events.map((one) => alone({ events: [one] })?.events[0]?.occurredAt)),
  };
}

function oldTicket(
  pick: TrialPick,
  { ticket, messages, events, note }: Sent & { readonly note?: Sent['messages'][number] | undefined },
  places: Places,
  fields: Fields,
  item: SourceTicket,
  source: LearntSource,
): OldTicket {
  const all = [item.row, ...[...item.children.values()].flat()];
  const rowsAt = Map.groupBy(all, ({ ref }) => placeOf(ref, source));
  const rows = [...rowsAt.values()].flatMap(([first]) => first ?? []);
  const cellsAt = new Map(rows.map((row) => [placeOf(row.ref, source), new Map(fieldsOf(row, source))]));
  const names = source.mapper.agentNames();
  const read = new Set(
    fields.flatMap(({ from }) => from.map((at) => `${at.file}:${at.line} ${topOf(at.column)}`)),
  );
  /** Undefined in a row that was looked up. `nth`: of a message in a list in its row. */
  const textAt = (from: Origin, value: unknown, nth?: number): string | undefined => {
    const place = `${from.file}:${from.line}`;
    const [row, ...nested] = rowsAt.get(place) ?? [];
    const listed = nth === undefined ? undefined : nested[nth];
    if (row === undefined) return undefined;
    const inList = listed && valueAt(listed.object, pathOf(from.column));
    if (listed !== undefined) return textOfValue(inList ?? value);
    return (
      cellsAt.get(place)?.get(from.column) ?? textOfValue(valueAt(row.object, pathOf(from.column)) ?? value)
    );
  };
  /** A cell that leads to a row of another table is shown with the person or word of that row. */
  const cellsOf = (own: Fields, nth?: number) => {
    const cells = own.flatMap(({ value, from }) => {
      const read = from.flatMap((at) => {
        const text = textAt(at, value, nth);
        return text === undefined ? [] : [{ column: at.column, text: plainly(text) }];
      });
      const isLookedUp = read.length < from.length;
      const behind = typeof value === 'object' ? textOfValue(value) : names.get(String(value));
      return read.map((cell, at) =>
        isLookedUp && at === 0 && behind !== undefined ? { ...cell, text: `${cell.text}: ${behind}` } : cell,
      );
    });
    const longest = new Map<string, OldCell>();
    for (const cell of cells)
      if (cell.text.length >= (longest.get(cell.column)?.text.length ?? 0)) longest.set(cell.column, cell);
    return [...longest.values()];
  };
  const placeIn = (all: readonly number[], count: number, at: number) =>
    all.length === count ? (all[at] ?? at) : at;
  return {
    ...pick,
    sent: { ticket, messages, events },
    subject: ticket.subject,
    cells: cellsOf(fields.filter(({ field }) => !/^(?:messages|events)\[/.test(field))),
    messages: messages.map((message, at) => {
      const nth = placeIn(places.messages, messages.length, at);
      const own = `messages[${nth}].`;
      const ofMessage = fields.filter(({ field }) => field.startsWith(own));
      const body = ofMessage.find(({ field }) => field === `${own}content`);
      const texts = body?.from.flatMap((from) => textAt(from, body.value, nth) ?? []) ?? [];
      const columns = new Set(body?.from.map(({ column }) => column));
      return {
        body: texts.length === 0 ? message.content : [...new Set(texts)].join('\n\n'),
        cells: cellsOf(ofMessage, nth).filter(({ column }) => !columns.has(column)),
      };
    }),
    events: events.map((_, at) => {
      const own = `events[${placeIn(places.events, events.length, at)}].`;
      return cellsOf(fields.filter(({ field }) => field.startsWith(own)));
    }),
    unread: unreadCells(cellsAt, read, note?.content ?? '').filter(
      ({ text }) => rows.length === all.length || !/^\s*\[/.test(text),
    ),
  };
}

function placeOf(ref: Row['ref'], source: LearntSource): string {
  return `${nameOf(source, ref)}:${ref.line}`;
}
