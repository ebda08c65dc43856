/** Keys are the same in whatever way an exporter writes them, and different ones never become one. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvObject, isBrokenKey, isNoText } from '../../src/domain/source.ts';
import { comparableKey, isNoValue, keyText, personKey } from '../../src/source/keys.ts';
import { items, MESSAGES, ROOT, stage } from './join-plan.ts';
import { failure, openFolder } from './temp-export.ts';

const ABSENT =
  'NULL null \\N (null) #N/A nan NaN None undefined N/A n/a - -- <null> [NULL] {nil} NaT NA'.split(' ');
/** Salesforce IDs of 18 characters: the last three are made of the case of the others. */
const SALESFORCE = ['500A000000B1cD2IAJ', '005A000000X1yZ2IAJ', '0010000000aaaaaAAA'];
const BROKEN = ['1.6E+18', '1,61052E+18', '1.6e+21', '#NAME?', '#REF!', '######', '="00123"', "'00123"];

describe('keys', () => {
  it.each(ABSENT)('%s is no key, and as a whole text it is one unless a database wrote it', (word) => {
    expect([keyText(word), keyText(` ${word} `), isNoValue(word)]).toEqual(['', '', true]);
    expect(isNoText(word)).toBe(/^(null|\\n)$/i.test(word));
  });

  it('a whole number is the same key with and without .0, and no other two numbers are', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 20n }),
        fc.constantFrom('', '.0', '.00', ',0'),
        (number, end) => {
          expect(comparableKey(keyText(`${number}${end}`))).toBe(String(number));
        },
      ),
    );
    const others = ['0012', '1.10', '11.5', '1.2.0', 'v1.0', '11,000', '1,50', 'Na'];
    expect(others.map(keyText)).toEqual(others);
  });

  it.each(SALESFORCE)('%s is its first 15 characters', (id) => {
    expect(comparableKey(id)).toBe(id.slice(0, 15));
    expect(personKey(id.slice(0, 15))).toBe(personKey(id));
  });

  it('IDs of 18 characters of other systems, and IDs that differ by case, stay apart', () => {
    expect(comparableKey('500A000000B1cD2IAK')).toBe('500A000000B1cD2IAK');
    expect(comparableKey('114095432954123450')).toBe('114095432954123450');
    expect(comparableKey('500A000000B1cD2')).not.toBe(comparableKey('500A000000b1cD2'));
    expect(personKey('500A000000B1cD2')).not.toBe(personKey('500A000000b1cD2'));
    expect(personKey('Ann@Example.com')).toBe(personKey('ann@example.COM'));
  });

  it('hashes, hexadecimal and decimal IDs are not taken for broken ones', () => {
    expect(
      ['12e45', '1234567e8', '1.5', '#12', 'a=b', "O'Neil", "'t Hooft", 'E+5'].filter(isBrokenKey),
    ).toEqual([]);
  });
});

const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;

describe('rows join', () => {
  it('with all absent words and forms of keys', async () => {
    const forms = (id: string) => [id, `${id}.0`, ` ${id} `];
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 5 }),
        fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 8 }),
        fc.constantFrom(...ABSENT),
        async (ids, rows, absent) => {
          const tickets = ids.map((id) => forms(`${id}`)[id % 3] ?? '');
          const parents = rows.map(([ticket, form]) => forms(`${ids[ticket % ids.length]}`)[form % 3] ?? '');
          const files = await openFolder({
            'tickets.csv': ['id,a', ...tickets.map((id) => `${cell(id)},x`)].join('\n'),
            'messages.csv': ['ticketId,a', ...[...parents, absent].map((id) => `${cell(id)},x`)].join('\n'),
          });
          const joined = stage(files, [ROOT, MESSAGES]);
          expect([...joined.unmatchedRows()].map(({ parent }) => parent)).toEqual(['']);
          const found = items(joined).map((item) => [
            item.externalId,
            item.kind === 'ticket' ? (item.children.get('messages')?.length ?? 0) : -1,
          ]);
          const count = (id: number) => parents.filter((parent) => Number(parent) === id).length;
          expect(found).toEqual(ids.map((id) => [String(id), count(id)]));
        },
      ),
      { numRuns: 40, seed: 7 },
    );
  });

  it('a ticket with 18 characters has the messages that name 15 of them, and keeps its own ID', async () => {
    const [id = ''] = SALESFORCE;
    const files = await openFolder({
      'tickets.csv': `id\n${id}\n`,
      'messages.jsonl': `{"TICKETID":"${id.slice(0, 15)}"}\n{"ticketId":"${id}"}\n`,
    });
    const joined = stage(files, [ROOT, MESSAGES]);
    const [item] = items(joined);
    expect(item?.externalId).toBe(id);
    expect(item?.kind === 'ticket' && item.children.get('messages')?.length).toBe(2);
  });

  it.each(BROKEN)(
    'a spreadsheet has made %s of an ID: nothing joins, and one sentence says so',
    async (key) => {
      const files = await openFolder({
        'tickets.csv': 'id\n1\n',
        'messages.csv': `ticketId\n1\n${cell(key)}\n${cell(key)}\n`,
      });
      const error = await failure(Promise.resolve().then(() => stage(files, [ROOT, MESSAGES])));
      expect(error.message).toMatch(/messages\.csv:3: a spreadsheet has changed the ID "[^(]*$/);
    },
  );
});

it('a column may have the name of what every object has', () => {
  const row = csvObject(['1', '2', '3'], [['constructor'], ['__proto__'], ['toString', 'name']]);
  expect(JSON.stringify(row)).toBe('{"constructor":"1","__proto__":"2","toString":{"name":"3"}}');
});
