/** The one question of a run: before the first ticket goes to a real service, from a terminal, unless `--yes`. */
import { createInterface } from 'node:readline/promises';
import type { TargetAddress } from '../app/target.ts';
import type { Survey } from '../domain/survey.ts';
import { countOf, formatDuration } from '../report/format.ts';
import type { Settings } from '../settings/settings.ts';
import type { CliContext } from './context.ts';
import type { RunScreen } from './run-screen.ts';

export function confirmOnTerminal(
  settings: Settings,
  target: TargetAddress | undefined,
  screen: RunScreen,
  context: CliContext,
): ((survey: Survey) => Promise<boolean>) | undefined {
  const { stdin, stderr } = context;
  const isAsked =
    stdin.isTTY === true &&
    stderr.isTTY === true &&
    !settings.assumeYes &&
    settings.sandbox === undefined &&
    !settings.source.files.includes('-');
  if (!isAsked || target === undefined) return undefined;
  return async (survey) => {
    screen.close();
    const reader = createInterface({ input: stdin, output: stderr });
    try {
      const answer = await reader.question(`${question(settings, survey, target.baseUrl)} [y/N] `);
      return /^y(es)?$/i.test(answer.trim());
    } finally {
      reader.close();
    }
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
