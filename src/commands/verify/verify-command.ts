/** `helpdesk-import verify`: reads imported tickets back, compares them with the export and shows what was found. */
import { readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { loadSettings } from '../../cli/load-settings.ts';
import { openScreen } from '../../cli/open-screen.ts';
import { writeJson } from '../../cli/show-error.ts';
import { listenForStop, portsOf, READING } from '../../cli/signals.ts';
import { AppError } from '../../domain/errors.ts';
import { printable } from '../../domain/printable.ts';
import type { Emit } from '../../domain/run-events.ts';
import { openTarget, type TargetAddress } from '../../import/target.ts';
import { wholeNumber } from '../../settings/parsers.ts';
import { countOf, formatCount, formatDuration } from '../../view/format.ts';
import { wantsBar } from '../../view/terminal/screen.ts';
import { createStyle, type Style } from '../../view/terminal/style.ts';
import { type Cell, factLines, heading, tableLines, wrap } from '../../view/terminal/text-block.ts';
import {
  type CheckFindings,
  type Difference,
  type SampleSize,
  type VerifyResult,
  verifyImport,
} from './verify.ts';

const SAMPLE = 100;

export async function verifyCommand(
  files: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const size = sampleSize(flags);
  const needs = ['files', 'target', 'credentials'] as const;
  const { settings, warnings, folder } = await loadSettings(files, flags, needs, context);
  const { output } = settings;
  // Before a sandbox is started for it, and before the export is read.
  readCheckpoint(output.checkpoint).close();
  const { stdout, stderr, env, clock, commands } = context;
  const { screen, say, warn } = await openScreen(settings, context);
  const hasBar = wantsBar(stderr, env, output.progress);
  const emit: Emit = (event) => {
    // Lines of a log would call it an import.
    if (event.type !== 'start-import' || hasBar) screen.emit(event);
    else screen.print([`reading ${countOf(event.tickets, 'ticket')} back`]);
  };
  using stop = listenForStop(context, say, READING);
  let target: TargetAddress | undefined;
  try {
    for (const warning of warnings) warn(warning);
    target = await openTarget(settings, clock);
    const ports = { ...portsOf(context, stop), emit, settingsFolder: folder };
    const result = await verifyImport(settings, target, size, ports);
    screen.close();
    if (output.json) writeJson(stdout, result);
    else stdout.write(`${verifyLines(result, createStyle({ stream: stdout, env, commands })).join('\n')}\n`);
    return result.exitCode;
  } finally {
    screen.close();
    await target?.sandbox?.close();
  }
}

function sampleSize({ all, sample }: Flags): SampleSize {
  if (all === true) return 'all';
  if (typeof sample !== 'string') return SAMPLE;
  const parsed = wholeNumber(1, 100_000)(sample);
  if ('value' in parsed) return parsed.value;
  throw new AppError('usage', `--sample ${parsed.problem}.`);
}

function verifyLines(result: VerifyResult, style: Style): string[] {
  const { findings, tickets } = result;
  const { targetIsUnreadable, checks, missing, missingTotal, unread, unreadTotal } = findings;
  if (targetIsUnreadable) return unreadableLines(result, style);
  const examples = checks.flatMap(({ name, examples: own }) => own.map((one) => ({ ...one, name })));
  const notes = [
    tickets.chosen < tickets.imported &&
      'This was a sample, the same one each time; --all reads every ticket.',
    tickets.changed > 0 &&
      `${countOf(tickets.changed, 'ticket')} changed in the export since the import, so a difference is to be expected; run --delta brings in changed messages.`,
    tickets.incomplete > 0 &&
      `${countOf(tickets.incomplete, 'ticket')} not complete in the target yet: run the import again.`,
    tickets.invalid > 0 &&
      `${countOf(tickets.invalid, 'imported ticket')} not valid in the export any more: nothing to compare with.`,
  ].filter((note) => typeof note === 'string');
  return [
    headline(result, style),
    '',
    ...tableLines(
      checks.map((check) => checkRow(check, style)),
      [{}, {}, { align: 'right' }, {}],
      style,
    ),
    ...fileLines(result.files, style),
    ...exampleLines('What differs', examples, style),
    ...exampleLines(`No longer in the target: ${countOf(missingTotal, 'ticket')}`, missing, style),
    ...exampleLines(`Could not be read back: ${countOf(unreadTotal, 'ticket')}`, unread, style),
    ...heading('What was compared', style),
    ...factLines(
      [
        {
          label: 'export',
          text: `${countOf(tickets.read, 'ticket')}, ${formatCount(tickets.imported)} imported`,
        },
        { label: 'compared', text: countOf(findings.compared, 'ticket') },
        { label: 'requests', text: formatCount(result.requests.sent) },
        { label: 'time', text: formatDuration(result.durationMs) },
        { label: 'target', text: result.target },
        { label: 'checkpoint', text: result.checkpoint },
      ],
      style,
    ),
    ...notes.flatMap((note) =>
      wrap(note, style, { indent: 2, lead: `${style.symbols.bullet} `, paint: style.dim }),
    ),
  ];
}

function headline({ findings, tickets }: VerifyResult, style: Style): string {
  const { compared, different, missingTotal, unreadTotal } = findings;
  const parts = [
    different > 0 && `${formatCount(different)} of ${formatCount(compared)} compared differ`,
    missingTotal > 0 && `${formatCount(missingTotal)} are missing`,
    unreadTotal > 0 && `${formatCount(unreadTotal)} could not be read`,
  ].filter((part) => typeof part === 'string');
  if (parts.length > 0)
    return style.red(`${style.symbols.cross} Not equal to the export: ${parts.join(', ')}.`);
  const all = countOf(tickets.imported, 'imported ticket');
  const of = tickets.chosen === tickets.imported ? `all ${all}` : `${formatCount(tickets.chosen)} of ${all}`;
  return style.green(`${style.symbols.tick} Equal to the export: ${of}.`);
}

/** Nothing was compared, and nothing may look as if it had been. */
function unreadableLines({ findings: { hiddenBy } }: VerifyResult, style: Style): string[] {
  const todo =
    hiddenBy?.status === 403
      ? 'Give the token the scope read:tickets, then verify again.'
      : 'The trial compared what the target answered to each create; beyond that, look at the tickets themselves.';
  return [
    style.red(`${style.symbols.cross} Nothing could be compared: the target cannot be read.`),
    ...wrap(printable(hiddenBy?.detail ?? ''), style, { indent: 2 }),
    ...wrap(todo, style, { lead: `${style.symbols.arrow} `, paint: style.cyan }),
  ];
}

function checkRow({ name, equal, differs, notReported }: CheckFindings, style: Style): Cell[] {
  const { tick, cross, warning } = style.symbols;
  const [text, paint] =
    differs > 0 ? [cross, style.red] : equal === 0 ? [warning, style.yellow] : [tick, style.green];
  const remarks = [
    differs > 0 && `${formatCount(differs)} ${differs === 1 ? 'differs' : 'differ'}`,
    notReported > 0 && `${formatCount(notReported)} not reported by the target`,
  ].filter((part) => typeof part === 'string');
  return [
    { text, paint },
    name,
    `${formatCount(equal)} equal`,
    { text: remarks.join(', '), paint: style.dim },
  ];
}

function exampleLines(
  title: string,
  examples: readonly (Difference & { readonly name?: string })[],
  style: Style,
): string[] {
  if (examples.length === 0) return [];
  const lines = examples.flatMap(({ externalId, ticketId, detail, name }) => {
    const check = name === undefined ? '' : `, ${name}`;
    const text = printable(`${externalId} (${ticketId} in the target)${check}: ${detail}`);
    return wrap(text, style, { indent: 2, lead: `${style.symbols.bullet} ` });
  });
  return [...heading(title, style), ...lines];
}

const SHOWN_FILES = 20;

function fileLines(files: VerifyResult['files'], style: Style): string[] {
  if (files === undefined) return [];
  const { tick, cross } = style.symbols;
  const { wrong } = files;
  const what = countOf(files.opened, 'fetched file');
  if (wrong.length === 0) return [style.green(`${tick} ${what} opened without a login: as fetched.`)];
  const left = wrong.length - SHOWN_FILES;
  return [
    style.red(`${cross} ${formatCount(wrong.length)} of ${what} do not open as they were fetched:`),
    ...wrong.slice(0, SHOWN_FILES).flatMap(({ detail }) => wrap(printable(detail), style, { indent: 2 })),
    ...(left > 0 ? [`  and ${formatCount(left)} more; --json lists all`] : []),
  ];
}
