import { expect, it } from 'vitest';
import { DamagedTexts } from '../../src/check/damaged-texts.ts';
import type { MappedTicket } from '../../src/domain/ticket.ts';

function foundIn(...texts: string[]) {
  const damaged = new DamagedTexts(true);
  for (const [index, content] of texts.entries())
    damaged.see({
      externalId: `${index + 1}`,
      messages: [{ value: { content } }],
    } as unknown as MappedTicket);
  return damaged.problems().map(({ code, count, message }) => [code, count, message]);
}

it.each([
  ['the length of a spreadsheet’s cell', 'a'.repeat(32_767), 'cut-text'],
  ['the length of a database’s text', 'a'.repeat(65_535), 'cut-text'],
  ['ä in UTF-8, read as Windows-1252', 'GerÃ¤t', 'garbled-text'],
  ['an apostrophe likewise', 'itâ€™s', 'garbled-text'],
])('a text with %s is named, with its ticket', (_, text, code) => {
  expect(foundIn('Hello', text)).toEqual([
    [code, 1, expect.stringMatching(/^1 of 2 tickets .* such as ticket 2\.$/)],
  ]);
});

it.each(['a'.repeat(32_766), 'Gerät, it’s: naïve Âge', 'It shows KÃ¤nnchen, not Kännchen', ''])(
  'whole texts are not named: %#',
  (text) => {
    expect(foundIn(text)).toEqual([]);
  },
);

it('a few words that most tickets share are named', () => {
  const answers = ['SIN RESPUESTA', 'SIN RESPUESTA', 'We send a new lamp.', 'SIN RESPUESTA', 'sin'];
  expect(foundIn(...answers)).toEqual([
    ['placeholder-text', 3, expect.stringMatching(/^3 of 5 tickets .*"SIN RESPUESTA" alone.* ticket 1\.$/)],
  ]);
  expect(foundIn(...answers.slice(0, 4))).toEqual([]);
  expect(foundIn(...answers, 'Hello', 'Hi', 'Good day')).toEqual([]);
});
