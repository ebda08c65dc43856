/**
 * The commands that ask the app API one thing: `customer <id>` (subscription status, plan, features and usage),
 * `usage [customer]` (usage metrics), and `gate <customer> …` (may this customer do that?), which ends with 0 when allowed
 * and with 3 when not, so that scripts and CI can ask; its decision is app-api/gate.ts.
 */

import { askAppApi } from '../../billing/app-target.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { loadSettings } from '../../cli/load-settings.ts';
import { writeJson } from '../../cli/show-error.ts';
import { endedBy, portsOf } from '../../cli/signals.ts';
import { AppError } from '../../domain/errors.ts';
import { createStyle, type Style } from '../../present/terminal/style.ts';
import type { Need } from '../../settings/setting-rules.ts';
import type { Settings } from '../../settings/settings.ts';
import type { AppApi } from '../../target/app-api/client.ts';
import { customerView } from '../../target/app-api/customer.ts';
import {
  decideGate,
  type GateRule,
  parseCount,
  parseUsageRule,
  parseWords,
} from '../../target/app-api/gate.ts';
import { customerLines, gateLines, usageLines } from './customer-view.ts';

const NOT_ALLOWED = 3;

export async function customerCommand(
  args: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const id = oneArgument(args, 'customer');
  const [raw, settings] = await ask(flags, context, (api, signal) => api.readCustomer(id, signal));
  if (raw === undefined)
    throw new AppError('usage', `The app API knows no customer ${id}.`, {
      hint: 'Check the id: it is the one that usage events carry as customerId.',
    });
  show(raw, (style) => customerLines(customerView(raw, context.clock.now()), style), settings, context);
  return 0;
}

export async function usageCommand(
  args: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const query: Record<string, string> = args.length === 0 ? {} : { customerId: oneArgument(args, 'usage') };
  const [answer, settings] = await ask(flags, context, (api, signal) => api.readUsage(query, signal));
  show(answer, (style) => usageLines(answer, style), settings, context);
  return 0;
}

export async function gateCommand(
  args: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const id = oneArgument(args, 'gate');
  const rules = gateRules(flags);
  const [customer, settings] = await ask(flags, context, (api, signal) => api.readCustomer(id, signal));
  const decision = decideGate(customer, rules, context.clock.now());
  const { json, quiet } = settings.output;
  if (json || !quiet)
    show({ version: 1, customer: id, ...decision }, (style) => gateLines(decision, style), settings, context);
  return decision.allowed ? 0 : NOT_ALLOWED;
}

/** Throws AppError `usage` for any other number of arguments. */
function oneArgument(args: readonly string[], command: string): string {
  const [id, ...others] = args;
  if (id !== undefined && id.trim() !== '' && others.length === 0) return id;
  throw new AppError('usage', `${command} needs one customer id.`, {
    hint: `Name it: helpdesk-import ${command} <id>`,
  });
}

/** The rules in the order of the options' table. Throws AppError `usage` with everything that is wrong. */
export function gateRules(flags: Flags): GateRule[] {
  const rules: GateRule[] = [];
  const problems: string[] = [];
  const texts = (name: string): string[] => {
    const value = flags[name];
    return typeof value === 'string' ? [value] : Array.isArray(value) ? value.map(String) : [];
  };
  const words = (name: string): readonly string[] => {
    const found = texts(name).flatMap(parseWords);
    if (texts(name).length > 0 && found.length === 0) problems.push(`--${name} names nothing.`);
    return found;
  };
  const [count] = texts('count');
  const features = texts('feature');
  if (count !== undefined && features.length === 0)
    problems.push('--count has an effect only with --feature: add it, or leave --count out.');
  for (const feature of features.map((text) => text.trim())) {
    if (feature === '') problems.push('--feature names nothing.');
    rules.push({ kind: 'feature', feature, count: count === undefined ? undefined : parseCount(count) });
  }
  const plans = words('plan');
  if (plans.length > 0) rules.push({ kind: 'plan', plans });
  const statuses = words('status');
  if (statuses.length > 0) rules.push({ kind: 'status', statuses });
  for (const text of texts('usage')) {
    const parsed = parseUsageRule(text);
    if ('rule' in parsed) rules.push(parsed.rule);
    else problems.push(`--usage ${parsed.problem}.`);
  }
  if (rules.length === 0 && problems.length === 0)
    problems.push('There is nothing to decide: give --feature, --plan, --status or --usage.');
  const [first] = problems;
  if (first === undefined) return rules;
  throw new AppError('usage', problems.length === 1 ? first : 'The gate is not clear.', {
    lines: problems.length === 1 ? [] : problems,
    hint: 'See: helpdesk-import billing gate --help',
  });
}

/** What all commands of the app API do first: its settings, with their warnings told. */
export async function loadAppSettings(
  files: readonly string[],
  flags: Flags,
  needs: readonly Need[],
  context: CliContext,
): Promise<Settings> {
  const { settings, warnings } = await loadSettings(files, flags, ['appApi', ...needs], context);
  for (const warning of warnings) context.stderr.write(`Warning: ${warning}\n`);
  return settings;
}

/** For commands that ask one thing: the first signal ends them. */
export async function ask<T>(
  flags: Flags,
  context: CliContext,
  question: (api: AppApi, signal: AbortSignal, settings: Settings) => Promise<T>,
): Promise<[answer: T, settings: Settings]> {
  const settings = await loadAppSettings([], flags, [], context);
  const end = new AbortController();
  const stopListening = context.onSignal((signal) => end.abort(endedBy(signal, 'nothing was changed')));
  using _listening = { [Symbol.dispose]: stopListening };
  const ports = {
    ...portsOf(context, { soft: end.signal, hard: end.signal }),
    emit: () => {},
  };
  return [await askAppApi(settings, ports, (api) => question(api, end.signal, settings)), settings];
}

/** On standard output: `data` with `--json`, else the lines of a person. */
export function show(
  data: unknown,
  lines: (style: Style) => readonly string[],
  { output }: Settings,
  { stdout, env, commands }: CliContext,
): void {
  if (output.json) {
    writeJson(stdout, data);
    return;
  }
  const style = createStyle({ stream: stdout, env, commands });
  stdout.write(`${lines(style).join('\n')}\n`);
}
