/** Commands to type, with everything that says which import they are about, so that none begins a second import. Pure. */

/** `values` is empty for a switch. */
export interface TypedOption {
  readonly flag: string;
  readonly values: readonly string[];
}

interface TypedCommand {
  readonly command: string;
  readonly files: readonly string[];
  readonly options: readonly TypedOption[];
}

interface CommandChange {
  readonly without?: readonly string[] | undefined;
  readonly checkpoint?: string | undefined;
  readonly files?: readonly string[] | undefined;
  readonly more?: readonly string[] | undefined;
}

export interface CommandLines {
  /** Empty if the settings name it. */
  readonly files: readonly string[];
  again(change?: CommandChange): string;
  about(command: string, change?: CommandChange): string;
  /** Each marked command of a sentence, with what says which import it is about; it stays marked. */
  complete(text: string): string;
  /** Completed, for JSON and files. */
  inText(text: string): string;
}

/** `carriedBy`: by command, the flags that identify an import. `titles`: what is typed for a command, if more than its name. */
export function commandLines(
  { command, files, options }: TypedCommand,
  env: Readonly<Record<string, string | undefined>> = {},
  carriedBy: ReadonlyMap<string, readonly string[]> = new Map(),
  titles: ReadonlyMap<string, string> = new Map(),
): CommandLines {
  const program = programIn(env);
  const line = (
    name: string,
    named: readonly string[],
    given: readonly TypedOption[],
    more: readonly string[],
  ) => {
    const words = [
      ...[program, titles.get(name) ?? name],
      ...[...named.map(fileText), ...given.map(optionText), ...more],
    ];
    // The same has to be piped again.
    return `${named.includes('-') ? '… | ' : ''}${words.join(' ')}`;
  };
  const carriedTo = (other: string, { without = [], checkpoint }: CommandChange = {}) => {
    const [own = [], taken = []] = [command, other].map((name) => carriedBy.get(name));
    const carried = options.flatMap((typed): TypedOption[] => {
      const { flag, values } = typed;
      if (!own.includes(flag) || (checkpoint !== undefined && flag === '--checkpoint')) return [];
      if (taken.includes(flag)) return [typed];
      const isSettable = flag === '--from' && taken.includes('--set');
      return isSettable ? [{ flag: '--set', values: values.map((name) => `source.from=${name}`) }] : [];
    });
    const named = checkpoint === undefined ? [] : [{ flag: '--checkpoint', values: [checkpoint] }];
    return [...optionsWithout(carried, without), ...named];
  };
  const completed = (marked: string) => {
    const [, given = ''] = marked.split(`${PROGRAM} `);
    const words = given.split(/[ =]/);
    const missing = carriedTo(words[0] ?? '').filter(({ flag }) => !words.includes(flag));
    // These read the export again.
    const isOfFiles = /^(?:verify|init|checkpoint rebuild)\b/.test(given) && command === 'run';
    const named = (isOfFiles ? files : [])
      .filter((file) => file !== '-')
      .map(fileText)
      .filter((file) => !words.includes(file));
    const [, name, flags] = /^(.*?)((?: -.*)?)$/s.exec(given) ?? [];
    return `${[program, name, ...named, ...missing.map(optionText)].join(' ')}${flags}`;
  };
  const complete = (text: string) =>
    partsOf(text)
      .map((part, at) => (isCommand(at) ? `\`${completed(part)}\`` : part))
      .join('');
  return {
    files,
    again: ({ without = [], files: others = files, more = [] } = {}) => {
      return line(command, others, optionsWithout(options, without), more);
    },
    about: (other, change = {}) =>
      line(other, change.files ?? [], carriedTo(other, change), change.more ?? []),
    complete,
    inText: (text) => unmarked(complete(text)),
  };
}

const PROGRAM = 'helpdesk-import';

/** With npx or an npm script the program's name alone is not found. */
export function programIn(env: Readonly<Record<string, string | undefined>>): string {
  return env['npm_command'] === undefined ? PROGRAM : `npx ${PROGRAM}`;
}

/** A command in a sentence is between backticks; a quoted argument of it may hold one. */
const MARKED = /`((?:npx )?helpdesk-import (?:'[^']{0,1000}'|\\.|[^`'\\]){0,1000})`/;

/** A sentence and its commands, by turns. */
export function partsOf(text: string): readonly string[] {
  return text.includes(PROGRAM) ? text.split(MARKED) : [text];
}

export function isCommand(at: number): boolean {
  return at % 2 === 1;
}

/** Commands in quotes, except behind a colon at the end. `space`: between their words. */
export function unmarked(text: string, space = ' '): string {
  const parts = partsOf(text);
  const shown = (part: string, at: number) => {
    if (!isCommand(at)) return part;
    const isLast = at === parts.length - 2 && /^\)?$/.test(parts[at + 1] ?? '');
    const words = part.replaceAll(' ', space);
    return isLast && parts[at - 1]?.endsWith(': ') ? words : `"${words}"`;
  };
  return parts.map(shown).join('');
}

const MODES = ['--dry-run', '--trial', '--serve', '--plan'] as const;
/** The rejects were selected already, and are always UTF-8. */
const SELECTION = ['--since', '--until', '--only', '--limit', '--set source.encoding='] as const;

export function importAll(lines: CommandLines, more?: readonly string[]): string {
  return lines.again({ without: MODES, more });
}

export function importRejects(lines: CommandLines, command: string, folder: string): string {
  return lines.about(command, { files: [folder], without: SELECTION });
}

/** `without`: flags, or beginnings such as `--set source.` */
function optionsWithout(options: readonly TypedOption[], without: readonly string[]): TypedOption[] {
  return options.flatMap(({ flag, values }) => {
    const kept = values.filter(
      (value) =>
        !without.some((left) => `${flag} ${value}`.startsWith(left.startsWith('--set ') ? left : `${left} `)),
    );
    const isLeft = without.includes(flag) || (values.length > 0 && kept.length === 0);
    return isLeft ? [] : [{ flag, values: kept }];
  });
}

export function quoteArgument(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
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
