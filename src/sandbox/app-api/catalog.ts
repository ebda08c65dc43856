/**
 * What an app sells and to whom: metrics, plans, customers with their subscriptions and features. The service does not
 * configure plans itself (specification, section 1), so a sandbox reads them from a file, and keeps them with the customers
 * that made themselves known.
 */

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readSmallFile, whyUnread } from '../../disk/small-file.ts';
import { AppError } from '../../domain/errors.ts';
import { BOUNDS } from '../../domain/limits.ts';
import { didYouMean } from '../../domain/nearest.ts';
import type { Sql } from '../store/database.ts';

const BILLING_STATUSES = ['none', 'active', 'trialing', 'canceled', 'frozen'] as const;
export type BillingStatus = (typeof BILLING_STATUSES)[number];

const AGGREGATES = ['count', 'sum', 'max', 'unique'] as const;

/** The file in a sandbox's folder that is read by itself when it starts. */
export const SEED_FILE = 'billing.json';

const feature = z.strictObject({
  name: z.string().min(1).optional(),
  type: z.enum(['boolean', 'limit', 'limit_with_overage']),
  value: z.union([z.boolean(), z.number()]),
  description: z.string().optional(),
});

/** By key. A value alone is a switch (true, false) or a limit (a number, -1 for none). */
export const features = z.record(z.string().min(1), z.union([feature, z.boolean(), z.number()]));

const metric = z
  .strictObject({
    /** Under which it stands in `usage`. */
    key: z.string().min(1),
    name: z.string().min(1).optional(),
    eventName: z.string().min(1),
    aggregate: z.enum(AGGREGATES).default('count'),
    /** Property of the events that is summed, compared or told apart. */
    property: z.string().min(1).optional(),
  })
  .refine(({ aggregate, property }) => (aggregate === 'count') === (property === undefined), {
    message: 'sum, max and unique need the `property` that they are about, and count has none.',
  });

const plan = z.looseObject({
  id: z.string().min(1),
  name: z.string().min(1),
  type: z.enum(['base', 'add_on']).default('base'),
  public: z.boolean().default(true),
  amount: z.number().min(0).default(0),
  currencyCode: z.string().default('USD'),
  interval: z.enum(['EVERY_30_DAYS', 'ANNUAL']).default('EVERY_30_DAYS'),
  trialDays: z.int().min(0).default(0),
  features: features.default({}),
});

const time = z.iso.datetime({ offset: true });

const customer = z.looseObject({
  id: z.string().min(1),
  name: z.string().optional(),
  /** Another name of the customer, by which events may call it. */
  myshopifyDomain: z.string().min(1).optional(),
  /** Lets in without the app's key, for this customer alone. */
  apiToken: z.string().min(1).optional(),
  /** Ids of plans: the first is the base plan, further ones are add-ons. */
  plan: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  status: z.enum(BILLING_STATUSES).optional(),
  /** Who bills: the platform's app pricing or its legacy billing API. Answers are the same for both. */
  billing: z.enum(['platform', 'legacy']).default('platform'),
  /** Beginning of the billing period: from then on usage counts as current. */
  currentPeriodStart: time.optional(),
  trialExpiresAt: time.optional(),
  /** In the place of the plan's features of the same key. */
  features: features.default({}),
});

const seed = z.strictObject({
  metrics: z.array(metric).default([]),
  plans: z.array(plan).default([]),
  customers: z.array(customer).default([]),
});

export type BillingSeed = z.output<typeof seed>;
export type SeededMetric = BillingSeed['metrics'][number];
export type SeededPlan = BillingSeed['plans'][number];
export type SeededCustomer = BillingSeed['customers'][number];
export type SeededFeatures = SeededPlan['features'];

/** Throws AppError `usage` with every mistake. `name` is what the file is called. */
export function parseBillingSeed(value: unknown, name: string): BillingSeed {
  const result = seed.safeParse(value);
  if (!result.success)
    throw mistakes(
      name,
      result.error.issues.map(
        (issue) => `${issue.path.map(String).join('.') || 'the file'}: ${issue.message}`,
      ),
    );
  const found = unknownPlans(result.data);
  if (found.length > 0) throw mistakes(name, found);
  return result.data;
}

