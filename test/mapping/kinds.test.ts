/** Exports in which an older version let the wrong person speak, published a text or lost one: small ones of each kind. */
import { expect, it } from 'vitest';
import { builtinLayouts } from '../../src/mapping/detect/builtin-layouts.ts';
import { mapExport, type Texts } from './support/map-export.ts';

const AT = '2025-03-01T09:00:00Z';
const json = JSON.stringify;

const KIM = 'kim@buyer.example';
const ANA = 'ana@team.example';

async function imported(texts: Texts) {
  const { tickets, mapper } = await mapExport(texts, builtinLayouts(), {
    agents: { [ANA]: 'agt_ana' },
    fallbackAgent: 'agt_0',
    timezone: 'UTC',
    customersWithoutEmail: { synthesize: 'import.example' },
  });
  const messages = tickets.flatMap((ticket) =>
    ticket.messages.map(({ value }) => {
      const { email } = (value['contact'] ?? {}) as { email?: string };
      const who = email ?? value['agentId'] ?? value['actorType'];
      return `${value['isInternal'] === true ? '-' : '+'} ${who}: ${value['content']}`;
    }),
  );
  const found = [...tickets.flatMap(({ problems }) => problems), ...mapper.problems()];
  return { messages, codes: found.map(({ code }) => code), loss: mapper.loss() };
}

const FRESHDESK = {
  ...{ id: 1, subject: 'Lamp', requester_id: 9, responder_id: null, source: 2, status: 2, priority: 1 },
  ...{ fr_escalated: false, fr_due_by: AT, created_at: AT, updated_at: AT },
};
const ISSUE = {
  ...{ summary: 'VPN', status: { name: 'Open' }, created: AT, description: 'Dead' },
  reporter: { accountId: 'q1', displayName: 'Kim', emailAddress: KIM, accountType: 'customer' },
};
const HUBSPOT = {
  't.json': json([{ id: '3', properties: { subject: 'Parcel', hs_pipeline_stage: '1', createdate: AT } }]),
  'owners.json': json([{ id: '77', email: ANA, userId: 770, firstName: 'Ana' }]),
};
const engaged = (properties: object): Texts => ({
  ...HUBSPOT,
  'e.json': json([
    {
      id: 'e1',
      properties: { hs_timestamp: AT, hubspot_owner_id: '77', ...properties },
      associations: { tickets: { results: [{ id: '3' }] } },
    },
  ]),
});
const CASE = 'Id,CaseNumber,Subject,Status,CreatedDate,Description,SuppliedEmail,Origin,CreatedById\n';
const USERS = `Id,Username,Email,Name\n005A,ana,${ANA},Ana\n`;

it.each<[string, Texts, readonly string[]]>([
  [
    'the structured description is the text where it is the only one',
    { 't.json': json([{ ...FRESHDESK, requester: { email: KIM }, structured_description: 'It broke.' }]) },
    [`+ ${KIM}: It broke.`],
  ],
  [
    'a WhatsApp message of HubSpot is in the thread',
    engaged({ hs_communication_channel_type: 'WHATS_APP', hs_communication_body: '<p>Soon</p>' }),
    ['+ agt_ana: <p>Soon</p>'],
  ],
  [
    'a call of HubSpot is a note of the agent',
    engaged({ hs_call_direction: 'OUTBOUND', hs_call_body: '<p>He waits</p>' }),
    ['- agt_ana: <p>He waits</p>'],
  ],
  [
    'a message of the inbox that failed is left out',
    {
      ...HUBSPOT,
      'm.json': json(
        ['SENT', 'FAILED'].map((statusType) => ({
          ...{ id: statusType, ticketId: '3', conversationsThreadId: '9', type: 'MESSAGE', channelId: '1007' },
          ...{ status: { statusType }, createdAt: AT, text: statusType, senders: [{ actorId: 'A-770' }] },
        })),
      ),
    },
    ['+ agt_ana: SENT'],
  ],
  [
    'a mail of Salesforce that bounced is left out',
    {
      'Case.csv': `${CASE}5001,1,Lamp,New,${AT},It broke,${KIM},Email,\n`,
      'EmailMessage.csv': `Id,ParentId,TextBody,Incoming,MessageDate,FromAddress,Status,IsBounced\n1,5001,Never came,false,${AT},help@team.example,3,true\n`,
      'User.csv': USERS,
    },
    [`+ ${KIM}: It broke`],
  ],
  [
    'an account of Jira says who is a customer and what is an app',
    {
      'i.jsonl': json({
        ...{ id: '1', key: 'S-1' },
        fields: {
          ...ISSUE,
          comment: {
            comments: ['customer', 'app', 'atlassian'].map((accountType) => ({
              ...{ id: accountType, body: accountType, created: AT, jsdPublic: true },
              author: { accountId: accountType, displayName: accountType, accountType },
            })),
          },
        },
      }),
    },
    [
      `+ ${KIM}: Dead`,
      '+ customer-customer@import.example: customer',
      '+ system: app',
      '+ agt_0: atlassian',
    ],
  ],
  [
    'comments of Jira are found by whatever its translation calls them',
    {
      'i.csv': `Resumo,Chave da item,ID da item,Status,Relator,Criado,Descrição,Comentar,Comentar\nNota,S-1,1,Open,${KIM},${AT},Errada,${AT};712020:aaa;Qual?,\n`,
    },
    [`+ ${KIM}: Errada`, '- agt_0: Qual?'],
  ],
])('%s', async (_, texts, messages) => {
  expect((await imported(texts)).messages).toEqual(messages);
});
