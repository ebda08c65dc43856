/**
 * Command lines that are shown to be typed: the one that was typed, and those that follow from it with everything that says which import
 * they are about: files, settings, checkpoint, target. So the next command never begins a second import. Pure.
 */

/** An option as it was typed; `values` is empty for a switch, or where an optional value was left out. */
export interface TypedOption {
  /** The long flag: `--checkpoint`, `--no-progress`. */
  readonly flag: string;
  readonly values: readonly string[];
}

interface TypedCommand {
  /** `run` */
  readonly command: string;
  readonly files: readonly string[];
  /** In the order of the command's definition. */
  readonly options: readonly TypedOption[];
}

interface CommandChange {
  /** Long flags that are left out. */
  readonly without?: readonly string[] | undefined;
  /** Replaces the checkpoint that was typed. */
  readonly checkpoint?: string | undefined;
  readonly files?: readonly string[] | undefined;
  /** Words behind everything else. */
  readonly more?: readonly string[] | undefined;
}

export interface CommandLines {
  /** The export, as it was typed; empty if the settings name it. */
  readonly files: readonly string[];
  /** The command that was typed, once more. */
  again(change?: CommandChange): string;
  /** Another command about the same import. */
  about(command: string, change?: CommandChange): string;
  /** A sentence in which commands are named, each with what it needs to be about the same import. */
  inText(text: string, space?: string): string;
}

/**
 * `carriedBy`: by command, the flags that say what an import is about, and so go from one command to another. `titles`: what is typed for a
 * command, where that is more than its name.
 */
export function commandLines(
  { command, files, options }: TypedCommand,
  carriedBy: ReadonlyMap<string, readonly string[]> = new Map(),
  titles: ReadonlyMap<string, string> = new Map(),
): CommandLines {
  const line = (
    name: string,
    named: readonly string[],
    given: readonly TypedOption[],
    more: readonly string[],
  ) => {
    const title = titles.get(name) ?? name;
    const words = ['helpdesk-import', title, ...named.map(fileText), ...given.map(optionText), ...more];
    // What came through a pipe is gone: the same has to come again.
    return `${named.includes('-') ? '… | ' : ''}${words.join(' ')}`;
  };
  const carriedTo = (other: string, { without = [], checkpoint }: CommandChange = {}) => {
    const isCarried = ({ flag }: TypedOption) =>
      [command, other].every((name) => carriedBy.get(name)?.includes(flag) === true) &&
      !without.includes(flag) &&
      (checkpoint === undefined || flag !== '--checkpoint');
    const named = checkpoint === undefined ? [] : [{ flag: '--checkpoint', values: [checkpoint] }];
    return [...options.filter(isCarried), ...named];
  };
  return {
    files,
    again: ({ without = [], files: others = files, more = [] } = {}) => {
      const kept = options.filter(({ flag }) => !without.includes(flag));
      return line(command, others, kept, more);
    },
    about: (other, change = {}) =>
      line(other, change.files ?? [], carriedTo(other, change), change.more ?? []),
    inText: (text, space = ' ') =>
      text.replace(COMMAND, (found, name: string, at: number) => {
        const [first = ''] = name.split(/[ \u00a0]/);
        // A sentence may go on with words that are no part of the command, but not with its flags in another line.
        const [behind = ''] = text.slice(at + found.length).split('\n');
        const missing = carriedTo(first).filter(({ flag }) => !behind.split(/[\s=]/).includes(flag));
        // The export says what its source is called, and the target has it under that name.
        const isRebuilt = name.endsWith('rebuild') && command === 'run';
        const named = (isRebuilt ? files : [])
          .filter((file) => file !== '-')
          .map(fileText)
          .filter((file) => !behind.includes(` ${file}`));
        return [found, ...named, ...missing.map(optionText)].join(' ').replaceAll(' ', space);
      }),
  };
}

/** The modes of `run` that end with looking or with a part. */
const MODES = ['--dry-run', '--trial', '--explain', '--serve', '--plan'] as const;
/** The flags of `run` that say how an export is read: a plan has been. */
const READING = ['--from', '--source-name', '--encoding', '--delimiter', '--skip-lines'] as const;
/** The flags of `run` that say which tickets are meant: what is in the rejects was among them. It is UTF-8 whatever the export was. */
const SELECTION = ['--since', '--until', '--only', '--limit', '--encoding'] as const;

/** The whole import once more, when this command was a dry run or a trial of it. */
export function importAll(lines: CommandLines, more?: readonly string[]): string {
  return lines.again({ without: MODES, more });
}

/** The import of the plan that was kept. */
export function importPlan(lines: CommandLines, plan: string, more?: readonly string[]): string {
  return lines.again({ without: [...MODES, ...READING], files: [plan], more });
}

/** The import of a folder of rejects. */
export function importRejects(lines: CommandLines, command: string, folder: string): string {
  return lines.about(command, { files: [folder], without: SELECTION });
}

/** As a shell takes it. */
export function quoteArgument(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}

/** A command and not `helpdesk-import.yaml`, nor the program's name in a sentence. */
const COMMAND =
  /(?<![\w./-])helpdesk-import[ \u00a0](?:billing[ \u00a0])?(run|checkpoint(?:[ \u00a0](?:backup|rebuild))?|links(?:[ \u00a0](?:plan|apply))?|inspect|init|canary|doctor|status|resolve|verify|map|files|report|undo|usage-events|customer|usage|gate|sandbox|completion|help|--help)\b(?!-)/g;

/** Placeholder for a space at which no line is broken. */
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

function fileText(file: string): string {
  return quoteArgument(file !== '-' && file.startsWith('-') ? `./${file}` : file);
}

function optionText({ flag, values }: TypedOption): string {
  if (values.length === 0) return flag;
  return values
    .map((value) => `${flag}${value.startsWith('-') ? '=' : ' '}${quoteArgument(value)}`)
    .join(' ');
}
