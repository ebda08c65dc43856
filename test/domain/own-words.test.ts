import { describe, expect, it } from 'vitest';
import { comparableText, inOwnWords, plainText, textsOf } from '../../src/domain/own-words.ts';

const TEXTS = [
  ...textsOf({
    ticket: {
      subject: 'Where is my parcel?',
      contact: { email: 'mia.meier@example.com', name: 'Mia Meier' },
    },
    messages: [
      { content: 'I have waited for it since\nTuesday, and my knee hurts: please call +49 30 1234567.' },
      { content: '返金してください。注文は先月の二十日にしました' },
      { content: 'Größe & "Farbe" müssen getauscht werden' },
    ],
    events: [
      { oldValue: { status: 'open' }, newValue: { status: 'resolved', note: 'called her at home twice' } },
    ],
  }),
];

const refused = (said: string, status = 422) => ({
  code: 'refused',
  status,
  message: `The helpdesk refused the ticket (${status}: ${said}).`,
});
const GONE =
  'The helpdesk refused the ticket (422): what was said quotes the ticket, so it is not kept here.';

describe('the record of a refusal', () => {
  it.each([
    'validation_error: subject "Where is my parcel?" is too long',
    'WHERE IS  MY PARCEL',
    'bad value near "since Tuesday, and my"',
    'bad value near "since\\nTuesday, and my"',
    'contact mia.meier@example.com is blocked',
    'contact Mia Meier is blocked',
    'content: \\u8fd4\\u91d1\\u3057\\u3066\\u304f\\u3060\\u3055\\u3044\\u3002\\u6ce8\\u6587\\u306f\\u5148\\u6708\\u306e',
    '返金してください。注文は先月の',
    'Gr&#246;&#xDF;e &amp; &quot;Farbe&quot; müssen',
    'content=%C3%9F%20m%C3%BCssen%20getauscht%20werden',
    'note called her at home twice',
    `${'x'.repeat(200)} my knee hurts: p…`,
  ])('without what quotes the ticket: %s', (said) => {
    expect(inOwnWords(refused(said), TEXTS)).toEqual({ code: 'refused', status: 422, message: GONE });
  });

  it.each([
    'validation_error: contact.email is not valid',
    'status "resolved" is not allowed for open tickets',
    'my parcel',
    'Where is the subject?',
    'Mia Meierling',
  ])('as it was said where it does not: %s', (said) => {
    expect(inOwnWords(refused(said), TEXTS)).toEqual(refused(said));
  });

  it('of an answer of unknown outcome', () => {
    const message =
      'The helpdesk did not confirm the ticket: 500: INSERT failed: my knee hurts: please call.';
    expect(inOwnWords({ code: 'unknown-outcome', status: 500, message }, TEXTS).message).toBe(
      'The helpdesk did not confirm the ticket: 500: what was said quotes the ticket, so it is not kept here.',
    );
  });

  it('of a failure without a status', () => {
    const { message } = inOwnWords(
      { code: 'invalid-type', message: 'subject: not "Where is my parcel?"' },
      TEXTS,
    );
    expect(message).toBe('What is wrong quotes the ticket, so it is not kept here.');
  });

  it('every run of twelve is found, wherever it is', () => {
    const text = 'abcdefghijklmnopqrstuvwxyz0123456789';
    for (let at = 0; at + 12 <= text.length; at += 1)
      for (let pad = 0; pad < 9; pad += 1) {
        const said = `${'-+'.repeat(20).slice(0, pad)}${text.slice(at, at + 12)}=`;
        expect(inOwnWords(refused(said), [text]).message).toBe(GONE);
      }
    expect(inOwnWords(refused('abcdefghijk!'), [text]).message).not.toBe(GONE);
  });
});

it.each([
  ['<p>Tom &amp; Jerry&#39;s&nbsp;&quot;M&uuml;hle&quot;</p>', `Tom&Jerry's"Mühle"`],
  ['a &lt;b&gt; c', 'a<b>c'],
  ['<style>p { color: red }</style>seen', 'seen'],
])('%s reads as %s', (html, text) => {
  expect(plainText(html)).toBe(text);
  expect(comparableText(html.replace(/<style.*style>/, ''))).toBe(text.toLowerCase());
});
