import { expect, it } from 'vitest';
import {
  isForTeam,
  isMarkedForTeam,
  isNoteKind,
  readingOf,
  vocabulary,
  yesOrNo,
} from '../../src/domain/text/vocabulary.ts';
import { truthOf } from '../../src/mapping/compile/values.ts';
import { nameText } from '../../src/mapping/people/people.ts';
import { isNoValue } from '../../src/source/keys.ts';

it.each([
  ['status', 'waiting for customer reply', 'pending'],
  ['status', 'Processando (atribuído)', 'open'],
  ['status', 'Ticketstatus: Gelöst', 'resolved'],
  ['status', 'In progress - waiting on customer', 'open'],
  ['status', 'Resolved, closed by agent', 'resolved'],
  ['status', 'Open: will be closed', undefined],
  ['status', 'not solved', undefined],
  ['status', 'Legal', undefined],
  ['priority', 'High priority', 'high'],
  ['priority', 'Priorité très haute (P1)', 'urgent'],
  ['priority', 'niet dringend', undefined],
  ['role', 'Incoming email', 'customer'],
  ['visibility', 'Interne Notiz', 'internal'],
] as const)('the first known words of a value give its meaning: %s "%s" is %s', (kind, value, meaning) => {
  expect(readingOf(kind, value)).toBe(meaning);
});

it('yes, no and words for nothing are the same in a proposal and in a run', () => {
  const { yes, no, absent } = vocabulary();
  for (const word of [...yes, 'Sí', '1.0', ' TRUE '])
    expect([yesOrNo(word), truthOf(word)]).toEqual([true, true]);
  for (const word of [...no, 'Não', '0.0']) expect([yesOrNo(word), truthOf(word)]).toEqual([false, false]);
  for (const word of [...absent, '<null>', 'NA', ' ']) expect(isNoValue(word), word).toBe(true);
  for (const word of ['Nan', 'no', 'Na', '0']) expect(isNoValue(word), word).toBe(false);
});

it('a text marked for the team is known in seven languages, and an ordinary beginning is none', () => {
  for (const text of [
    ...[
      '[internal] Kim pays late',
      'Interne Notiz: x',
      'NOTA INTERNA - x',
      '(commentaire privé) x',
      '*privado* x',
    ],
    ...[
      'Staff only: x',
      'do not share with the customer - x',
      'nur intern: x',
      '**Internal use** x',
      'interne opmerking: x',
    ],
  ])
    expect(isMarkedForTeam(text), text).toBe(true);
  for (const text of [
    'Note: the parcel left',
    'Internet is down',
    'Hello Kim - x',
    'For support: call us',
    'Nota: x',
  ])
    expect(isMarkedForTeam(text), text).toBe(false);
});

it('names and kinds of notes are no names of answers', () => {
  for (const name of ['Staff remarks', 'Interne Notizen', 'Observações', 'opmerkingen', 'privateNote'])
    expect(isForTeam(name), name).toBe(true);
  for (const name of ['Answer', 'Notebook', 'International', 'Antwort'])
    expect(isForTeam(name), name).toBe(false);
  for (const kind of ['note', 'Internal', 'agent note', 'commentaire privé', 'Work notes'])
    expect(isNoteKind(kind), kind).toBe(true);
  for (const kind of ['staff', 'public note', 'comment', 'team', 'reply', 'note to customer'])
    expect(isNoteKind(kind), kind).toBe(false);
});

it('a stranger and a side of the talk are no person of that name', () => {
  for (const name of ['Unknown user', 'Gast', 'Anónimo', 'Kunde', 'End user', 'website visitor', 'n/a'])
    expect(nameText(name), name).toBeUndefined();
  for (const name of ['Ann Guest', 'Max Kunde', 'Unknown 7', 'Support'])
    expect(nameText(name), name).toBe(name);
});
