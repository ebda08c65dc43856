/** Command lines of the program as the documentation shows them, taken apart as a shell would. */

const OPERATORS = new Set(['|', '||', '&&', ';', '>', '>>', '<', '2>', '&', ')']);

/** The arguments of every call of the program in the text; comments, other programs and redirections left out. */
export function shownCommands(text: string): string[][] {
  const lines = text.replaceAll(/\\\n\s*/g, ' ').split('\n');
  return lines.flatMap((line) => callsIn(wordsOf(line)));
}

function callsIn(words: readonly string[]): string[][] {
  const calls: string[][] = [];
  for (let at = 0; at < words.length; at++) {
    if (words[at] !== 'helpdesk-import' || !isCall(words.slice(0, at))) continue;
    const end = words.findIndex((word, index) => index > at && OPERATORS.has(word));
    calls.push(words.slice(at + 1, end === -1 ? undefined : end));
    if (end === -1) break;
    at = end;
  }
  return calls;
}

/** Before the program's name: nothing, variables, `npx`, what a list of YAML has, `docker run` with its options. */
function isCall(before: readonly string[]): boolean {
  const since = before.slice(before.findLastIndex((word) => OPERATORS.has(word)) + 1);
  if (since[0] === 'docker') return since[1] === 'run';
  return since.every(
    (word) => /^[A-Z_]+=/.test(word) || ['npx', 'exec', '-', 'run:', '$', 'command:', 'time'].includes(word),
  );
}

/** Words with their quotes taken off. Three spaces or more before a word that is no option begin a remark, as `#` does. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [, gap = '', word = ''] of line.matchAll(/(\s*)((?:"[^"]*"|'[^']*'|[^\s"'])+)/g)) {
    if (word.startsWith('#')) break;
    if (gap.length >= 3 && words.includes('helpdesk-import') && !/^(-|[|&>;])/.test(word)) break;
    words.push(word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
  }
  return words;
}
