/**
 * Command lines that are shown to be typed: what was typed, and the commands that follow from it with everything that
 * matters: which files, which settings, which checkpoint, which target. Whoever types what the screen says works on with
 * the same import and never begins a second one. Pure.
 */

/** An option as it was typed; `values` is empty for a switch, or where an optional value was left out. */
export interface TypedOption {
  /** The long flag: `--checkpoint`, `--no-progress`. */
  readonly flag: string;
  readonly values: readonly string[];
}

export interface TypedCommand {
  /** `run` */
  readonly command: string;
  readonly files: readonly string[];
  /** In the order of the command's definition. */
  readonly options: readonly TypedOption[];
}

/** By command: the flags that say what an import is about, which it takes over from another command. */
export type CarriedFlags = ReadonlyMap<string, readonly string[]>;

interface CommandChange {
  /** Long flags that are left out. */
  readonly without?: readonly string[] | undefined;
  /** Stands in for the checkpoint that was typed. */
  readonly checkpoint?: string | undefined;
  readonly files?: readonly string[] | undefined;
  /** Words behind everything else. */
  readonly more?: readonly string[] | undefined;
}

export interface CommandLines {
  /** The export, as it was typed; none where the settings name it. */
  readonly files: readonly string[];
  /** The command that was typed, once more. */
  again(change?: CommandChange): string;
  /** Another command about the same import. */
  about(command: string, change?: CommandChange): string;
  /** A sentence in which commands are named, each with what it needs to be about the same import. */
  inText(text: string, space?: string): string;
}

/** The flags of `run` that say which tickets are meant: what is in the rejects was among them. */
const SELECTION = ['--since', '--until', '--only', '--limit'] as const;
/** The modes of `run` that end with looking or with a part. */
const MODES = ['--dry-run', '--trial', '--explain', '--serve', '--plan'] as const;
/** The flags of `run` that say how an export is read: a plan has been. */
const READING = ['--from', '--source-name', '--encoding', '--delimiter', '--skip-lines'] as const;

/** `titles`: what is typed for a command, where that is more than its name. */
export function commandLines(
  typed: TypedCommand,
  carriedBy: CarriedFlags = new Map(),
  titles: ReadonlyMap<string, string> = new Map(),
): CommandLines {
  const titleOf = (name: string) => titles.get(name) ?? name;
  const { command, files, options } = typed;
  const carriedTo = (other: string, { without = [], checkpoint }: CommandChange = {}) => {
    const taken = carriedBy.get(other) ?? [];
    const left = checkpoint === undefined ? without : [...without, '--checkpoint'];
    const carried = options.filter(({ flag }) => taken.includes(flag) && !left.includes(flag));
    return checkpoint === undefined ? carried : [...carried, { flag: '--checkpoint', values: [checkpoint] }];
  };
  return {
    files,
    again: ({ without = [], files: others = files, more = [] } = {}) =>
      lineOf(
        titleOf(command),
        others,
        options.filter(({ flag }) => !without.includes(flag)),
        more,
      ),
    about: (other, change = {}) =>
      lineOf(titleOf(other), change.files ?? [], carriedTo(other, change), change.more ?? []),
    inText: (text, space = ' ') =>
      text.replace(COMMAND, (found, name: string, at: number) => {
        const [first = ''] = name.split(/[ \u00a0]/);
        const behind = text.slice(at + found.length);
        const missing = carriedTo(first).filter(({ flag }) => !hasFlag(behind, flag));
        // The export says what its source is called, and the target has it under that name.
        const wanted =
          name.endsWith('rebuild') && command === 'run' ? files.filter((file) => file !== '-') : [];
        const named = wanted.map(fileText).filter((file) => !behind.includes(` ${file}`));
        return [found, ...named, ...missing.map(optionText)].join(' ').replaceAll(' ', space);
      }),
  };
}

/** The whole import once more, when this command was a dry run or a trial of it. */
export function importAll(lines: CommandLines, more?: readonly string[]): string {
  return lines.again({ without: MODES, more });
}

/** The import of the plan that was kept. */
export function importPlan(lines: CommandLines, plan: string, more?: readonly string[]): string {
  return lines.again({ without: [...MODES, ...READING], files: [plan], more });
}

/** The import of a folder of rejects, which is UTF-8 whatever the export was. */
export function importRejects(lines: CommandLines, command: string, folder: string): string {
  return lines.about(command, { files: [folder], without: [...SELECTION, '--encoding'] });
}

/** As a shell takes it. */
export function quoteArgument(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}

/** A command and not `helpdesk-import.yaml`, nor the program's name in a sentence. */
const COMMAND =
  /(?<![\w./-])helpdesk-import[ \u00a0](?:billing[ \u00a0])?(run|checkpoint(?:[ \u00a0](?:backup|rebuild))?|links(?:[ \u00a0](?:plan|apply))?|inspect|init|canary|doctor|status|resolve|verify|map|files|report|undo|usage-events|customer|usage|gate|sandbox|completion|help|--help)\b(?!-)/g;

/** Stands for a space at which no line is broken. */
const KEPT_SPACE = '\u00a0';

/** A sentence with each of its commands completed, and held on one line by `wrap`. */
export function keptTogether(text: string, lines: CommandLines | undefined): string {
  return lines === undefined ? text : lines.inText(text, KEPT_SPACE);
}

export function spaced(line: string): string {
  return line.replaceAll(KEPT_SPACE, ' ');
}

/** Who starts it by npx or an npm script has no `helpdesk-import` of its own: it would not be found. */
export function asTyped(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return env['npm_command'] === undefined
    ? text
    : text.replace(COMMAND, (found, _name, at: number) =>
        text.slice(0, at).endsWith('npx ') ? found : `npx ${found}`,
      );
}

function lineOf(
  command: string,
  files: readonly string[],
  options: readonly TypedOption[],
  more: readonly string[],
): string {
  const line = ['helpdesk-import', command, ...files.map(fileText), ...options.map(optionText), ...more].join(
    ' ',
  );
  // What came through a pipe is gone: the same has to come again.
  return files.includes('-') ? `… | ${line}` : line;
}

function fileText(file: string): string {
  return quoteArgument(file !== '-' && file.startsWith('-') ? `./${file}` : file);
}

function optionText({ flag, values }: TypedOption): string {
  if (values.length === 0) return flag;
  return values
    .map((value) => `${flag}${value.startsWith('-') ? '=' : ' '}${quoteArgument(value)}`)
    .join(' ');
}

/** Up to the end of the line: a sentence may go on with words that are no part of the command. */
function hasFlag(behind: string, flag: string): boolean {
  const [line = ''] = behind.split('\n');
  return line.split(/[\s=]/).includes(flag);
}
