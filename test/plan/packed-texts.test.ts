import { expect, it } from 'vitest';
import { PackedTexts } from '../../src/plan/packed-texts.ts';
import { openTempDatabase } from '../../src/source/stage.ts';

function packed() {
  const database = openTempDatabase();
  const texts = new PackedTexts(database);
  texts.begin();
  return { database, texts };
}

const linesOf = (n: number) => [
  `{"id":${n}}`,
  '',
  JSON.stringify(`line\nbreaks and 🙂 ${'x'.repeat(n * 50)}`),
];

it('Texts are read back as they were added, in any order, also those that are not packed yet', () => {
  const { texts } = packed();
  const places = Array.from({ length: 400 }, (_, n) => texts.add(linesOf(n)));
  const order = places
    .map((place, n) => ({ place, n }))
    .sort((a, b) => ((a.n * 7) % 400) - ((b.n * 7) % 400));
  for (const { place, n } of order) expect(texts.get(place, 3)).toEqual(linesOf(n));
  expect(new Set(places.map(({ block }) => block)).size).toBeGreaterThan(10);
});

it('Packed texts of tickets that are alike take less than a third of their room', () => {
  const { database, texts } = packed();
  const added = Array.from({ length: 2000 }, (_, n) =>
    JSON.stringify({
      id: n,
      content: `The parcel ${n} has not arrived at the shop in street ${n % 90} yet.`,
    }),
  );
  for (const text of added) texts.add([text]);
  texts.flush();
  const room = database.prepare<[], number>('SELECT sum(length(texts)) FROM block').pluck().get();
  expect(room).toBeGreaterThan(0);
  expect(room).toBeLessThan(added.join('').length / 3);
});

it('A plan that begins again has none of the texts before', () => {
  const { texts } = packed();
  texts.add(['"before"']);
  texts.flush();
  texts.begin();
  const place = texts.add(['"after"']);
  expect(texts.get(place, 1)).toEqual(['"after"']);
});