/** Throws AppError `usage` where the file cannot be read or is wrong. */
export function readBillingSeed(path: string): BillingSeed {
  let value: unknown;
  try {
    value = JSON.parse(readSmallFile(path, BOUNDS.billing.most));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new AppError('usage', `There is no billing file ${path}.`, {
        hint: 'Check the spelling; paths are relative to the current folder.',
        cause: error,
      });
    const reason = error instanceof SyntaxError ? `cannot be read: ${error.message}` : whyUnread(error);
    throw new AppError('usage', `The billing file ${path} ${reason}.`, {
      hint: 'It is one JSON object with metrics, plans and customers; see docs/billing-data.md.',
      cause: error,
    });
  }
  return parseBillingSeed(value, path);
}

function unknownPlans({ plans, customers }: BillingSeed): string[] {
  const ids = plans.map(({ id }) => id);
  return customers.flatMap(({ id, plan: held }) =>
    [held ?? []]
      .flat()
      .filter((planId) => !ids.includes(planId))
      .map((planId) => `customers ${id}: there is no plan ${planId}.${didYouMean(planId, ids)}`),
  );
}

function mistakes(name: string, lines: string[]): AppError {
  return new AppError('usage', `The billing file ${name} has mistakes.`, {
    lines: lines.slice(0, 50),
    hint: 'Correct what is listed; the words are explained in docs/billing-data.md.',
  });
}

export class Catalog {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Puts the seed in the place of an earlier one; customers that it does not name stay. To be called inside a write. */
  seed({ metrics, plans, customers }: BillingSeed): void {
    this.#sql.run('DELETE FROM app_metrics');
    this.#sql.run('DELETE FROM app_plans');
    for (const one of metrics)
      this.#sql.run(
        'INSERT OR REPLACE INTO app_metrics (key, body) VALUES (?, ?)',
        one.key,
        JSON.stringify(one),
      );
    for (const one of plans)
      this.#sql.run('INSERT OR REPLACE INTO app_plans (id, body) VALUES (?, ?)', one.id, JSON.stringify(one));
    for (const one of customers) this.put(one);
  }

  /** To be called inside a write. Keeps the token that an earlier version of the customer had. */
  put(customer: SeededCustomer): SeededCustomer {
    const token = customer.apiToken ?? this.find(customer.id)?.apiToken;
    const kept = token === undefined ? customer : { ...customer, apiToken: token };
    this.#sql.run(
      `INSERT INTO app_customers (id, domain, token, body) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET domain = excluded.domain, token = excluded.token, body = excluded.body`,
      kept.id,
      kept.myshopifyDomain ?? null,
      token ?? null,
      JSON.stringify(kept),
    );
    return kept;
  }

  /** The customer with a token of its own, made where it has none. To be called inside a write. */
  withToken(customer: SeededCustomer, renew: boolean): SeededCustomer {
    if (customer.apiToken !== undefined && !renew) return this.put(customer);
    return this.put({ ...customer, apiToken: `customer_${randomBytes(24).toString('base64url')}` });
  }

  /** By id or domain. */
  find(name: string): SeededCustomer | undefined {
    const body = this.#sql.value<string>(
      'SELECT body FROM app_customers WHERE id = @name OR domain = @name',
      { name },
    );
    return body === undefined ? undefined : (JSON.parse(body) as SeededCustomer);
  }

  /** Id of the customer whose token this is. */
  customerOf(token: string): string | undefined {
    return this.#sql.value('SELECT id FROM app_customers WHERE token = ?', token);
  }

  /** The id under which events of a customer are kept, whatever they call it. */
  idOf(name: string): string {
    return this.find(name)?.id ?? name;
  }

  metrics(): SeededMetric[] {
    return this.#bodies('app_metrics');
  }

  plans(): SeededPlan[] {
    return this.#bodies('app_plans');
  }

  customers(): SeededCustomer[] {
    return this.#bodies('app_customers');
  }

  #bodies<T>(table: 'app_metrics' | 'app_plans' | 'app_customers'): T[] {
    return this.#sql
      .all<{ body: string }>(`SELECT body FROM ${table} ORDER BY rowid`)
      .map(({ body }) => JSON.parse(body) as T);
  }
}
