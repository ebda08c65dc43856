/** `run --explain <id>`: where every field of a ticket's payloads comes from. Sends nothing. */

import { existsSync } from 'node:fs';
import type { CliContext } from '../../cli/context.ts';
import { writeJson } from '../../cli/show-error.ts';
import { listenForStop } from '../../cli/signals.ts';
import { AppError } from '../../domain/errors.ts';
import { printable, shorten } from '../../domain/printable.ts';
import type { MappedTicket } from '../../domain/ticket.ts';
import { openSource } from '../../import/source.ts';
import type { Mapper } from '../../mapping/compile/mapper.ts';
import { createStyle } from '../../present/terminal/style.ts';
import { tableLines } from '../../present/terminal/text-block.ts';
import type { Settings } from '../../settings/settings.ts';

const LONGEST_VALUE = 60;

export async function explainCommand(
  id: string,
  settings: Settings,
  folder: string,
  context: CliContext,
): Promise<number> {
  using stop = listenForStop(context, () => undefined);
  await using source = await openSource(settings, {
    stdin: context.stdin,
    emit: () => undefined,
    problem: () => undefined,
    signal: stop.soft,
    folder,
  });
  for await (const items of source.joined.tickets(stop.soft)) {
    for (const item of items) {
      if (item.kind !== 'ticket' || item.externalId !== id) continue;
      const fields = await withFiles(source.mapper.explain(item), () => source.mapper.map(item), settings);
      if (settings.output.json) writeJson(context.stdout, fields);
      else {
        const style = createStyle({
          stream: context.stdout,
          env: context.env,
          commands: context.commands,
          color: settings.output.color,
        });
        const rows = fields.map(({ field, value, rule, from }) => [
          field,
          shown(value),
          from.map(({ file, line, column }) => `${file}:${line} ${column}`).join(', '),
          rule,
        ]);
        const columns = [
          { header: 'Field' },
          { header: 'Value', flexible: true },
          { header: 'From', flexible: true },
          { header: 'Rule', flexible: true },
        ];
        context.stdout.write(`${tableLines(rows, columns, style).join('\n')}\n`);
      }
      return 0;
    }
  }
  throw new AppError('usage', `There is no ticket ${printable(id)} in the export.`, {
    hint: 'Give the external id, as it stands in the export.',
  });
}

/** Links to files that an earlier run brought along are shown as they are sent. */
async function withFiles(
  fields: ReturnType<Mapper['explain']>,
  map: () => MappedTicket,
  settings: Settings,
): Promise<ReturnType<Mapper['explain']>> {
  const { checkpoint } = settings.output;
  if (!existsSync(checkpoint)) return fields;
  const { readCheckpoint } = await import('../../checkpoint/read-checkpoint.ts');
  const reader = readCheckpoint(checkpoint);
  try {
    if (reader.files.isEmpty()) return fields;
    const { explainedMessage } = await import('../../import/files/keep-files.ts');
    const messages = await Promise.all(
      map().messages.map(({ value }) =>
        explainedMessage(value, reader.files, settings, settings.target.baseUrl),
      ),
    );
    return fields.map((field) => {
      const [, index, path = ''] =
        /^messages\[(\d+)\]\.(content|attachments(?:\[\d+\]\.\w+)?)$/.exec(field.field) ?? [];
      const [, at, name = ''] = /^attachments\[(\d+)\]\.(\w+)$/.exec(path) ?? [];
      const message = index === undefined ? undefined : messages[Number(index)];
      const list = message?.['attachments'];
      const value =
        at === undefined ? message?.[path] : Array.isArray(list) ? list[Number(at)]?.[name] : undefined;
      return value === undefined || value === field.value
        ? field
        : { ...field, value, rule: `${field.rule}, then files` };
    });
  } finally {
    reader.close();
  }
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return shorten(printable(text), LONGEST_VALUE);
}
