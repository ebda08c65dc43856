/** `helpdesk-import usage-events <files…>`: sends usage events; `usage-events list` shows those that the target has. */
import { askAppApi } from '../../app/customer-read.ts';
import { usageEventLines } from '../../app/customer-view.ts';
import { importUsage } from '../../app/usage-import.ts';
import { listUsageEvents } from '../../app/usage-list.ts';
import { type AppTarget, openAppTarget } from '../../app/usage-target.ts';
import { quietUsageLines, usageSummaryLines } from '../../app/usage-view.ts';
import { errorLines } from '../../report/error-view.ts';
import { quoteArgument } from '../../report/next-steps.ts';
import { createStyle } from '../../report/style.ts';
import { version } from '../../version.ts';
import type { CliContext } from '../context.ts';
import { giveFilesBack } from '../optional-values.ts';
import type { Flags } from '../program.ts';
import { listenForStop } from '../signals.ts';
import { appPorts, loadAppSettings } from './app-api-session.ts';
import { confirmUsage, openUsageScreen } from './usage-events-screen.ts';

const LISTED = 50;

export async function usageEventsCommand(
  args: readonly string[],
  givenFlags: Flags,
  context: CliContext,
): Promise<number> {
  if (args[0] === 'list' && args.length === 1) return await listCommand(givenFlags, context);
  const { files, flags } = giveFilesBack({ files: args, flags: givenFlags }, context.cwd);
  const { settings } = await loadAppSettings(files, flags, ['files'], context);
  const { output } = settings;
  const screen = openUsageScreen(settings, context);
  using stop = listenForStop(context, screen.say, 'events that were not answered yet are now in doubt');
  let target: AppTarget | undefined;
  try {
    target = settings.mode === 'dry-run' ? undefined : await openAppTarget(settings, context.clock);
    const confirm = target === undefined ? undefined : confirmUsage(settings, target, screen, context);
    const { summary, stoppedBy } = await importUsage(settings, target, {
      clock: context.clock,
      random: Math.random,
      emit: screen.emit,
      progress: screen.progress,
      env: context.env,
      stdin: context.stdin,
      soft: stop.soft,
      hard: stop.hard,
      version: version(),
      ...(confirm === undefined ? {} : { confirm }),
    });
    screen.close();
    if (output.json) context.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
    const stream = output.json ? context.stderr : context.stdout;
    const style = createStyle({ stream, env: context.env, color: output.color });
    const sandbox = settings.sandbox === undefined ? '' : ' --sandbox';
    const command =
      ['helpdesk-import usage-events', ...settings.source.files.map(quoteArgument)].join(' ') + sandbox;
    const failure = stoppedBy === undefined ? [] : [...errorLines(stoppedBy, style), ''];
    const told = output.quiet ? quietUsageLines(summary, style) : usageSummaryLines(summary, style, command);
    // As JSON it has been told already; what stopped the run stands nowhere in it.
    const lines = output.json && output.quiet ? failure.slice(0, -1) : [...failure, ...told];
    if (lines.length > 0) stream.write(`${lines.join('\n')}\n`);
    return summary.exitCode;
  } finally {
    screen.close();
    await target?.sandbox?.close();
  }
}

async function listCommand(flags: Flags, context: CliContext): Promise<number> {
  const { settings } = await loadAppSettings([], flags, [], context);
  const { customer, event } = flags;
  using ports = appPorts(context);
  const events = await askAppApi(settings, ports, (api) =>
    listUsageEvents(
      api,
      {
        ...(typeof customer === 'string' ? { customerId: customer } : {}),
        ...(typeof event === 'string' ? { eventName: event } : {}),
      },
      settings.selection.limit ?? LISTED,
      ports.signal,
    ),
  );
  const { stdout, env } = context;
  const style = createStyle({ stream: stdout, env, color: settings.output.color });
  const lines = settings.output.json ? [JSON.stringify({ events }, null, 2)] : usageEventLines(events, style);
  stdout.write(`${lines.join('\n')}\n`);
  return 0;
}
