/** One pass over an export with a mapping, to learn what the export does not say. */

import { type Needs, NeedsCounter } from '../../discover/propose/open-needs.ts';
import { AppError } from '../../domain/errors.ts';
import type { ExportFiles } from '../../domain/source-file.ts';
import { compileLayout, defaultMappingSettings } from '../../mapping/compile/compile-layout.ts';
import type { Mapper } from '../../mapping/compile/mapper.ts';
import type { Detection } from '../../mapping/detect/detect.ts';
import { stageExport } from '../../source/join/stage-export.ts';

export interface SurveyOptions {
  /** Folder from which a `transform` is loaded. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly onTickets?: (tickets: number) => void;
}

export interface SurveyedNeeds {
  readonly needs: Needs;
  /** Nothing tells whether the day or the month stands first in dates. */
  readonly openDayOrder: boolean;
}

export async function surveyNeeds(
  files: ExportFiles,
  { layout, plan }: Pick<Detection, 'layout' | 'plan'>,
  { folder, signal, onTickets }: SurveyOptions,
): Promise<SurveyedNeeds> {
  await using staged = await stageExport(files, plan, { signal });
  const compile = (dayFirst: boolean | undefined) =>
    compileLayout(layout, plan, {
      files,
      staged,
      settings: { ...defaultMappingSettings, dayFirst },
      folder,
      signal,
    });
  let openDayOrder = false;
  let mapper: Mapper;
  try {
    mapper = await compile(undefined);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'configuration' || !error.hint?.includes('dayFirst'))
      throw error;
    openDayOrder = true;
    mapper = await compile(true);
  }
  const counter = new NeedsCounter();
  let tickets = 0;
  for await (const items of staged.tickets(signal)) {
    for (const item of items) if (item.kind === 'ticket') counter.see(mapper.map(item));
    tickets += items.length;
    onTickets?.(tickets);
  }
  return { needs: counter.needs(mapper.loss()), openDayOrder };
}
