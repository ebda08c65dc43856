import { writeFile } from 'node:fs/promises';
import { readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import { type CommandSpec, FILES, SET, shared } from '../cli/command.ts';
import { type CliContext, type Flags, listenForStop, portsOf, READ_ONLY } from '../cli/context.ts';
import { loadSettings } from '../cli/load-settings.ts';
import { requireOutput } from '../cli/output-file.ts';
import { answer, openScreen } from '../cli/screen.ts';
import type { Emit } from '../domain/ports.ts';
import { countOf, formatCount } from '../domain/printable.ts';
import { say } from '../domain/text/problem-words.ts';
import { openTarget } from '../import/target.ts';
import { type VerifyCounts, type VerifyResult, verifyImport } from '../import/verify-import.ts';
import { option } from '../settings/option-spec.ts';
import * as b from '../view/blocks.ts';
import { formatDuration } from '../view/format.ts';
import { wantsBar } from '../view/terminal/screen.ts';

const SAMPLE = 100;

export const command: CommandSpec = {
  arguments: [FILES],
  options: [
    option('What to do', '--all', 'read every imported ticket back, not 100: three requests a ticket'),
    option(
      'What is written',
      '--combined <file>',
      'with all tickets, one a line: = equal, * differs, - missing there, + only there, ! could not be read',
    ),
    shared('--base-url'),
    shared('--sandbox', { description: 'verify an import into the local sandbox service' }),
    SET,
    shared('--only'),
    shared('--checkpoint'),
  ],
  examples: [
    ['verify export/', 'compare a sample of the tickets'],
    ['verify export/ --json', 'the result as one JSON object'],
  ],
  run: verifyCommand,
};

async function verifyCommand(files: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const { all, combined } = flags;
  const file = typeof combined === 'string' ? combined : undefined;
  if (file !== undefined) requireOutput({ path: file, isOurs: (head) => /^[=*+!-] /.test(head) });
  const needs = ['files', 'target', 'credentials'] as const;
  const { settings, warnings } = await loadSettings(files, flags, needs, context);
  const { output } = settings;
  // Before a sandbox starts and the export is read.
  readCheckpoint(output.checkpoint).close();
  const { stderr, env } = context;
  using shown = await openScreen(settings, context);
  const { screen, say, warn } = shown;
  const hasBar = wantsBar(stderr, env);
  const emit: Emit = (event) => {
    // A log line would call it an import.
    if (event.type !== 'start-import' || hasBar) screen.emit(event);
    else screen.print([`reading ${countOf(event.tickets, 'ticket')} back`]);
  };
  using stop = listenForStop(context, say, READ_ONLY);
  for (const warning of warnings) warn(warning);
  await using target = await openTarget(settings);
  const ports = { ...portsOf(context, stop), emit };
  const lines: string[] = [];
  const isAll = all === true || file !== undefined;
  const result = await verifyImport(settings, target, isAll ? 'all' : SAMPLE, ports, (sign, id) =>
    lines.push(`${sign} ${id}`),
  );
  if (file !== undefined) await writeFile(file, lines.map((line) => `${line}\n`).join(''));
  screen.close();
  answer(context, flags, result, verifyBlocks(result));
  return result.exitCode;
}

function verifyBlocks({ findings, tickets, files, ...result }: VerifyResult): b.Block[] {
  const { hiddenBy, missing, missingTotal, unread, unreadTotal } = findings;
  if (findings.targetIsUnreadable)
    return [
      b.heading('Nothing could be compared: the helpdesk cannot be read.', { level: 1, tone: 'bad' }),
      b.paragraph(hiddenBy?.detail ?? ''),
      b.paragraph(
        hiddenBy?.status === 403
          ? 'Give the token the scope read:tickets, then verify again.'
          : 'The trial compared what the helpdesk answered to each create; beyond that, look at the tickets themselves.',
        { look: 'advice' },
      ),
    ];
  const differing = findings.checks.flatMap(({ name, examples }) =>
    examples.map((one) => ({ ...one, detail: `${name}: ${one.detail}` })),
  );
  const notes = b.present([
    tickets.chosen < tickets.imported &&
      'This was a sample, the same one each time; --all reads every ticket.',
    tickets.changed > 0 &&
      `${countOf(tickets.changed, 'ticket')} changed in the export since the import, so a difference is to be expected; run --delta brings in changed messages.`,
    tickets.incomplete > 0 &&
      `${countOf(tickets.incomplete, 'ticket is', 'tickets are')} incomplete in the helpdesk. Run the import again.`,
    tickets.invalid > 0 &&
      `${countOf(tickets.invalid, 'imported ticket')} no longer valid in the export: nothing to compare with.`,
  ]);
  return b.blocks(
    headline(findings, tickets, files),
    b.list('checks', findings.checks.map(checkItem)),
    files && fileBlocks(files),
    b.section('What differs', exampleList(differing)),
    b.section(`No longer in the helpdesk: ${countOf(missingTotal, 'ticket')}`, exampleList(missing)),
    b.section(`Could not be read back: ${countOf(unreadTotal, 'ticket')}`, exampleList(unread)),
    b.heading('What was compared'),
    b.facts([
      {
        label: 'export',
        value: `${countOf(tickets.read, 'ticket')}, ${formatCount(tickets.imported)} imported`,
      },
      { label: 'compared', value: countOf(findings.compared, 'ticket') },
      { label: 'requests', value: formatCount(result.requests.sent) },
      { label: 'time', value: formatDuration(result.durationMs) },
      { label: 'helpdesk', value: result.target },
      { label: 'checkpoint', value: result.checkpoint },
    ]),
    notes.length > 0 && b.list('bullets', notes),
  );
}

/** Green only if nothing is wrong or unfinished. */
function headline(
  { compared, equal, different, missingTotal, unreadTotal }: VerifyResult['findings'],
  { chosen, imported, incomplete, open, invalid }: VerifyCounts,
  files: VerifyResult['files'],
): b.Block {
  const are = (count: number, what: string) => `${countOf(count, 'is', 'are')} ${what}`;
  const wrong = b.present([
    different > 0 && countOf(different, 'differs', 'differ'),
    missingTotal > 0 && are(missingTotal, 'missing'),
    unreadTotal > 0 && `${formatCount(unreadTotal)} could not be read`,
    incomplete > 0 && are(incomplete, 'incomplete'),
    open > 0 && are(open, 'in doubt, refused or rejected'),
    invalid > 0 && are(invalid, 'invalid in the export'),
  ]);
  const level = { level: 1 } as const;
  const all = countOf(imported, 'imported ticket');
  if (wrong.length > 0) {
    const total = compared + missingTotal + unreadTotal + incomplete + open + invalid;
    return b.heading(
      `${say('{equal} of {total|# ticket|# tickets} {equal|is|are} equal', { equal, total })}, ${wrong.join(', ')}.`,
      { ...level, tone: 'bad' },
    );
  }
  const whole = say('{imported|the one imported ticket|all # imported tickets}', { imported });
  const of = chosen === imported ? whole : `${formatCount(chosen)} of ${all}`;
  const lost = files?.wrong.length ?? 0;
  return lost > 0
    ? b.heading(
        `Tickets are equal to the export (${of}), but ${countOf(lost, 'fetched file does', 'fetched files do')} not open as fetched.`,
        { ...level, tone: 'bad' },
      )
    : b.heading(`Equal to the export: ${of}.`, { ...level, tone: 'good' });
}

function checkItem({
  name,
  equal,
  differs,
  notReported,
}: VerifyResult['findings']['checks'][number]): b.Item {
  const text = b
    .present([
      `${formatCount(equal)} equal`,
      differs > 0 && countOf(differs, 'differs', 'differ'),
      notReported > 0 && `${formatCount(notReported)} not reported by the helpdesk`,
    ])
    .join(', ');
  return { lead: name, text, tone: differs > 0 ? 'bad' : equal === 0 ? 'warn' : 'good' };
}

function exampleList(examples: VerifyResult['findings']['missing']): b.Block | false {
  const items = examples.map(
    ({ externalId, ticketId, detail }) => `${externalId} (${ticketId} in the helpdesk), ${detail}`,
  );
  return items.length > 0 && b.list('bullets', items);
}

const SHOWN_FILES = 20;

function fileBlocks({ opened, wrong }: NonNullable<VerifyResult['files']>): b.Block[] {
  const what = countOf(opened, 'fetched file');
  if (wrong.length === 0)
    return [b.paragraph(`${what} opened without a login: as fetched.`, { tone: 'good' })];
  const shown = wrong.slice(0, SHOWN_FILES).map(({ detail }) => detail);
  return [
    b.paragraph(`${formatCount(wrong.length)} of ${what} do not open as they were fetched:`, { tone: 'bad' }),
    b.list('bullets', shown, { more: wrong.length - shown.length }),
  ];
}
