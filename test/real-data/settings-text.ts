/** From what `init` wrote to a fixture: nothing in it names people or places. */
import type { RealExport } from './exports.ts';

export function settingsText(written: string, { folder }: RealExport): string {
  const lines = withoutSource(withoutAgents(withoutHeader(written.trimEnd().split('\n'))));
  return [
    `# Settings for the real export ${folder} (docs/real-data.md): what "init" wrote after the changes of a person.`,
    '# The files are named on the command line, and the list of the agents that were found is left out.',
    '',
    // The examples of a question may name people.
    ...lines.map((text) => (/^ *#/.test(text) ? text.replace(/[^\s("']+@[^\s)"',]+/g, '…') : text)),
    '',
  ].join('\n');
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
