/** `helpdesk-import billing usage-events <files…>`: sends usage events; `usage-events list` shows those that the target has. */

import { type AppTarget, appApiOf, listUsageEvents, openAppTarget } from '../../billing/app-target.ts';
import { importUsage } from '../../billing/usage-import.ts';
import type { UsageSurvey } from '../../billing/usage-survey.ts';
import { askYesOrNo, isAsked } from '../../cli/ask-before-sending.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { openScreen } from '../../cli/open-screen.ts';
import { writeJson } from '../../cli/show-error.ts';
import { listenForStop, portsOf, READING, sending } from '../../cli/signals.ts';
import { errorLines } from '../../present/terminal/error-view.ts';
import { countOf, formatDuration } from '../../present/terminal/format.ts';
import { createStyle } from '../../present/terminal/style.ts';
import type { Settings } from '../../settings/settings.ts';
import { ask, loadAppSettings, show } from './customer.ts';
import { usageEventLines } from './customer-view.ts';
import { usageSummaryLines } from './usage-view.ts';

const LISTED = 50;

export async function usageEventsCommand(
  files: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  if (files[0] === 'list' && files.length === 1) return await listCommand(flags, context);
  const settings = await loadAppSettings(files, flags, ['files'], context);
  const { stdout, stderr, env, clock, commands } = context;
  const { json, quiet } = settings.output;
  const { screen, say } = await openScreen(settings, context, 'usage event');
  using stop = listenForStop(
    context,
    say,
    settings.mode === 'dry-run' ? READING : sending('events that were not answered yet are now in doubt'),
  );
  let target: AppTarget | undefined;
  try {
    target = settings.mode === 'dry-run' ? undefined : await openAppTarget(settings, clock);
    const url = target?.baseUrl ?? '';
    const { summary, stoppedBy } = await importUsage(settings, target, {
      ...portsOf(context, stop),
      emit: screen.emit,
      confirm: async (survey) => {
        if (!isAsked(settings, context)) return true;
        screen.close();
        return await askYesOrNo(question(settings, survey, url), context, stop.soft);
      },
    });
    screen.close();
    if (json) writeJson(stdout, summary);
    const stream = json ? stderr : stdout;
    const shown = createStyle({ stream, env, commands });
    const failure = stoppedBy === undefined ? [] : errorLines(stoppedBy, shown);
    // As JSON the summary has been told already; what stopped the run stands nowhere in it.
    const reported = json && quiet ? [] : usageSummaryLines(summary, shown, commands, quiet);
    const between = failure.length > 0 && reported.length > 0 ? [''] : [];
    for (const line of [...failure, ...between, ...reported]) stream.write(`${line}\n`);
    return summary.exitCode;
  } finally {
    screen.close();
    await target?.sandbox?.close();
  }
}

function question(settings: Settings, { trial, toSend }: UsageSurvey, url: string): string {
  const events = settings.mode === 'trial' ? trial.length : toSend;
  const requests = Math.ceil(events / appApiOf(settings).eventsPerRequest);
  const seconds = Math.max(0, ...settings.run.rate.map((rate) => (requests / rate.requests) * rate.seconds));
  const time = seconds < 60 ? '' : `, about ${formatDuration(seconds * 1000)}`;
  return `Send ${countOf(events, 'usage event')} to ${url} (${countOf(requests, 'request')}${time})? They cannot be taken back.`;
}

async function listCommand(flags: Flags, context: CliContext): Promise<number> {
  const text = (flag: string) => (typeof flags[flag] === 'string' ? flags[flag] : undefined);
  const query = { customerId: text('customer'), eventName: text('event') };
  const [events, settings] = await ask(flags, context, (api, signal, { selection }) =>
    listUsageEvents(api, query, selection.limit ?? LISTED, signal),
  );
  show({ events }, (style) => usageEventLines(events, style), settings, context);
  return 0;
}
