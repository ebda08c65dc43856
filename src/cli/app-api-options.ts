/** The options that all commands which read the app API have. */
import type { OptionSpec } from './options.ts';

/** @param command as a person would write it, for the examples */
export function appApiOptions(command: string): readonly OptionSpec[] {
  return [
    {
      flags: '--sandbox [dir]',
      description: 'ask the embedded local service instead of a real one',
      byDefault: 'helpdesk-import.sandbox',
      example: `${command} --sandbox`,
      group: 'What to do',
    },
    {
      flags: '-c, --config <file>',
      description: 'configuration file',
      byDefault: 'helpdesk-import.yaml if there',
      example: `${command} -c billing.yaml`,
      group: 'What to read',
    },
    {
      flags: '--app-url <url>',
      description: 'address of the app API',
      byDefault: 'HELPDESK_APP_URL, appApi.baseUrl',
      example: `${command} --app-url https://appapi.example.com`,
      group: 'Where to send it',
    },
    {
      flags: '--timeout <seconds>',
      description: 'how long an answer may take',
      byDefault: '30',
      example: `${command} --timeout 5`,
      group: 'How to send it',
    },
    {
      flags: '--json',
      description: 'one JSON object on standard output',
      example: `${command} --json`,
      group: 'What is written',
    },
    {
      flags: '--no-color',
      description: 'no colours',
      example: `${command} --no-color`,
      group: 'The screen',
    },
  ];
}
