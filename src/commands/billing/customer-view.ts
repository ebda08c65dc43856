/**
 * A customer, its features and its usage as tables on a screen, and the decision of a gate. What has no place in them is
 * named. Lines without line ends.
 */

import { printable } from '../../domain/printable.ts';
import { textOf } from '../../domain/source-file.ts';
import type { Style } from '../../present/terminal/style.ts';
import {
  type Column,
  type Fact,
  factLines,
  heading,
  tableLines,
  wrap,
} from '../../present/terminal/text-block.ts';
import { type Fields, fieldsOf } from '../../target/app-api/client.ts';
import {
  type CustomerMetric,
  type CustomerView,
  USAGE_PERIOD_NAMES,
  type UsagePeriod,
  usageMetrics,
} from '../../target/app-api/customer.ts';
import type { GateDecision } from '../../target/app-api/gate.ts';

const PERIOD_LABELS: Record<UsagePeriod, string> = {
  current: 'now',
  monthToDate: 'month',
  last24Hours: '24 h',
  last7Days: '7 d',
  last30Days: '30 d',
  last90Days: '90 d',
  last365Days: '365 d',
  allTime: 'all time',
};

/** Fields that the tables show; whatever else a service answers is named below them. */
const SHOWN = new Set(['id', 'name', 'billingStatus', 'subscription', 'features', 'usage', 'plan']);

export function customerLines(customer: CustomerView, style: Style): string[] {
  const { features, usage, raw } = customer;
  return [
    ...factLines(facts(customer), style),
    ...(features.length === 0 ? [] : featureLines(customer, style)),
    ...(usage.length === 0 ? [] : [...heading('Usage', style), ...metricLines(usage, style)]),
    ...otherLines(raw, style),
  ];
}

function facts({ id, name, status, plans, subscription, raw }: CustomerView): Fact[] {
  const label = plans.map((plan) => plan.name ?? plan.id ?? '?').join(', ');
  const time = (field: string, words: string): Fact[] => {
    const value = subscription?.[field] ?? raw[field];
    return typeof value === 'string' && value !== '' ? [{ label: words, text: value }] : [];
  };
  return [
    { label: 'customer', text: [name, id].filter((part) => part !== undefined).join(' · ') || '?' },
    { label: 'status', text: status },
    { label: 'plan', text: label === '' ? 'none' : label },
    ...time('currentPeriodStart', 'period since'),
    ...time('currentPeriodEnd', 'period until'),
    ...time('trialExpiresAt', 'trial until'),
    ...time('cancelledAt', 'canceled at'),
    ...time('frozenAt', 'frozen at'),
  ];
}

function featureLines({ features }: CustomerView, style: Style): string[] {
  const rows = features.map(({ key, name, type, value }) => [
    name === undefined || name === key ? key : `${name} (${key})`,
    (type ?? '').replaceAll('_', ' '),
    featureValue(type, value),
  ]);
  const columns: Column[] = [
    { header: 'feature', flexible: true },
    { header: 'kind' },
    { header: 'value', align: 'right' },
  ];
  return [...heading('Features', style), ...tableLines(rows, columns, style)];
}

function featureValue(type: string | undefined, value: unknown): string {
  if (type === 'boolean') return value === true || value === 'true' ? 'on' : 'off';
  if (type?.startsWith('limit') === true && Number(value) === -1) return 'unlimited';
  return typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
}

/** A column for each window that any of the metrics has. */
function metricLines(metrics: readonly CustomerMetric[], style: Style): string[] {
  const periods = USAGE_PERIOD_NAMES.filter((period) => metrics.some(({ values }) => values.has(period)));
  const rows = metrics.map(({ key, name, eventName, values }) => [
    name ?? eventName ?? key,
    ...periods.map((period) => values.get(period)?.toLocaleString('en-US') ?? ''),
  ]);
  const columns: Column[] = [
    { header: 'metric', flexible: true },
    ...periods.map((period): Column => ({ header: PERIOD_LABELS[period], align: 'right' })),
  ];
  return tableLines(rows, columns, style);
}

function otherLines(raw: Fields, style: Style): string[] {
  const others = Object.keys(raw).filter((field) => !SHOWN.has(field));
  if (others.length === 0) return [];
  return [
    '',
    ...wrap(printable(`Further fields: ${others.join(', ')} (see them with --json).`), style, {
      paint: style.dim,
    }),
  ];
}

/** Whatever `GET /usage` answers: as a table where it holds metrics, else as it is. */
export function usageLines(answer: unknown, style: Style): string[] {
  const body = fieldsOf(answer);
  const metrics = usageMetrics(body?.['usage'] ?? body?.['metrics'] ?? answer).filter(
    ({ values }) => values.size > 0,
  );
  if (metrics.length > 0) return metricLines(metrics, style);
  return JSON.stringify(answer, null, 2)
    .split('\n')
    .map((line) => printable(line));
}

/** Usage events as they are listed, newest first as a rule. */
export function usageEventLines(events: readonly Fields[], style: Style): string[] {
  if (events.length === 0) return ['No usage event matches.'];
  const text = textOf;
  const rows = events.map((event) => [
    text(event['timestamp'] ?? event['createdAt']),
    text(event['eventName']),
    text(event['customerId']),
    text(event['eventId'] ?? event['id']),
    text(event['properties']),
  ]);
  return tableLines(
    rows,
    [
      { header: 'time' },
      { header: 'event' },
      { header: 'customer', flexible: true },
      { header: 'event id', flexible: true },
      { header: 'properties', flexible: true },
    ],
    style,
  );
}

/** The answer, and each rule with its reason. */
export function gateLines({ allowed, reason, checks }: GateDecision, style: Style): string[] {
  const { tick, cross } = style.symbols;
  const paint = allowed ? style.green : style.red;
  const word = allowed ? 'Allowed' : 'Not allowed';
  if (checks.length < 2) return wrap(printable(`${word}. ${reason}`), style, { paint });
  return [
    ...wrap(`${word}.`, style, { paint }),
    ...checks.flatMap((check) =>
      wrap(printable(check.reason), style, {
        indent: 2,
        lead: `${check.allowed ? tick : cross} `,
        paintLead: check.allowed ? style.green : style.red,
      }),
    ),
  ];
}
