import { decodeHTMLStrict } from 'entities';
import { isFileThere } from '../checkpoint/file.ts';
import { readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import { type CliContext, listenForStop, READ_ONLY } from '../cli/context.ts';
import { print } from '../cli/screen.ts';
import { writeJson } from '../cli/show-error.ts';
import { AppError } from '../domain/errors.ts';
import { printable, shorten } from '../domain/printable.ts';
import { pathOf, valueAt } from '../domain/source-file.ts';
import type { CheckedTicket, CheckResult, MappedTicket } from '../domain/ticket.ts';
import { Agents } from '../import/agents.ts';
import { sentView } from '../import/known-files.ts';
import { learn } from '../import/learn.ts';
import { nameOf, readExport } from '../import/read.ts';
import type { Mapper } from '../mapping/compile/mapper.ts';
import type { Settings } from '../settings/settings.ts';
import { NO_PROBLEMS } from '../source/problem-list.ts';
import { type Block, facts, heading } from '../view/blocks.ts';

type Fields = ReturnType<Mapper['explain']>;

export async function inspectTicket(
  id: string,
  settings: Settings,
  isJson: boolean,
  context: CliContext,
): Promise<number> {
  using stop = listenForStop(context, () => undefined, READ_ONLY);
  const { clock, stdin } = context;
  const ports = { clock, stdin, emit: () => undefined, soft: stop.soft };
  const { checkpoint } = settings.output;
  using reader = isFileThere(checkpoint) ? readCheckpoint(checkpoint) : undefined;
  await using read = await readExport({ settings, ports, problems: NO_PROBLEMS });
  const source = await learn({ settings, ports }, read, new Agents(undefined, reader));
  const { check, mapper, joined } = source;
  const viewed = sentView(settings, reader && { files: reader.files, origin: settings.target.baseUrl });
  for await (const items of joined.tickets(stop.soft)) {
    const item = items.find(({ externalId }) => externalId === id);
    if (item?.kind !== 'ticket') continue;
    const mapped = await mapper.mapAsking(item, stop.soft);
    const view = (result: CheckResult) => viewed(result, nameOf(source, item.row.ref));
    const fields = [...asSent(mapper.explain(item), mapped, check, view), ...noteOf(check(mapped).checked)];
    if (isJson) writeJson(context, fields, 'texts');
    else print(fields.flatMap(fieldBlocks), context);
    return 0;
  }
  throw new AppError('usage', `There is no ticket ${printable(id)} in the export.`, {
    hint: 'Give the external id exactly as in the export.',
  });
}

function noteOf(checked: CheckedTicket | undefined): Fields {
  const rows = (checked?.note?.content ?? '').matchAll(/<tr><td>([^<]*)<\/td><td>((?:[^<]|<br>)*)<\/td>/g);
  return [...rows].map(([, column = '', value = '']) => ({
    field: `note: ${asText(column)}`,
    value: asText(value),
    from: [],
    rule: 'unmapped: note',
  }));
}

function asText(html: string): string {
  return decodeHTMLStrict(html.replaceAll('<br>', '\n'));
}

/** With the links that a run sends. */
function asSent(
  fields: Fields,
  mapped: MappedTicket,
  check: (mapped: MappedTicket) => CheckResult,
  view: (result: CheckResult) => CheckResult,
): Fields {
  const all = [...fields];
  for (const [index, message] of mapped.messages.entries()) {
    // Alone, as a ticket sorts its messages by time.
    const checked = check({ ...mapped, messages: [message], events: [] });
    const [before] = checked.checked?.messages ?? [];
    const [after] = view(checked).checked?.messages ?? [];
    if (before === undefined || after === undefined || after === before) continue;
    const place = `messages[${index}].`;
    for (const [at, field] of all.entries()) {
      if (!field.field.startsWith(place)) continue;
      const path = pathOf(field.field.slice(place.length));
      const value = valueAt(after, path);
      if (value !== undefined && JSON.stringify(value) !== JSON.stringify(valueAt(before, path)))
        all[at] = { ...field, value, rule: `${field.rule}, then files and links` };
    }
    const list = `${place}attachments`;
    const known = new Set(all.map(({ field }) => field));
    const added = (after.attachments ?? []).flatMap((attachment, at) =>
      Object.entries(attachment)
        .map(([name, value]) => ({ field: `${list}[${at}].${name}`, value, from: [], rule: 'files' }))
        .filter(({ field }) => !known.has(field)),
    );
    all.splice(all.findLastIndex(({ field }) => field.startsWith(list)) + 1, 0, ...added);
  }
  return all;
}

function fieldBlocks({ field, value, rule, from }: Fields[number]): Block[] {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const shown = shorten(printable(text), 300);
  const read = from.map(({ file, line, column }) => `${file}:${line} ${column}`).join(', ');
  return [
    heading(field),
    facts([
      shown !== '' && { label: 'value', value: shown },
      read !== '' && { label: 'from', value: read },
      { label: 'rule', value: rule },
    ]),
  ];
}
