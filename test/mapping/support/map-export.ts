/** From texts to mapped tickets with a layout: reading, detection, joining and mapping as the program does them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { SourceTicket } from '../../../src/domain/source.ts';
import type { JoinedExport } from '../../../src/domain/source-file.ts';
import type { MappedTicket } from '../../../src/domain/ticket.ts';
import {
  compileLayout,
  defaultMappingSettings,
  type MappingContext,
  type MappingSettings,
} from '../../../src/mapping/compile/compile-layout.ts';
import type { Mapper } from '../../../src/mapping/compile/mapper.ts';
import { builtinLayout } from '../../../src/mapping/detect/builtin-layouts.ts';
import { type Detection, detectLayout } from '../../../src/mapping/detect/detect.ts';
import type { Layout } from '../../../src/mapping/language/layout.ts';
import { parseLayout } from '../../../src/mapping/language/read-layout.ts';
import { joinExport } from '../../../src/source/join.ts';
import type { StagedExport } from '../../../src/source/open-export.ts';
import { open, signal, tempFolder } from '../../source/temp-export.ts';

/** File name → text. */
export type Texts = Readonly<Record<string, string | Buffer>>;

export interface Mapped {
  readonly detection: Detection;
  readonly joined: JoinedExport;
  readonly mapper: Mapper;
  readonly source: SourceTicket[];
  readonly tickets: MappedTicket[];
}

export async function mapExport(
  texts: Texts,
  layout: Layout | readonly Layout[] = builtinLayout('native'),
  settings: Partial<MappingSettings> = {},
  more: Partial<Pick<MappingContext, 'findAgent'>> = {},
): Promise<Mapped> {
  const files = await openTexts(texts);
  const outlines = files.files;
  const detection = detectLayout(outlines, Array.isArray(layout) ? layout : [layout as Layout]);
  const joined = joinExport(files, detection.plan, signal);
  const mapper = await compileLayout(detection.layout, detection.plan, {
    files,
    joined,
    settings: { ...defaultMappingSettings, ...settings },
    signal,
    ...more,
  });
  const source: SourceTicket[] = [];
  for await (const items of joined.tickets(signal))
    source.push(...items.filter((item) => item.kind === 'ticket'));
  const tickets: MappedTicket[] = [];
  for (const ticket of source) tickets.push(await mapper.mapAsking(ticket, signal));
  return { detection, joined, mapper, source, tickets };
}

/** In the order of the texts, each file under its own name. */
export async function openTexts(texts: Texts): Promise<StagedExport> {
  const folder = tempFolder(texts);
  const names = Object.keys(texts);
  const opened = await open(names.map((name) => join(folder, name)));
  const files = opened.files.map((file) => {
    const name = names[file.id] ?? '';
    return { ...file, name };
  });
  return { ...opened, files };
}

/** A layout from YAML, whatever it is named. */
export function layoutFrom(yaml: string): Layout {
  return parseLayout(yaml, 'test.yaml', namedLayout);
}

/** `ticket-rows` and `message-rows` are the tests' own. */
export function namedLayout(name: string): Layout {
  const own = join(import.meta.dirname, `${name}.yaml`);
  if (!existsSync(own)) return builtinLayout(name);
  const { ownColumns: _, isOwn: __, ...layout } = layoutFrom(readFileSync(own, 'utf8'));
  return layout;
}

/** Payload candidates without their origin. */
export function payloads(ticket: MappedTicket) {
  return {
    id: ticket.externalId,
    ...(ticket.excluded === undefined ? {} : { excluded: ticket.excluded }),
    ticket: ticket.ticket,
    messages: ticket.messages.map(({ value }) => value),
    events: ticket.events.map(({ value }) => value),
    ...(ticket.problems.length === 0
      ? {}
      : {
          problems: ticket.problems.map(({ code, field, line, message }) => ({ code, field, line, message })),
        }),
  };
}

/** A file of a case: its text, its document, or its lines. */
export function textOf(name: string, content: unknown): string {
  if (typeof content === 'string') return content;
  if (!name.endsWith('.jsonl')) return JSON.stringify(content);
  return (content as unknown[]).map((line) => `${JSON.stringify(line)}\n`).join('');
}
