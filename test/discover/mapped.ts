/** Tickets of an export under a mapping, as far as a truth has them. */
import { textOf } from '../../src/domain/source-file.ts';
import type { MappedTicket } from '../../src/domain/ticket.ts';
import { compileLayout, defaultMappingSettings } from '../../src/mapping/compile/compile-layout.ts';
import { builtinLayout } from '../../src/mapping/detect/builtin-layouts.ts';
import { detectLayout } from '../../src/mapping/detect/detect.ts';
import { readMapping } from '../../src/mapping/language/read-layout.ts';
import { joinExport } from '../../src/source/join.ts';
import { openExport, type StagedExport } from '../../src/source/open-export.ts';
import type { Truth } from './exports.ts';

const signal = new AbortController().signal;

/** What the mapping of the settings makes of the export, as far as the truth has it. */
export async function mapped(paths: readonly string[], settings: { mapping: unknown }): Promise<Truth[]> {
  await using files = await openExport(paths, { signal });
  return await mappedOf(files, settings);
}

export async function mappedOf(files: StagedExport, settings: { mapping: unknown }): Promise<Truth[]> {
  const read = readMapping(settings.mapping, builtinLayout);
  if ('issues' in read) throw new Error(JSON.stringify(read.issues));
  const { layout, plan } = detectLayout(files.files, [read.layout], read.layout.name);
  const joined = joinExport(files, plan, signal);
  const mapper = await compileLayout(layout, plan, {
    files,
    joined,
    settings: { ...defaultMappingSettings, timezone: 'UTC' } as typeof defaultMappingSettings,
    signal,
  });
  const found: Truth[] = [];
  for await (const items of joined.tickets(signal))
    for (const item of items) if (item.kind === 'ticket') found.push(plainly(mapper.map(item)));
  return found.sort((a, b) => Number(a.id) - Number(b.id));
}

function plainly({ externalId, ticket, requester, messages }: MappedTicket): Truth {
  return {
    id: externalId,
    subject: textOf(ticket['subject']),
    status: textOf(ticket['status']),
    priority: textOf(ticket['priority']),
    email: textOf(requester?.email ?? (ticket['contact'] as { email?: string } | undefined)?.email),
    messages: messages.map(({ value }) => ({
      text: textOf(value['content']),
      role: textOf(value['actorType']),
      internal: value['isInternal'] === true,
    })),
  };
}
