/** `helpdesk-import verify`: reads imported tickets back, compares them with the export and shows what was found. */
import { readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import { type CommandSpec, EXPORT_OPTIONS, FILES, shared } from '../cli/command.ts';
import { type CliContext, type Flags, listenForStop, portsOf, READ_ONLY } from '../cli/context.ts';
import { loadSettings } from '../cli/load-settings.ts';
import { answer, openScreen } from '../cli/screen.ts';
import type { Emit } from '../domain/run-events.ts';
import { openTarget, type TargetAddress } from '../import/target.ts';
import { option } from '../settings/option-spec.ts';
import { wholeNumber } from '../settings/parsers.ts';
import {
  type Block,
  blocks,
  facts,
  heading,
  type Item,
  list,
  paragraph,
  present,
  section,
} from '../view/blocks.ts';
import { countOf, formatCount, formatDuration } from '../view/format.ts';
import { wantsBar } from '../view/terminal/screen.ts';
import type { CheckFindings, Difference, VerifyResult } from './results.ts';
import { verifyImport } from './verify-import.ts';

const SAMPLE = 100;

export const command: CommandSpec = {
  arguments: [FILES],
  options: [
    option(
      'What to do',
      '--sample <n>',
      'tickets to read back, spread evenly over the export, the same ones each time',
      { byDefault: String(SAMPLE), parse: wholeNumber(1, 100_000) },
    ),
    option('What to do', '--all', 'read every imported ticket back: three requests a ticket', {
      conflicts: ['--sample'],
    }),
    shared('--sandbox', { description: 'verify an import into the local sandbox service' }),
    ...EXPORT_OPTIONS,
    shared('--only'),
    shared('--checkpoint'),
    shared('--json', {
      description: 'one JSON object on standard output; everything else on standard error',
    }),
  ],
  examples: [
    ['verify export/', 'compare a sample of the tickets'],
    ['verify export/ --sample 500', 'compare 500 of them'],
    ['verify export/ --json', 'the result as one JSON object'],
  ],
  run: verifyCommand,
};

async function verifyCommand(files: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const { all, sample = SAMPLE } = flags;
  const needs = ['files', 'target', 'credentials'] as const;
  const { settings, warnings, folder } = await loadSettings(files, flags, needs, context);
  const { output } = settings;
  // Before a sandbox is started for it, and before the export is read.
  readCheckpoint(output.checkpoint).close();
  const { stderr, env, clock } = context;
  const { screen, say, warn } = await openScreen(settings, context);
  const hasBar = wantsBar(stderr, env, output.progress);
  const emit: Emit = (event) => {
    // Lines of a log would call it an import.
    if (event.type !== 'start-import' || hasBar) screen.emit(event);
    else screen.print([`reading ${countOf(event.tickets, 'ticket')} back`]);
  };
  using stop = listenForStop(context, say, READ_ONLY);
  let target: TargetAddress | undefined;
  try {
    for (const warning of warnings) warn(warning);
    target = await openTarget(settings, clock);
    const ports = { ...portsOf(context, stop), emit, settingsFolder: folder };
    const result = await verifyImport(settings, target, all === true ? 'all' : Number(sample), ports);
    screen.close();
    answer(context, flags, result, verifyBlocks(result));
    return result.exitCode;
  } finally {
    screen.close();
    await target?.sandbox?.close();
  }
}

function verifyBlocks({ findings, tickets, files, ...result }: VerifyResult): Block[] {
  const { hiddenBy, missing, missingTotal, unread, unreadTotal } = findings;
  // Nothing was compared, and nothing may look as if it had been.
  if (findings.targetIsUnreadable)
    return [
      heading('Nothing could be compared: the target cannot be read.', { level: 1, tone: 'bad' }),
      paragraph(hiddenBy?.detail ?? ''),
      paragraph(
        hiddenBy?.status === 403
          ? 'Give the token the scope read:tickets, then verify again.'
          : 'The trial compared what the target answered to each create; beyond that, look at the tickets themselves.',
        { look: 'advice' },
      ),
    ];
  const differing = findings.checks.flatMap(({ name, examples }) =>
    examples.map((one) => ({ ...one, detail: `${name}: ${one.detail}` })),
  );
  const notes = present([
    tickets.chosen < tickets.imported &&
      'This was a sample, the same one each time; --all reads every ticket.',
    tickets.changed > 0 &&
      `${countOf(tickets.changed, 'ticket')} changed in the export since the import, so a difference is to be expected; run --delta brings in changed messages.`,
    tickets.incomplete > 0 &&
      `${countOf(tickets.incomplete, 'ticket')} not complete in the target yet: run the import again.`,
    tickets.invalid > 0 &&
      `${countOf(tickets.invalid, 'imported ticket')} not valid in the export any more: nothing to compare with.`,
  ]);
  return blocks(
    headline(findings, tickets),
    list('checks', findings.checks.map(checkItem)),
    files && fileBlocks(files),
    section('What differs', exampleList(differing)),
    section(`No longer in the target: ${countOf(missingTotal, 'ticket')}`, exampleList(missing)),
    section(`Could not be read back: ${countOf(unreadTotal, 'ticket')}`, exampleList(unread)),
    heading('What was compared'),
    facts([
      {
        label: 'export',
        value: `${countOf(tickets.read, 'ticket')}, ${formatCount(tickets.imported)} imported`,
      },
      { label: 'compared', value: countOf(findings.compared, 'ticket') },
      { label: 'requests', value: formatCount(result.requests.sent) },
      { label: 'time', value: formatDuration(result.durationMs) },
      { label: 'target', value: result.target },
      { label: 'checkpoint', value: result.checkpoint },
    ]),
    notes.length > 0 && list('bullets', notes),
  );
}

function headline(findings: VerifyResult['findings'], tickets: VerifyResult['tickets']): Block {
  const { compared, different, missingTotal, unreadTotal } = findings;
  const parts = present([
    different > 0 && `${formatCount(different)} of ${formatCount(compared)} compared differ`,
    missingTotal > 0 && `${formatCount(missingTotal)} are missing`,
    unreadTotal > 0 && `${formatCount(unreadTotal)} could not be read`,
  ]);
  const all = countOf(tickets.imported, 'imported ticket');
  const of = tickets.chosen === tickets.imported ? `all ${all}` : `${formatCount(tickets.chosen)} of ${all}`;
  return parts.length > 0
    ? heading(`Not equal to the export: ${parts.join(', ')}.`, { level: 1, tone: 'bad' })
    : heading(`Equal to the export: ${of}.`, { level: 1, tone: 'good' });
}

function checkItem({ name, equal, differs, notReported }: CheckFindings): Item {
  const text = present([
    `${formatCount(equal)} equal`,
    differs > 0 && `${formatCount(differs)} ${differs === 1 ? 'differs' : 'differ'}`,
    notReported > 0 && `${formatCount(notReported)} not reported by the target`,
  ]).join(', ');
  return { lead: name, text, tone: differs > 0 ? 'bad' : equal === 0 ? 'warn' : 'good' };
}

function exampleList(examples: readonly Difference[]): Block | false {
  const items = examples.map(
    ({ externalId, ticketId, detail }) => `${externalId} (${ticketId} in the target), ${detail}`,
  );
  return items.length > 0 && list('bullets', items);
}

const SHOWN_FILES = 20;

function fileBlocks({ opened, wrong }: NonNullable<VerifyResult['files']>): Block[] {
  const what = countOf(opened, 'fetched file');
  if (wrong.length === 0) return [paragraph(`${what} opened without a login: as fetched.`, { tone: 'good' })];
  const shown = wrong.slice(0, SHOWN_FILES).map(({ detail }) => detail);
  return [
    paragraph(`${formatCount(wrong.length)} of ${what} do not open as they were fetched:`, { tone: 'bad' }),
    list('bullets', shown, { more: wrong.length - shown.length }),
  ];
}
