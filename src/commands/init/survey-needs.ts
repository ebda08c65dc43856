/** One pass over an export with a mapping, to learn what the export does not say. */

import type { Finding } from '../../discover/finding.ts';
import { type Needs, NeedsCounter } from '../../discover/needs.ts';
import { Review } from '../../discover/review.ts';
import type { UnreadField } from '../../discover/unread.ts';
import { AppError } from '../../domain/errors.ts';
import { compileLayout, defaultMappingSettings } from '../../mapping/compile/compile-layout.ts';
import type { Mapper } from '../../mapping/compile/mapper.ts';
import type { Detection } from '../../mapping/detect/detect.ts';
import { joinExport } from '../../source/join/join-export.ts';
import type { StagedExport } from '../../source/open-export.ts';
import type { Conversation } from '../../view/conversation/conversation.ts';
import { TicketPicker } from './shown-tickets.ts';

export interface SurveyOptions {
  /** Folder from which a `transform` is loaded. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly now: Date;
}

export interface SurveyedNeeds {
  readonly needs: Needs;
  readonly findings: readonly Finding[];
  readonly unread: readonly UnreadField[];
  /** A few tickets as they will be in the helpdesk. */
  readonly conversations: readonly Conversation[];
  /** No value of a date proves whether its day or its month is first. */
  readonly openDayOrder: boolean;
}

export async function surveyNeeds(
  files: StagedExport,
  detection: Pick<Detection, 'layout' | 'plan'>,
  { folder, signal, now }: SurveyOptions,
): Promise<SurveyedNeeds> {
  const { layout, plan } = detection;
  await using joined = await joinExport(files, plan, { signal });
  const compile = (dayFirst: boolean | undefined) =>
    compileLayout(layout, plan, {
      files,
      joined,
      settings: { ...defaultMappingSettings, dayFirst, listsUnmapped: true },
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
  using review = new Review({ files, detection, joined, mapper }, now);
  const picker = new TicketPicker();
  for await (const items of joined.tickets(signal))
    for (const item of items)
      if (item.kind === 'ticket') {
        const mapped = mapper.map(item);
        counter.see(mapped);
        review.see(mapped);
        picker.see(mapped);
      }
  return {
    needs: counter.needs(mapper.loss()),
    findings: await review.findings(),
    unread: review.unreadFields(),
    conversations: await picker.picked(),
    openDayOrder,
  };
}
