/** The one question of a run: before the first ticket goes to a real service, from a terminal, unless `--yes`. */

import { askYesOrNo, isAsked } from '../../cli/ask-before-sending.ts';
import type { CliContext } from '../../cli/context.ts';
import type { Survey } from '../../domain/survey.ts';
import type { TargetAddress } from '../../import/target.ts';
import { countOf, formatDuration } from '../../present/terminal/format.ts';
import type { Settings } from '../../settings/settings.ts';
import type { RunScreen } from './run-screen.ts';

export function confirmOnTerminal(
  settings: Settings,
  target: TargetAddress | undefined,
  screen: RunScreen,
  context: CliContext,
  signal: AbortSignal,
): ((survey: Survey) => Promise<boolean>) | undefined {
  if (target === undefined || !isAsked(settings, context)) return undefined;
  return async (survey) => {
    screen.close();
    return await askYesOrNo(question(settings, survey, target.baseUrl), context, signal);
  };
}

function question(settings: Settings, survey: Survey, url: string): string {
  const { requests, tickets, estimatedSeconds } = survey;
  if (settings.mode === 'trial') return `Import ${countOf(survey.trial.length, 'ticket')} into ${url}?`;
  const time =
    estimatedSeconds === undefined || estimatedSeconds < 60
      ? ''
      : `, about ${formatDuration(estimatedSeconds * 1000)}`;
  const rejected = tickets.rejected === 0 ? '' : ` ${countOf(tickets.rejected, 'ticket')} will be rejected.`;
  return `Import ${countOf(requests.creates, 'new ticket')} into ${url} (${countOf(requests.total, 'request')}${time})? It cannot be undone.${rejected}`;
}
