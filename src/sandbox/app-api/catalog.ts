/** Metrics, plans and customers of the app API, as they were seeded, and customers that made themselves known. */
import { randomBytes } from 'node:crypto';
import type { SqliteDatabase, Statement } from '../store/database.ts';
import type { BillingSeed, SeededCustomer, SeededMetric, SeededPlan } from './billing-seed.ts';

/** A customer by whatever it is called; `seeded` is undefined for one that is known by its events only. */
export interface KnownCustomer {
  readonly id: string;
  readonly seeded: SeededCustomer | undefined;
}

export class Catalog {
  readonly #database: SqliteDatabase;
  readonly #byName: Statement;
  readonly #byToken: Statement;
  readonly #put: Statement;

  constructor(database: SqliteDatabase) {
    this.#database = database;
    this.#byName = database
      .prepare('SELECT body FROM app_customers WHERE id = @name OR domain = @name')
      .pluck();
    this.#byToken = database.prepare('SELECT id FROM app_customers WHERE token = ?').pluck();
    this.#put = database.prepare(
      `INSERT INTO app_customers (id, domain, token, body) VALUES (@id, @domain, @token, @body)
       ON CONFLICT (id) DO UPDATE SET domain = excluded.domain, token = excluded.token, body = excluded.body`,
    );
  }

  /** Puts the seed in the place of an earlier one; customers that it does not name stay. To be called inside a write. */
  seed({ metrics, plans, customers }: BillingSeed): void {
    this.#database.exec('DELETE FROM app_metrics; DELETE FROM app_plans');
    const metric = this.#database.prepare('INSERT OR REPLACE INTO app_metrics (key, body) VALUES (?, ?)');
    for (const one of metrics) metric.run(one.key, JSON.stringify(one));
    const plan = this.#database.prepare('INSERT OR REPLACE INTO app_plans (id, body) VALUES (?, ?)');
    for (const one of plans) plan.run(one.id, JSON.stringify(one));
    for (const one of customers) this.put(one);
  }

  /** To be called inside a write. Keeps the token that an earlier version of the customer had. */
  put(customer: SeededCustomer): SeededCustomer {
    const token = customer.apiToken ?? this.find(customer.id)?.apiToken;
    const kept = token === undefined ? customer : { ...customer, apiToken: token };
    this.#put.run({
      id: kept.id,
      domain: kept.myshopifyDomain ?? null,
      token: token ?? null,
      body: JSON.stringify(kept),
    });
    return kept;
  }

  /** The customer with a token of its own, made where it has none. To be called inside a write. */
  withToken(customer: SeededCustomer, renew: boolean): SeededCustomer {
    if (customer.apiToken !== undefined && !renew) return this.put(customer);
    return this.put({ ...customer, apiToken: `customer_${randomBytes(24).toString('base64url')}` });
  }

  /** By id or domain. */
  find(name: string): SeededCustomer | undefined {
    const body = this.#byName.get({ name });
    return typeof body === 'string' ? (JSON.parse(body) as SeededCustomer) : undefined;
  }

  /** Id of the customer whose token this is. */
  customerOf(token: string): string | undefined {
    const id = this.#byToken.get(token);
    return typeof id === 'string' ? id : undefined;
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
    const texts = this.#database
      .prepare(`SELECT body FROM ${table} ORDER BY rowid`)
      .pluck()
      .all() as string[];
    return texts.map((text) => JSON.parse(text) as T);
  }
}
