/** What verifying found, on screen. Lines without line ends. */
import { printable } from '../../domain/printable.ts';
import { countOf, formatCount, formatDuration } from '../../view/format.ts';
import type { Style } from '../../view/terminal/style.ts';
import { type Cell, factLines, heading, tableLines, wrap } from '../../view/terminal/text-block.ts';
import type { CheckFindings, Difference, Findings, VerifyResult } from './verify-findings.ts';

const SHOWN_FILES = 20;

export function verifyLines(result: VerifyResult, style: Style): string[] {
  const { findings } = result;
  if (findings.targetIsUnreadable) return unreadableLines(findings, style);
  const wrong = [
    ...fileLines(result.files, style),
    ...exampleLines('What differs', differencesOf(findings), style),
    ...exampleLines(
      `No longer in the target: ${countOf(findings.missingTotal, 'ticket')}`,
      findings.missing,
      style,
    ),
    ...exampleLines(
      `Could not be read back: ${countOf(findings.unreadTotal, 'ticket')}`,
      findings.unread,
      style,
    ),
  ];
  return [
    headline(result, style),
    ...(findings.checks.length > 0 ? [''] : []),
    ...tableLines(
      findings.checks.map((check) => checkRow(check, style)),
      [{}, {}, { align: 'right' }, {}],
      style,
    ),
    ...wrong,
    ...heading('What was compared', style),
    ...factLines(factsOf(result), style),
    ...notes(result).flatMap((note) =>
      wrap(note, style, { indent: 2, lead: `${style.symbols.bullet} `, paint: style.dim }),
    ),
  ];
}

function fileLines(files: VerifyResult['files'], style: Style): string[] {
  if (files === undefined) return [];
  const { opened, wrong } = files;
  const { tick, cross } = style.symbols;
  const what = countOf(opened, 'fetched file');
  if (wrong.length === 0) return [style.green(`${tick} ${what} opened without a login: as fetched.`)];
  const left = wrong.length - SHOWN_FILES;
  return [
    style.red(`${cross} ${formatCount(wrong.length)} of ${what} do not open as they were fetched:`),
    ...wrong.slice(0, SHOWN_FILES).flatMap(({ detail }) => wrap(printable(detail), style, { indent: 2 })),
    ...(left > 0 ? [`  and ${formatCount(left)} more; --json lists all`] : []),
  ];
}

/** Nothing was compared, and nothing may look as if it had been. */
function unreadableLines({ hiddenBy }: Findings, style: Style): string[] {
  const mayNot = hiddenBy?.status === 403;
  return [
    style.red(`${style.symbols.cross} Nothing could be compared: the target cannot be read.`),
    ...(hiddenBy === undefined ? [] : wrap(printable(hiddenBy.detail), style, { indent: 2 })),
    ...wrap(
      mayNot
        ? 'Give the token the scope read:tickets, then verify again.'
        : 'What the target answered to each create was compared by the trial; beyond that, only a look at the tickets themselves helps.',
      style,
      { lead: `${style.symbols.arrow} `, paint: style.cyan },
    ),
  ];
}

function headline({ findings, tickets }: VerifyResult, style: Style): string {
  const { symbols } = style;
  const { compared, different, missingTotal, unreadTotal } = findings;
  const bad = different + missingTotal + unreadTotal;
  const of =
    tickets.chosen === tickets.imported
      ? `all ${countOf(tickets.imported, 'imported ticket')}`
      : `${formatCount(tickets.chosen)} of ${countOf(tickets.imported, 'imported ticket')}`;
  if (bad === 0) return style.green(`${symbols.tick} Equal to the export: ${of}.`);
  const parts = [
    ...(different > 0 ? [`${formatCount(different)} of ${formatCount(compared)} compared differ`] : []),
    ...(missingTotal > 0 ? [`${formatCount(missingTotal)} are missing`] : []),
    ...(unreadTotal > 0 ? [`${formatCount(unreadTotal)} could not be read`] : []),
  ];
  return style.red(`${symbols.cross} Not equal to the export: ${parts.join(', ')}.`);
}

function checkRow({ name, equal, differs, notReported }: CheckFindings, style: Style): Cell[] {
  const { tick, cross, warning } = style.symbols;
  const isSilent = equal + differs === 0;
  const sign =
    differs > 0
      ? { text: cross, paint: style.red }
      : isSilent
        ? { text: warning, paint: style.yellow }
        : { text: tick, paint: style.green };
  const reported = [
    ...(differs > 0 ? [`${formatCount(differs)} ${differs === 1 ? 'differs' : 'differ'}`] : []),
    ...(notReported > 0 ? [`${formatCount(notReported)} not reported by the target`] : []),
  ];
  return [sign, name, `${formatCount(equal)} equal`, { text: reported.join(', '), paint: style.dim }];
}

function differencesOf({ checks }: Findings): (Difference & { readonly name: string })[] {
  return checks.flatMap(({ name, examples }) => examples.map((example) => ({ ...example, name })));
}

function exampleLines(
  title: string,
  examples: readonly (Difference & { readonly name?: string })[],
  style: Style,
): string[] {
  if (examples.length === 0) return [];
  return [
    ...heading(title, style),
    ...examples.flatMap(({ externalId, ticketId, detail, name }) =>
      wrap(
        printable(
          `${externalId} (${ticketId} in the target)${name === undefined ? '' : `, ${name}`}: ${detail}`,
        ),
        style,
        { indent: 2, lead: `${style.symbols.bullet} ` },
      ),
    ),
  ];
}

function factsOf({ tickets, findings, requests, durationMs, target, checkpoint }: VerifyResult) {
  return [
    {
      label: 'export',
      text: `${countOf(tickets.read, 'ticket')}, ${formatCount(tickets.imported)} imported`,
    },
    { label: 'compared', text: countOf(findings.compared, 'ticket') },
    { label: 'requests', text: formatCount(requests.sent) },
    { label: 'time', text: formatDuration(durationMs) },
    { label: 'target', text: target },
    { label: 'checkpoint', text: checkpoint },
  ];
}

/** What a reader of the counts should know. */
function notes({ tickets }: VerifyResult): string[] {
  const { changed, incomplete, invalid, chosen, imported } = tickets;
  return [
    ...(chosen < imported ? ['This was a sample, the same one each time; --all reads every ticket.'] : []),
    ...(changed > 0
      ? [
          `${countOf(changed, 'ticket')} changed in the export since ${changed === 1 ? 'it was' : 'they were'} imported, so a difference is to be expected; run --delta brings in changed messages.`,
        ]
      : []),
    ...(incomplete > 0
      ? [`${countOf(incomplete, 'ticket')} not complete in the target yet: run the import again.`]
      : []),
    ...(invalid > 0
      ? [
          `${countOf(invalid, 'imported ticket')} not valid in the export any more: there is nothing to compare with.`,
        ]
      : []),
  ];
}
