import { AppError } from '../../domain/errors.ts';
import { printable, screenText } from '../../domain/printable.ts';
import type { CommandLines } from '../command-line.ts';
import { shellLines } from './blocks.ts';
import { createStyle, type Style, type StyleInputs, wrap } from './style.ts';

interface ErrorViewOptions {
  readonly verbose?: boolean;
}

export function errorLines(
  error: unknown,
  style: Style,
  { verbose = false }: ErrorViewOptions = {},
): string[] {
  const isDefect = !(error instanceof AppError) || error.code === 'internal';
  const message = messageOf(error);
  if (isDefect) return [...head(message, style), ...defectTail(error, style)];
  const { code, lines, hint } = error;
  const isStopped = code === 'interrupted' || code === 'terminated';
  return [
    ...(isStopped ? wrap(message, style, { paint: style.bold }) : head(message, style)),
    ...lines.flatMap((line) => complaintLines(line, style)),
    ...(hint === undefined ? [] : hintLines([hint], style)),
    ...(verbose ? causeLines(error, style) : []),
  ];
}

function messageOf(error: unknown): string {
  if (error instanceof AppError) return error.message;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Before any setting is read: only this is shown of the run. */
export function renderError(error: unknown, options: ErrorViewOptions & StyleInputs): string {
  const style = createStyle(options);
  const again = againAfter(error, options.commands);
  return screenText([
    ...errorLines(error, style, options),
    ...(again === undefined ? [] : shellLines(again, style)),
  ]);
}

/** For a command without a result (contract, "JSON"). */
export function errorJson(error: unknown, mode: string, exitCode: number, commands: CommandLines): object {
  const { code, lines, hint } = error instanceof AppError ? error : INTERNAL;
  const said = code === 'internal' ? (hint ?? DEFECT_HINT.join('\n')) : hint;
  const again = againAfter(error, commands);
  return {
    version: 2,
    mode,
    error: {
      code,
      message: messageOf(error),
      ...(lines.length > 0 && { lines }),
      ...(said !== undefined && { hint: said }),
    },
    ...(again !== undefined && {
      next: [{ text: 'Run the same command again to continue:', command: again }],
    }),
    exitCode,
  };
}

/** After a mistake the command must be corrected; after a stop it continues. */
function againAfter(error: unknown, commands: CommandLines | undefined): string | undefined {
  const goesOn =
    error instanceof AppError && error.exitCode > 2 && /the same command again/i.test(error.hint ?? '');
  return goesOn ? commands?.again() : undefined;
}

const INTERNAL = { code: 'internal', lines: [], hint: undefined } as const;
const DEFECT_HINT = [
  'This is a bug in helpdesk-import, not a mistake in your data. Please report it with the lines above.',
  'Nothing that was recorded is lost: running the same command again continues from the checkpoint.',
] as const;

function head(message: string, style: Style): string[] {
  const paintLead = (lead: string) => style.red(style.bold(lead));
  return wrap(printable(message), style, { lead: 'Error: ', paintLead, paint: style.bold });
}

function hintLines(hints: readonly string[], style: Style): string[] {
  return hints.flatMap((hint) =>
    wrap(printable(hint), style, { lead: `${style.symbols.arrow} `, paint: style.cyan }),
  );
}

const PLACE = /^(\S[^\n]*?:\d+(?::\d+)?): /;
const FRAME = /^(\s*\d* ?\| )(\s*\^+$)?(.*)$/;

function complaintLines(complaint: string, style: Style): string[] {
  const [, text = complaint, framed] = /^(.*)\n([^\n]*\n *\| *\^+)$/s.exec(complaint) ?? [];
  const [first, frame] = [printable(text), framed?.split('\n') ?? []];
  const place = PLACE.exec(first)?.[1];
  const sentence = place === undefined ? first : first.slice(place.length + 2);
  const lead = place === undefined ? `${style.symbols.bullet} ` : '';
  return [
    ...(place === undefined ? [] : [`  ${style.cyan(printable(place))}`]),
    ...wrap(printable(sentence), style, { indent: 2, lead }),
    ...frame.map((line) => frameLine(line, style)),
  ];
}

function frameLine(line: string, style: Style): string {
  const [, number = '', mark = '', text = line] = FRAME.exec(line) ?? [];
  return `  ${style.dim(number)}${style.red(mark)}${printable(text)}`;
}

function defectTail(error: unknown, style: Style): string[] {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return [
    ...frames.map((line) => style.dim(`  ${printable(line.trim())}`)),
    ...causeLines(error, style),
    ...hintLines(DEFECT_HINT, style),
  ];
}

function causeLines(error: unknown, style: Style): string[] {
  const lines: string[] = [];
  let cause: unknown = error instanceof Error ? error.cause : undefined;
  for (let depth = 0; depth < 5 && cause !== undefined; depth++) {
    lines.push(
      ...wrap(printable(messageOf(cause)), style, { indent: 2, lead: 'because of ', paint: style.dim }),
    );
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return lines;
}
