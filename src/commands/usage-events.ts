import { importUsage, type UsageSummary, withAppApi } from '../billing/usage-import.ts';
import { type CommandSpec, NEEDED_FILES, SET, shared } from '../cli/command.ts';
import {
  type CliContext,
  type Flags,
  listenForStop,
  portsOf,
  READ_ONLY,
  type StoppedWork,
} from '../cli/context.ts';
import { loadSettings } from '../cli/load-settings.ts';
import { askYesOrNo, openScreen, sayLine, shouldConfirm, showEnd } from '../cli/screen.ts';
import { countOf, formatCount } from '../domain/printable.ts';
import { OUTCOMES } from '../domain/ticket-state.ts';
import { type Block, facts, heading } from '../view/blocks.ts';
import { type CommandLines, importAll, importRejects } from '../view/command-line.ts';
import { type NextStep, stepBlocks } from '../view/next-steps.ts';
import { problemBlocks } from '../view/problems.ts';
import { OUTCOME_VIEWS } from '../view/summary.ts';

export const command: CommandSpec = {
  arguments: [NEEDED_FILES],
  options: [
    shared('--dry-run', { description: 'read, map and check every event; send nothing' }),
    shared('--yes'),
    SET,
    shared('--limit', { description: 'only the first n events' }),
  ],
  examples: [
    ['billing usage-events events.csv --dry-run', 'check them; nothing is sent'],
    ['billing usage-events events.csv', 'send them'],
  ],
  help: () => `Files: CSV or JSONL with eventName, customerId, eventId, timestamp and properties (or properties.<name>). An event without an id gets one that is made from its row. The service
  counts each event once for its id, so after any stop run the same command again.

Environment: HELPDESK_APP_URL, HELPDESK_APP_ID, HELPDESK_APP_KEY.

Exit codes: 0 done · 2 wrong usage or configuration · 3 some events rejected or failed · 4 some in doubt: run again ·
  5 key refused · 6 stopped early, run again · 130, 143 interrupted, run again`,
  run: usageEventsCommand,
};

const MOST_NAMES = 10;

const AGAIN = 'Run the same command again: it sends every event, and each counts once.';
const SENDING: StoppedWork = {
  first: 'Stopping: finishing the lists in flight.',
  second: 'Stopping at once.',
  soft: ['the lists in flight were sent', AGAIN],
  hard: ['lists that were not answered are in doubt', AGAIN],
};

async function usageEventsCommand(
  files: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const { settings, warnings } = await loadSettings(files, flags, ['appApi', 'files'], context);
  for (const warning of warnings) sayLine(`Warning: ${warning}`, context);
  using shown = await openScreen(settings, context, 'usage event');
  const { screen, say } = shown;
  const isDryRun = settings.mode === 'dry-run';
  using stop = listenForStop(context, say, isDryRun ? READ_ONLY : SENDING);
  const ports = { ...portsOf(context, stop), emit: screen.emit };
  const { output } = settings;
  const rejects = output.rejectsAsked ? output.rejects : undefined;
  const confirm = async (url: string, events: number, requests: number) => {
    if (!shouldConfirm(settings, context)) return true;
    screen.close();
    const question = `Send ${countOf(events, 'usage event')} to ${url} (${countOf(requests, 'request')})? They cannot be taken back.`;
    return await askYesOrNo(question, context, stop.soft);
  };
  const { summary, stoppedBy } = isDryRun
    ? await importUsage(settings, undefined, rejects, { ...ports, confirm: async () => false })
    : await withAppApi(settings, ports, (app) =>
        importUsage(settings, app, rejects, {
          ...ports,
          confirm: (...work) => confirm(app.baseUrl, ...work),
        }),
      );
  screen.close();
  showEnd(context, settings.output, summary, stoppedBy, summaryBlocks(summary, context.commands));
  return summary.exitCode;
}

function summaryBlocks(summary: UsageSummary, commands: CommandLines): Block[] {
  const { mode, events, target, problemGroups, eventNames, customers, firstAt, lastAt, rejects } = summary;
  const isDryRun = mode === 'dry-run';
  const named = eventNames.slice(0, MOST_NAMES).map(({ name, count }) => `${formatCount(count)} ${name}`);
  const { sent, retried, rateLimited } = summary.requests;
  const why = summary.skippedBecause.map(({ reason, count }) => `${formatCount(count)} ${reason}`).join(', ');
  return [
    heading(
      isDryRun
        ? `Dry run: ${countOf(events.pending, 'usage event')} would be sent.`
        : `${countOf(events.done, 'usage event')} of ${formatCount(events.read)} done in ${target}.`,
      { level: 1 },
    ),
    facts([
      { label: 'read', value: countOf(events.read, 'event') },
      ...OUTCOMES.filter((outcome) => events[outcome] > 0).map((outcome) => ({
        label: OUTCOME_VIEWS[outcome].word,
        value: `${formatCount(events[outcome])}${outcome === 'skipped' ? ` (${why})` : ''}`,
      })),
      named.length > 0 && {
        label: 'events',
        value: `${named.join(', ')}${eventNames.length > MOST_NAMES ? ', and more' : ''}`,
      },
      firstAt !== null && {
        label: 'times',
        value: `${firstAt.slice(0, 10)} to ${lastAt?.slice(0, 10)}`,
      },
      { label: 'customers', value: formatCount(customers) },
      !isDryRun && {
        label: 'requests',
        value: `${formatCount(sent)} sent, ${formatCount(retried)} of them again, ${formatCount(rateLimited)} answered with 429`,
      },
      rejects !== undefined && { label: 'rejects', value: rejects },
    ]),
    ...problemBlocks(problemGroups, { what: 'events', advice: () => undefined }),
    ...stepBlocks(nextSteps(summary, commands)),
  ];
}

function nextSteps({ mode, events, exitCode, rejects }: UsageSummary, commands: CommandLines): NextStep[] {
  const steps: NextStep[] = [];
  if (mode === 'dry-run') return [{ text: 'Send them:', command: importAll(commands) }];
  if (rejects !== undefined)
    steps.push({
      text: `Correct the rows in ${rejects} and send them:`,
      command: importRejects(commands, 'usage-events', rejects),
    });
  if (events.inDoubt > 0 || exitCode >= 5)
    steps.push({ text: 'Run the same command again; each event counts once:', command: commands.again() });
  return steps;
}
