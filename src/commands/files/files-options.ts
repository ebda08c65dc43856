/** The options of `files`: where they go, and which tickets are meant. */
import { type OptionSpec, optionsOfRun, READING } from '../../cli/options.ts';

export const FILES_OPTIONS: readonly OptionSpec[] = optionsOfRun('files fetch', [
  '--files',
  '--files-url',
  ['--sandbox', 'the files of an import into the local service'],
  ...READING,
  '--base-url',
  '--checkpoint',
  '--timeout',
  '--quiet',
  '--no-color',
  '--no-progress',
  ['--json', 'one JSON object on standard output', 'export.jsonl --json'],
]);

export function filesHelp(): string {
  return [
    'files fetch [files]     fetch the files of the selected tickets to where --files says; a run sends the new links',
    'files status            what was fetched, and what is missing and why',
    'files verify            open every new address as a browser would, and compare content and size',
  ].join('\n');
}
