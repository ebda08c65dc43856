import { describe, expect, it } from 'vitest';
import { idName } from '../../src/discover/id-name.ts';
import { ticketKey } from '../../src/discover/propose/choose-tables.ts';
import {
  bestColumn,
  conceptScore,
  personColumn,
  type ScopeColumn,
} from '../../src/discover/propose/concepts.ts';
import { roleColumn, roleOfMessages } from '../../src/discover/propose/message-columns.ts';
import { priorityOf, roleOfWord, statusOf, yesOrNo } from '../../src/discover/propose/propose-values.ts';
import { columnOf } from './support.ts';

const texts = [
  'Where is my order?',
  'Refund please',
  'The page is blank',
  'Thanks a lot',
  'Login fails',
  'One more question',
];
const times = ['2024-01-01 10:00', '2024-01-02 11:00', '2024-01-03 12:00'];
const column = (path: string, values: readonly unknown[]): ScopeColumn => ({
  path,
  profile: columnOf(path, values),
});

describe('words for statuses, priorities and roles', () => {
  it.each([
    ['OPEN', 'open'],
    ['In Progress', 'open'],
    ['new', 'open'],
    ['Pending Customer Response', 'pending'],
    ['Awaiting User Info', 'pending'],
    ['on-hold', 'pending'],
    ['Solved', 'resolved'],
    ['Done', 'resolved'],
    ["Won't fix", 'closed'],
    ['Geschlossen', 'closed'],
    ['Warten auf Kunde', 'pending'],
    ['En cours de traitement', 'open'],
    ['Fermée', 'closed'],
    ['Ouvertes', 'open'],
    ['Cerrados', 'closed'],
    ['Geschlossene', 'closed'],
    ['Fermé', 'closed'],
    ['Resuelto', 'resolved'],
    ['En espera', 'pending'],
    ['Aguardando cliente', 'pending'],
    ['Encerrado', 'closed'],
    ['4 - Closed', 'closed'],
    ['Status: Open', 'open'],
    ['deleted', 'not a ticket'],
    ['Spam', 'not a ticket'],
    ['Email Sent', undefined],
    ['7', undefined],
    ['', undefined],
  ])('the status %s is %s', (word, status) => {
    expect(statusOf(word)).toBe(status);
  });

  it.each([
    ['3 - Moderate', 'normal'],
    ['1 - Critical', 'urgent'],
    ['P1', 'urgent'],
    ['Medium', 'normal'],
    ['Alta', 'high'],
    ['Média', 'normal'],
    ['Niedrig', 'low'],
    ['Haute', 'high'],
    ['Urgente', 'urgent'],
    ['5', undefined],
    ['Gold', undefined],
  ])('the priority %s is %s', (word, priority) => {
    expect(priorityOf(word)).toBe(priority);
  });

  it.each([
    ['visitor', 'customer'],
    ['end-user', 'customer'],
    ['END_USER', 'customer'],
    ['Kunde', 'customer'],
    ['agent', 'agent'],
    ['ADMIN', 'agent'],
    ['conseiller', 'agent'],
    ['atendente', 'agent'],
    ['action', 'system'],
    ['bot', 'system'],
    ['VENDOR', undefined],
  ])('the role %s is %s', (word, role) => {
    expect(roleOfWord(word)).toBe(role);
  });

  it.each([
    ['sí', true],
    ['TRUE', true],
    ['1', true],
    ['nein', false],
    ['não', false],
    ['maybe', undefined],
  ])('%s is %s', (word, answer) => {
    expect(yesOrNo(word)).toBe(answer);
  });
});

