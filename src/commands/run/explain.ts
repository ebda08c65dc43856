/** `run --explain <id>`: where every field of a ticket's payloads comes from. Sends nothing. */

import type { CliContext } from '../../cli/context.ts';
import { writeJson } from '../../cli/show-error.ts';
import { listenForStop } from '../../cli/signals.ts';
import { AppError } from '../../domain/errors.ts';
import { printable, shorten } from '../../domain/printable.ts';
import { openSource } from '../../import/source.ts';
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
      const fields = source.mapper.explain(item);
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

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return shorten(printable(text), LONGEST_VALUE);
}
