/** `POST /identify`: what the published client calls first. The customer is found or made, and gets a token of its own. */
import { z } from 'zod';
import { Refusal } from '../core/refusal.ts';
import type { SandboxStore } from '../store/store.ts';
import type { SeededCustomer } from './billing-seed.ts';

const text = z.string().trim().min(1).nullish();

export const identifyBody = z.looseObject({
  platform: text,
  platformId: z.union([text, z.number().transform(String)]),
  myshopifyDomain: text,
  name: text,
  email: text,
  rotateApiToken: z.boolean().nullish(),
});

/** To be called inside a write. Throws Refusal 400 where nothing says who it is. */
export function identifyCustomer(
  store: SandboxStore,
  { platformId, myshopifyDomain, name, rotateApiToken }: z.output<typeof identifyBody>,
): SeededCustomer {
  const id = platformId ?? myshopifyDomain;
  if (id === null || id === undefined)
    throw new Refusal(400, 'validation_failed', 'platformId or myshopifyDomain: one of them is needed.');
  const known = store.catalog.find(id) ?? (myshopifyDomain ? store.catalog.find(myshopifyDomain) : undefined);
  const customer: SeededCustomer = {
    ...(known ?? { id, billing: 'platform', features: {} }),
    ...(name ? { name } : {}),
    ...(myshopifyDomain ? { myshopifyDomain } : {}),
  };
  return store.catalog.withToken(customer, rotateApiToken === true);
}
