/** `run --explain <id>`: where every field of a ticket's payloads comes from. Sends nothing. */

import { createChecker } from '../../check/check-ticket.ts';
import { normalizeEmail } from '../../check/email.ts';
import { isFileThere } from '../../checkpoint/file-kind.ts';
import { readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import type { CliContext } from '../../cli/context.ts';
import { writeJson } from '../../cli/show-error.ts';
import { listenForStop, READING } from '../../cli/signals.ts';
import { AppError } from '../../domain/errors.ts';
import type { MessagePayload } from '../../domain/payload.ts';
import { printable, shorten } from '../../domain/printable.ts';
import type { CheckedTicket, MappedTicket } from '../../domain/ticket.ts';
import { checkRules } from '../../import/check-rules.ts';
import { explainedMessage } from '../../import/files/keep-files.ts';
import { TicketLinks } from '../../import/links/ticket-links.ts';
import type { OpenedSource } from '../../import/opened-source.ts';
import { openSource } from '../../import/source.ts';
import { platformIn } from '../../import/source-name.ts';
import type { Mapper } from '../../mapping/compile/mapper.ts';
import type { Settings } from '../../settings/settings.ts';
import { createStyle, type Style } from '../../view/terminal/style.ts';
import { factLines, wrap } from '../../view/terminal/text-block.ts';

/** Characters of a value that are shown. */
const LONGEST_VALUE = 300;

export async function explainCommand(
  id: string,
  settings: Settings,
  folder: string,
  context: CliContext,
): Promise<number> {
  using stop = listenForStop(context, () => undefined, READING);
  await using source = await openSource(settings, {
    stdin: context.stdin,
    emit: () => undefined,
    problem: () => undefined,
    soft: stop.soft,
    settingsFolder: folder,
    explains: true,
  });
  const rules = checkRules(settings, source, context.clock);
  const check = createChecker(rules);
  for await (const items of source.joined.tickets(stop.soft)) {
    for (const item of items) {
      if (item.kind !== 'ticket' || item.externalId !== id) continue;
      const fields = [
        ...withPeople(
          source.people,
          await asSent(
            source.mapper.explain(item),
            () => source.mapper.map(item),
            settings,
            platformIn(settings, source),
          ),
        ),
        ...noteOf(check(source.mapper.map(item)).checked),
      ];
      if (settings.output.json) writeJson(context.stdout, fields, 'texts');
      else
        context.stdout.write(
          `${explanationLines(fields, createStyle({ stream: context.stdout, env: context.env, commands: context.commands })).join('\n')}\n`,
        );
      return 0;
    }
  }
  throw new AppError('usage', `There is no ticket ${printable(id)} in the export.`, {
    hint: 'Give the external id exactly as in the export.',
  });
}

/** Addresses that become another one of the same person. */
function withPeople(
  people: OpenedSource['people'],
  fields: ReturnType<Mapper['explain']>,
): ReturnType<Mapper['explain']> {
  return fields.map((field) => {
    const { value } = field;
    if (people === undefined || !/(?:^|\.)contact$/.test(field.field) || !isContact(value)) return field;
    const said = normalizeEmail(value.email);
    const first = people.of(said)?.first ?? said;
    if (first === said) return field;
    const rule = `${field.rule}, then ${said} is the same person (${people.file}:${people.lineOf(said)})`;
    return { ...field, value: { ...value, email: first }, rule };
  });
}

function isContact(value: unknown): value is { readonly email: string } {
  return typeof value === 'object' && value !== null && 'email' in value && typeof value.email === 'string';
}

/** What goes into the note of the import, row by row as it is written there. */
function noteOf(checked: CheckedTicket | undefined): ReturnType<Mapper['explain']> {
  const rows = (checked?.note?.content ?? '').matchAll(/<tr><td>([^<]*)<\/td><td>((?:[^<]|<br>)*)<\/td>/g);
  return [...rows].map(([, column = '', value = '']) => ({
    field: `note: ${asText(column)}`,
    value: asText(value),
    from: [],
    rule: 'unmapped: note',
  }));
}

function asText(html: string): string {
  return html
    .replaceAll('<br>', '\n')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** Links to files that an earlier run brought along, and to tickets that are in the target, are shown as they are sent. */
async function asSent(
  fields: ReturnType<Mapper['explain']>,
  map: () => MappedTicket,
  settings: Settings,
  platform: string,
): Promise<ReturnType<Mapper['explain']>> {
  const { checkpoint } = settings.output;
  if (!isFileThere(checkpoint)) return fields;
  const reader = readCheckpoint(checkpoint);
  try {
    const links = new TicketLinks({ ...settings, links: 'plan' });
    links.setPlatform(platform);
    await links.bind(reader);
    if (reader.files.isEmpty() && links.places === undefined) return fields;
    const { messages: mapped } = map();
    const messages = mapped.map(({ value }) => {
      const [kept, { baseUrl }] = [reader.files, settings.target];
      const message = kept.isEmpty() ? value : explainedMessage(value, kept, settings, baseUrl);
      if (typeof message['content'] !== 'string') return message;
      const [linked] = links.linked([message as unknown as MessagePayload]);
      return { ...linked } as Readonly<Record<string, unknown>>;
    });
    return withFieldsOfFiles(fields, messages).map((field) => {
      const [, index, path = ''] =
        /^messages\[(\d+)\]\.(content|attachments(?:\[\d+\]\.\w+)?)$/.exec(field.field) ?? [];
      const [, at, name = ''] = /^attachments\[(\d+)\]\.(\w+)$/.exec(path) ?? [];
      const message = index === undefined ? undefined : messages[Number(index)];
      const list = message?.['attachments'];
      const value =
        at === undefined ? message?.[path] : Array.isArray(list) ? list[Number(at)]?.[name] : undefined;
      return value === undefined || value === field.value
        ? field
        : {
            ...field,
            value,
            rule: `${field.rule}, then ${reader.files.isEmpty() ? 'links' : 'files and links'}`,
          };
    });
  } finally {
    reader.close();
  }
}

/** Behind the attachments of a message: what a file is, how it is called and how large, where its fetch said so first. */
function withFieldsOfFiles(
  fields: ReturnType<Mapper['explain']>,
  messages: readonly Readonly<Record<string, unknown>>[],
): ReturnType<Mapper['explain']> {
  const known = new Set(fields.map(({ field }) => field));
  const all = [...fields];
  for (const [index, { attachments }] of messages.entries()) {
    const list = `messages[${index}].attachments`;
    const added = (Array.isArray(attachments) ? attachments : []).flatMap((attachment: object, at) =>
      Object.entries(attachment)
        .map(([name, value]) => ({ field: `${list}[${at}].${name}`, value, from: [], rule: 'files' }))
        .filter(({ field }) => !known.has(field)),
    );
    all.splice(all.findLastIndex(({ field }) => field.startsWith(list)) + 1, 0, ...added);
  }
  return all;
}

function explanationLines(fields: ReturnType<Mapper['explain']>, style: Style): string[] {
  return fields.flatMap(({ field, value, rule, from }) => {
    const facts = [
      { label: 'value', text: shown(value) },
      { label: 'from', text: from.map(({ file, line, column }) => `${file}:${line} ${column}`).join(', ') },
      { label: 'rule', text: rule },
    ];
    return [
      ...wrap(printable(field), style, { paint: style.bold }),
      ...factLines(
        facts.filter(({ text }) => text !== ''),
        style,
      ),
    ];
  });
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return shorten(printable(text), LONGEST_VALUE);
}