describe('what a column means', () => {
  it.each([
    ['subject', 'Ticket Subject', texts],
    ['subject', 'short_description', texts],
    ['subject', 'Betreff', texts],
    ['subject', 'asunto', texts],
    ['subject', 'fields.summary', texts],
    ['body', 'Ticket Description', texts],
    ['body', 'Nachricht', texts],
    ['body', 'conteudo', texts],
    ['status', 'incident_state', ['New', 'Closed']],
    ['status', 'Statut', ['Ouvert', 'Fermé']],
    ['priority', 'Dringlichkeit', ['Hoch', 'Niedrig']],
    ['tags', 'etiquetas', ['a;b', 'c']],
    ['createdAt', 'Created Date', times],
    ['createdAt', 'opened_at', times],
    ['createdAt', 'Erstelldatum', times],
    ['createdAt', 'fecha_creacion', times],
    ['closedAt', 'Date de clôture', times],
    ['resolvedAt', 'Time to Resolution', times],
    ['updatedAt', 'sys_updated_at', times],
    ['sentAt', 'sendTime', times],
    ['sentAt', 'Enviado em', times],
  ] as const)('%s is said by %s', (concept, name, values) => {
    expect(conceptScore(concept, column(name, values))).toBeGreaterThan(0.55);
  });

  it.each([
    ['subject', 'subject_id', ['1', '2']],
    ['subject', 'Product', texts],
    ['body', 'Comment Count', ['1', '2']],
    ['body', 'body_preview', texts],
    ['status', 'Status', texts.flatMap((text) => Array.from({ length: 20 }, (_, n) => `${text} ${n}`))],
    ['createdAt', 'created_by', ['Ann', 'Bob']],
    ['createdAt', 'First Response Time', times],
    ['createdAt', 'Due Date', times],
    ['closedAt', 'SLA close', times],
    ['answer', 'Resolution', ['Done', 'Fixed']],
  ] as const)('%s is not said by %s', (concept, name, values) => {
    expect(conceptScore(concept, column(name, values))).toBeLessThan(0.4);
  });

  it('of several the better name and the fuller column is taken', () => {
    const columns = [
      column('Descriptor', texts),
      column('Subject line', texts),
      column('Title', ['', '', '', '', '', 'x']),
    ];
    expect(bestColumn('subject', columns)?.path).toBe('Subject line');
  });

  it.each([
    ['requester', 'Customer Email', ['ann@example.com'], 'email'],
    ['requester', 'requester_id', ['12', '13'], 'id'],
    ['requester', 'Kundenname', ['Ann', 'Bob'], 'name'],
    ['assignee', 'Assignee', ['Ann', 'Bob'], 'name'],
    ['assignee', 'Zuständiger Bearbeiter', ['Ann', 'Bob'], 'name'],
    ['author', 'from', ['ann', 'bob'], 'name'],
    ['requester', 'Customer Age', ['32', '44'], undefined],
    ['assignee', 'assignment_group', ['Group 1', 'Group 2'], undefined],
    ['requester', 'Customer Satisfaction Rating', ['5', '4'], undefined],
  ] as const)('as a %s, %s gives the %s', (person, name, values, aspect) => {
    expect(personColumn(person, column(name, values))?.aspect).toBe(aspect);
  });
});

describe('who is speaking', () => {
  it.each([
    ['words', [column('senderType', ['visitor', 'agent', 'visitor'])], 'words'],
    ['a flag', [column('incoming', [true, false])], 'flag'],
    ['another flag', [column('from_agent', ['True', 'False'])], 'flag'],
    ['no roles', [column('type', ['email', 'phone'])], undefined],
    ['one role alone', [column('type', ['user', 'user'])], undefined],
    ['one role alone in a column of roles', [column('author_role', ['customer', 'customer'])], 'words'],
  ] as const)('told by %s', (_, columns, kind) => {
    expect(roleColumn(columns)?.kind).toBe(kind);
  });

  it('in items of a list the key that is filled tells it', () => {
    const items = [
      column('client', ['ann', null, 'ann']),
      column('agent', [null, 'shop', null]),
      column('text', ['a', 'b', 'c']),
    ];
    expect(roleOfMessages(items, true)?.kind).toBe('filled');
    const both = [column('client', ['ann', 'bob']), column('agent', ['shop', 'shop'])];
    expect(roleOfMessages(both, true)).toBeUndefined();
  });
});

describe('the id of a ticket', () => {
  it.each([
    ['id', 0.9],
    ['Ticket ID', 1],
    ['conversationId', 1],
    ['Vorgangsnummer', 1],
    ['número', 0.8],
    ['Unique Key', 0.8],
    ['requester_id', 0],
    ['parent_ticket_id', 0],
    ['subject', 0],
  ])('%s is one with %f', (name, points) => {
    expect(idName(name, [])).toBeCloseTo(points, 5);
  });

  it.each([
    ['unique', { id: ['1', '2', '3', '4'] }, 'id', 'root'],
    ['repeated', { conversationId: ['a', 'a', 'b', 'b'] }, 'conversationId', 'group'],
    [
      'of the conversation, where messages have their own',
      { id: ['1', '2', '3', '4'], conversation_id: ['a', 'a', 'b', 'b'] },
      'conversation_id',
      'group',
    ],
    ['not of another thing', { id: ['1', '2', '3', '4'], product_id: ['a', 'a', 'b', 'b'] }, 'id', 'root'],
    [
      'not one that is missing in rows',
      { ticket_id: ['1', '', '3', ''], number: ['7', '8', '9', '10'] },
      'number',
      'root',
    ],
  ] as const)('is %s', (_, cells, path, role) => {
    const columns = Object.entries(cells).map(([name, values]) => column(name, values));
    expect(ticketKey(columns, 4, [], true)).toMatchObject({ column: { path }, role });
  });

  it('is not made up', () => {
    expect(
      ticketKey([column('subject', texts), column('email', ['a@example.com'])], 6, [], false),
    ).toBeUndefined();
  });
});
