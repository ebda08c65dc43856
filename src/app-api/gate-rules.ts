/** The rules of a gate as a person writes them on a command line. Pure; a text that is none gives a sentence. */
import { metricAndPeriod, numberOf } from './customer.ts';
import { GATE_OPERATORS, type GateOperator, type GateRule } from './gate.ts';

export type ParsedRule = { readonly rule: GateRule } | { readonly problem: string };

/** `orders < 100`, `API calls.last30Days >= 5`. The last comparison counts: a metric's name may hold signs of its own. */
export function parseUsageRule(text: string): ParsedRule {
  const match = /^(.*\S)\s*(?<![<>!=])(<=|>=|==|!=|<|>|=)(?!=)\s*([+-]?\d+(?:\.\d+)?)\s*$/.exec(text);
  const value = numberOf(match?.[3]);
  const operator = match?.[2] === '==' ? '=' : match?.[2];
  if (match === null || value === undefined || !isOperator(operator))
    return {
      problem: `must be a metric, a comparison and a number, such as 'orders < 100', and is "${text}"`,
    };
  const { metric, period } = metricAndPeriod((match[1] ?? '').trim());
  return { rule: { kind: 'usage', metric, period, operator, value } };
}

/** Words with commas between. */
export function parseWords(text: string): readonly string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** `3`, or the name of a metric whose value is meant. */
export function parseCount(text: string): number | string {
  return numberOf(text) ?? text.trim();
}

function isOperator(text: string | undefined): text is GateOperator {
  return GATE_OPERATORS.some((operator) => operator === text);
}
