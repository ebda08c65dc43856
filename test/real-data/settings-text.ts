/** From what `init` wrote to a fixture: the lines that a person decides, and nothing that names people or places. */
import type { Edit, RealExport } from './exports.ts';

const MARK = '  # edited';

/** Throws when an edit finds no line: then `init` asks no longer, or asks for something else. */
export function settingsText(written: string, { folder, edits }: RealExport): string {
  const lines = withoutSource(withoutAgents(withoutHeader(written.trimEnd().split('\n'))));
  for (const edit of edits) apply(lines, edit);
  return [
    `# Settings for the real export ${folder} (docs/real-data.md): what "init" wrote. The lines that a person decided are marked.`,
    '# The files are named on the command line, and the list of the agents that were found is left out.',
    '',
    // The examples of a question may name people.
    ...lines.map((text) => (/^ *#/.test(text) ? text.replace(/[^\s("']+@[^\s)"',]+/g, '…') : text)),
    '',
  ].join('\n');
}

function apply(lines: string[], { key, line }: Edit): void {
  if (key === undefined) {
    lines.push('', line + MARK);
    return;
  }
  const at = lines.findIndex((text) => text.trim().replaceAll('"', '').startsWith(`${key}: `));
  const old = lines[at];
  if (old === undefined) throw new Error(`init writes no line "${key}" (any longer)`);
  lines[at] = `${/^ */.exec(old)?.[0] ?? ''}${line}${MARK}`;
}

/** The first paragraph tells which files it is about, and how many values are open. */
function withoutHeader(lines: string[]): string[] {
  return lines.slice(lines.indexOf('') + 1);
}

/** Agents are people: their block is all comments, at the end. */
function withoutAgents(lines: string[]): string[] {
  const at = lines.findIndex((line) => line.startsWith('# Agents found in the export'));
  return at < 0 ? lines : lines.slice(0, at).join('\n').trimEnd().split('\n');
}

function withoutSource(lines: string[]): string[] {
  const kept = lines.filter((line) => !line.startsWith('  files:'));
  const at = kept.indexOf('source:');
  const isEmpty = at >= 0 && !kept[at + 1]?.startsWith('  ');
  return isEmpty ? kept.filter((_, index) => index !== at && index !== at - 1 && index !== at + 1) : kept;
}

export function countMarks(text: string): number {
  return text.split('\n').filter((line) => line.endsWith(MARK)).length;
}
