/** What the slots of a thread are filled with. Written out by hand: how a machine formats dates and money may change. */
import type { Seeded } from '../seeded.ts';
import { CAFE_CONTACTS, type Person } from './people.ts';
import type { Locale } from './thread.ts';

const PRODUCTS = [
  'Drift kettle',
  'Tern dripper',
  'Pebble scale',
  'Skerry French press',
  'Anchor moka pot',
  'Lagoon carafe',
  'Kelp travel mug',
  'Reef milk jug',
  'Harbour hand grinder',
] as const;
const PLANS = ['Morning Tide', 'Half Moon', 'Deep Water', 'Decaf Drift'] as const;
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

export type Slots = ReadonlyMap<string, string>;

export function fillSlots(
  person: Person,
  agentName: string,
  createdAt: number,
  random: Seeded,
  choice: readonly string[] = PRODUCTS,
): Slots {
  const product = random.pick(choice);
  const other = random.pick(PRODUCTS.filter((candidate) => candidate !== product));
  const year = new Date(createdAt).getUTCFullYear();
  return new Map(
    Object.entries({
      first: person.first,
      name: person.name,
      city: person.city,
      cafe: person.cafe ?? random.pick(CAFE_CONTACTS).cafe ?? '',
      agent: agentName,
      order: `JT-${random.between(20_000, 89_999)}`,
      invoice: `INV-${year}-${String(random.between(100, 9_899)).padStart(5, '0')}`,
      tracking: `TD${random.between(100_000_000, 999_999_999)}GB`,
      serial: String(random.between(10_000, 99_999)),
      version: `4.${random.between(2, 19)}.${random.between(0, 4)}`,
      product,
      product2: other,
      slug: product.toLowerCase().replaceAll(' ', '-'),
      plan: random.pick(PLANS),
      amount: money(person.locale, random.between(1_290, 14_990), random),
      date: day(person.locale, createdAt - random.between(9, 14) * 86_400_000),
    }),
  );
}

/** Throws for a slot that there is not: a thread with a typing error must not reach the export. */
export function filled(text: string, slots: Slots): string {
  return text.replace(/\{([a-z]\w*)\}/g, (_, name: string) => {
    const value = slots.get(name);
    if (value === undefined) throw new Error(`There is no slot {${name}}.`);
    return value;
  });
}

function money(locale: Locale, cents: number, random: Seeded): string {
  const whole = Math.floor(cents / 100);
  const rest = String(cents % 100).padStart(2, '0');
  if (locale === 'en') return `${random.pick(['£', '$', '€'])}${whole}.${rest}`;
  if (locale === 'ja') return `${whole}${String(cents % 100 > 49 ? 80 : 0).padStart(2, '0')}円`;
  if (locale === 'ar') return `${whole}.${rest} درهم`;
  return `${whole},${rest} €`;
}

function day(locale: Locale, at: number): string {
  const date = new Date(at);
  const [y, m, d] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  const two = (value: number) => String(value).padStart(2, '0');
  if (locale === 'en') return `${d} ${MONTHS[m - 1]}`;
  if (locale === 'de') return `${two(d)}.${two(m)}.${y}`;
  if (locale === 'ja') return `${m}月${d}日`;
  if (locale === 'ar') return `${y}/${two(m)}/${two(d)}`;
  return `${two(d)}/${two(m)}/${y}`;
}
