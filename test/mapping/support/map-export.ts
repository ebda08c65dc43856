/** From texts to mapped tickets with a layout: detection, plan and mapping as the program does them. */

import type { SourceTicket } from '../../../src/domain/source.ts';
import type { MappedTicket } from '../../../src/domain/ticket.ts';
import {
  compileLayout,
  defaultMappingSettings,
  type MappingContext,
  type MappingSettings,
} from '../../../src/mapping/compile/compile-layout.ts';
import type { Mapper } from '../../../src/mapping/compile/mapper.ts';
import { type Detection, detectLayout } from '../../../src/mapping/detect/detect.ts';
import type { Layout } from '../../../src/mapping/language/layout.ts';
import { parseLayout } from '../../../src/mapping/language/read-layout.ts';
import { builtinLayout } from '../../../src/mapping/platforms/builtin-layouts.ts';
import { memoryExport, type Texts } from './memory-export.ts';

export interface Mapped {
  readonly detection: Detection;
  readonly mapper: Mapper;
  readonly source: SourceTicket[];
  readonly tickets: MappedTicket[];
}

export async function mapExport(
  texts: Texts,
  layout: Layout | readonly Layout[] = builtinLayout('native'),
  settings: Partial<MappingSettings> = {},
  more: Partial<Pick<MappingContext, 'findAgent' | 'folder'>> = {},
): Promise<Mapped> {
  const files = memoryExport(texts);
  const detection = detectLayout(files.outlines, Array.isArray(layout) ? layout : [layout as Layout]);
  const joined = files.stage(detection.plan);
  const mapper = await compileLayout(detection.layout, detection.plan, {
    files: files.files,
    joined,
    settings: { ...defaultMappingSettings, ...settings },
    folder: import.meta.dirname,
    signal: new AbortController().signal,
    ...more,
  });
  const source = joined.list().filter((item) => item.kind === 'ticket');
  return { detection, mapper, source, tickets: source.map((ticket) => mapper.map(ticket)) };
}

/** A layout from YAML, whatever it is named. */
export function layoutFrom(yaml: string): Layout {
  return parseLayout(yaml, 'test.yaml', builtinLayout);
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
