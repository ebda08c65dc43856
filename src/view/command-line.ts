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
  inText(text: string, space?: string): string;
}

/** `carriedBy`: by command, the flags that identify an import. `titles`: what is typed for a command, if more than its name. */
export function commandLines(
  { command, files, options }: TypedCommand,
  carriedBy: ReadonlyMap<string, readonly string[]> = new Map(),
  titles: ReadonlyMap<string, string> = new Map(),
  env: Readonly<Record<string, string | undefined>> = {},
): CommandLines {
  const line = (
    name: string,
    named: readonly string[],
    given: readonly TypedOption[],
    more: readonly string[],
  ) => {
    const title = titles.get(name) ?? name;
    const words = [
      asTyped('helpdesk-import', env),
      title,
      ...named.map(fileText),
      ...given.map(optionText),
      ...more,
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
  return {
    files,
    again: ({ without = [], files: others = files, more = [] } = {}) => {
      return line(command, others, optionsWithout(options, without), more);
    },
    about: (other, change = {}) =>
      line(other, change.files ?? [], carriedTo(other, change), change.more ?? []),
    inText: (text, space = ' ') =>
      asTyped(text, env).replace(COMMAND, (found, name: string, at: number) => {
        const [first = ''] = name.split(/[ \u00a0]/);
        // Other words may follow a command, but none of its flags in another line.
        const [behind = ''] = text.slice(at + found.length).split('\n');
        const missing = carriedTo(first).filter(({ flag }) => !behind.split(/[\s=]/).includes(flag));
        // These read the export again.
        const isOfFiles = /^(?:verify|init)$|rebuild$/.test(name) && command === 'run';
        const named = (isOfFiles ? files : [])
          .filter((file) => file !== '-')
          .map(fileText)
          .filter((file) => !behind.includes(` ${file}`));
        return [found, ...named, ...missing.map(optionText)].join(' ').replaceAll(' ', space);
      }),
  };
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

/** A command, not `helpdesk-import.yaml` and not the program's name in a sentence. */
const COMMAND =
  /(?<![\w./-])helpdesk-import[ \u00a0](?:billing[ \u00a0])?(export|run|checkpoint(?:[ \u00a0](?:backup|rebuild))?|links|inspect|init|doctor|status|resolve|verify|files|report|undo|usage-events|customer|usage|gate|sandbox|clean|help|--help)\b(?!-)/g;

const KEPT_SPACE = '\u00a0';

export function keptTogether(text: string, lines: CommandLines | undefined): string {
  return lines === undefined ? text : lines.inText(text, KEPT_SPACE);
}

export function spaced(line: string): string {
  return line.replaceAll(KEPT_SPACE, ' ');
}

/** With npx or an npm script `helpdesk-import` alone is not found. */
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
