import { Help } from 'commander';
import { longFlag } from '../settings/option-spec.ts';
import type { LoadedCommand } from './command-list.ts';

export const ABOUT =
  'Moves support tickets, with their messages and history, into a helpdesk: checked before anything is sent, never twice, never lost.';

const firstSteps = (
  program: string,
) => `First steps, with the files or the folder of your export in place of export/:
  ${program} run export/ --sandbox --serve   your tickets in a local helpdesk, to look at
  ${program} run export/ --dry-run           what is in it, and every problem; nothing is sent
  ${program} init export/                    only if it was not recognised: write a mapping to edit
Then with HELPDESK_BASE_URL and HELPDESK_TOKEN of the real service:
  ${program} doctor                          is everything ready?
  ${program} run export/ --trial             8 representative tickets, then checked
  ${program} run export/                     the rest; run it again after any stop, it continues from there`;

export const beginning = (program: string) => `${ABOUT.replace(': ', ':\n')}

${firstSteps(program)}

Every command:           ${program} --help
Every option of one:     ${program} help run
`;

export const more = (program: string) => `
${firstSteps(program)}

Exit codes: 0 done · 2 wrong usage or configuration · 3 some tickets rejected or failed · 4 some in doubt ·
  5 authentication refused · 6 stopped early, run again to resume · 130, 143 interrupted, run again to resume`;

export function moreHelp({ options, examples, help }: LoadedCommand, program: string): string {
  const rare = options.filter(({ advanced }) => advanced).map(({ flags }) => longFlag(flags));
  const widest = Math.max(0, ...examples.map(([command]) => command.length));
  return [
    ...(rare.length === 0
      ? []
      : ['', 'Rare options, explained in docs/reference.md:', `  ${rare.join('  ')}`]),
    '',
    'Examples:',
    ...examples.map(([command, purpose]) => `  ${program} ${command.padEnd(widest)}   ${purpose}`),
    ...(help === undefined ? [] : ['', help().trim()]),
  ].join('\n');
}

const LEAST_ROOM = 24;
const BELOW = '      ';

/** The second column of a line keeps its place. */
export function fold(text: string, width: number): string {
  const help = Object.assign(new Help(), { minWidthToWrap: 0 });
  const filled = (words: string, margin: string) =>
    help.boxWrap(words, width - margin.length).replaceAll('\n', `\n${' '.repeat(margin.length)}`);
  const folded = (line: string) => {
    const [, indent = '', words = ''] = /^( *)(.*)$/.exec(line) ?? [];
    const gap = words.indexOf('  ');
    const second = gap < 0 ? '' : words.slice(gap).trimStart();
    const first = line.slice(0, line.length - second.length);
    if (second === '' || second.includes('  ')) return `${indent}${filled(words, indent)}`;
    const hasRoom = width - first.length >= LEAST_ROOM;
    return hasRoom
      ? `${first}${filled(second, first)}`
      : `${first.trimEnd()}\n${BELOW}${filled(second, BELOW)}`;
  };
  return text.replace(/^.*$/gm, (line) => (line.length <= width ? line : folded(line)));
}
