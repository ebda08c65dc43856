/** The options of `gate`, and the words below them. */
import { appApiOptions } from './app-api-options.ts';
import type { OptionSpec } from './options.ts';

export const GATE_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--feature <name>',
    description: 'the feature is on, or its limit is not reached; may be given more than once',
    example: 'helpdesk-import gate shop-1 --feature exports',
    group: 'What to do',
    repeat: true,
  },
  {
    flags: '--count <n|metric>',
    description:
      'how much of a limit is used: a number, or a usage metric such as seats or orders.last30Days',
    byDefault: '0',
    example: 'helpdesk-import gate shop-1 --feature seats --count 12',
    group: 'What to do',
  },
  {
    flags: '--plan <names>',
    description:
      'the plan is one of these, by id or name, commas between; the subscription must be active or in a trial, unless --status says otherwise',
    example: 'helpdesk-import gate shop-1 --plan Pro,Enterprise',
    group: 'What to do',
  },
  {
    flags: '--status <words>',
    description: 'the subscription status is one of these: active, trialing, canceled, frozen, none',
    example: 'helpdesk-import gate shop-1 --status active,trialing',
    group: 'What to do',
  },
  {
    flags: '--usage <comparison>',
    description:
      "a usage metric compared with a number by < <= = != >= >; its window behind a dot: 'orders.last30Days < 100'; may be given more than once",
    example: "helpdesk-import gate shop-1 --usage 'orders < 100'",
    group: 'What to do',
    repeat: true,
  },
  ...appApiOptions('helpdesk-import gate shop-1 --status active'),
  {
    flags: '--quiet',
    description: 'no words, only the exit code',
    example: 'helpdesk-import gate shop-1 --status active --quiet && deploy',
    group: 'The screen',
  },
];

/** What stands below the options. */
export function gateHelp(): string {
  return `
All that is asked for must hold. A limit with overage is never reached: beyond it more is charged.

Exit codes: 0 allowed · 3 not allowed · 2 wrong usage or configuration · 5 key refused · 6 the app API cannot be reached`;
}
