/**
 * `helpdesk-import gate <customer> …`: may this customer do that? Ends with 0 when allowed and with 3 when not, so that
 * scripts and CI can ask. The decision itself is app-api/gate.ts.
 */

import { askAppApi } from '../../app/customer-read.ts';
import { gateLines } from '../../app/gate-view.ts';
import { decideGate, type GateRule } from '../../app-api/gate.ts';
import { parseCount, parseUsageRule, parseWords } from '../../app-api/gate-rules.ts';
import { AppError } from '../../domain/errors.ts';
import { createStyle } from '../../report/style.ts';
import type { CliContext } from '../context.ts';
import type { Flags } from '../program.ts';
import { appPorts, loadAppSettings } from './app-api-session.ts';
import { oneArgument } from './customer.ts';

const NOT_ALLOWED = 3;

export async function gateCommand(
  args: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const id = oneArgument(args, 'gate');
  const rules = gateRules(flags);
  const { settings } = await loadAppSettings([], flags, [], context);
  const { json, quiet, color } = settings.output;
  using ports = appPorts(context);
  const customer = await askAppApi(settings, ports, (api) => api.readCustomer(id, ports.signal));
  const decision = decideGate(customer, rules, context.clock.now());
  const { stdout, env } = context;
  if (json) stdout.write(`${JSON.stringify({ version: 1, customer: id, ...decision }, null, 2)}\n`);
  else if (!quiet) {
    const style = createStyle({ stream: stdout, env, color });
    stdout.write(`${gateLines(decision, style).join('\n')}\n`);
  }
  return decision.allowed ? 0 : NOT_ALLOWED;
}

/** The rules in the order of the options' table. Throws AppError `usage` with everything that is wrong. */
export function gateRules(flags: Flags): GateRule[] {
  const rules: GateRule[] = [];
  const problems: string[] = [];
  const texts = (name: string): string[] => {
    const value = flags[name];
    return typeof value === 'string' ? [value] : Array.isArray(value) ? value.map(String) : [];
  };
  const words = (flag: string, name: string): readonly string[] => {
    const found = texts(name).flatMap(parseWords);
    if (texts(name).length > 0 && found.length === 0) problems.push(`${flag} names nothing.`);
    return found;
  };
  const [count] = texts('count');
  const features = texts('feature');
  if (count !== undefined && features.length === 0)
    problems.push('--count only means something with --feature: add it, or leave --count out.');
  for (const feature of features) {
    if (feature.trim() === '') problems.push('--feature names nothing.');
    rules.push({
      kind: 'feature',
      feature: feature.trim(),
      ...(count === undefined ? {} : { count: parseCount(count) }),
    });
  }
  const plans = words('--plan', 'plan');
  if (plans.length > 0) rules.push({ kind: 'plan', plans });
  const statuses = words('--status', 'status');
  if (statuses.length > 0) rules.push({ kind: 'status', statuses });
  for (const text of texts('usage')) {
    const parsed = parseUsageRule(text);
    if ('rule' in parsed) rules.push(parsed.rule);
    else problems.push(`--usage ${parsed.problem}.`);
  }
  if (rules.length === 0 && problems.length === 0)
    problems.push('There is nothing to decide: give --feature, --plan, --status or --usage.');
  if (problems.length === 0) return rules;
  throw new AppError('usage', problems.length === 1 ? (problems[0] ?? '') : 'The gate is not clear.', {
    ...(problems.length === 1 ? {} : { lines: problems }),
    hint: 'See: helpdesk-import gate --help',
  });
}
