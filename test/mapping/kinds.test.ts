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
          ...{
            id: statusType,
            ticketId: '3',
            conversationsThreadId: '9',
            type: 'MESSAGE',
            channelId: '1007',
          },
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
    [`+ ${KIM}: Dead`, `+ ${KIM}: customer`, '+ system: app', '+ agt_0: atlassian'],
  ],
  [
    'comments of Jira are found by whatever its translation calls them',
    {
      'i.csv': `Resumo,Chave da item,ID da item,Status,Relator,Criado,Descrição,Comentar,Comentar\nNota,S-1,1,Open,${KIM},${AT},Errada,${AT};712020:aaa;Qual?,\n`,
    },
    [`+ ${KIM}: Errada`, '- agt_0: Qual?'],
  ],
])('%s', async (_, texts, messages) => {
  const found = await imported(texts);
  expect(found.messages).toEqual(messages);
  if (texts['e.json'] !== undefined) expect(found.codes).not.toContain('unknown-visibility');
});

it.each<[string, Texts, readonly string[]]>([
  [
    'a call in Freshdesk is a note, and a mail that an agent began is public',
    {
      't.json': json(
        [3, 10, 2].map((source) => ({
          ...{ ...FRESHDESK, id: source, source, responder_id: 50 },
          ...{ requester: { email: KIM }, description: `${source}` },
        })),
      ),
      'a.json': json([{ id: 50, occasional: false, ticket_scope: 1, contact: { email: ANA } }]),
    },
    ['- agt_ana: 3', '+ agt_ana: 10', `+ ${KIM}: 2`],
  ],
  [
    "a call or a case that a user of Salesforce made is the user's, one of a mail or form is not",
    {
      'Case.csv': `${CASE}1,1,Lamp,New,${AT},phone,,Phone,005A\n2,2,Lamp,New,${AT},none,,,005A\n3,3,Lamp,New,${AT},mail,${KIM},Email,005A\n`,
      'User.csv': USERS,
    },
    ['- agt_ana: phone', '- agt_ana: none', `+ ${KIM}: mail`],
  ],
  [
    'an incident of ServiceNow is of who opened it, but for the portal and mails',
    {
      'incident.json': json(
        ['phone', 'self-service'].map((contact_type) => ({
          ...{
            sys_id: `s${contact_type}`,
            number: `INC${contact_type}`,
            short_description: 'Mail',
            state: '1',
          },
          ...{ opened_at: '2025-03-01 09:00:00', description: contact_type, contact_type },
          ...{ caller_id: { value: 'u1' }, opened_by: { value: 'u2' } },
        })),
      ),
      'users.json': json([
        { sys_id: 'u1', user_name: 'kim', email: KIM, first_name: 'Kim' },
        { sys_id: 'u2', user_name: 'ana', email: ANA, first_name: 'Ana' },
      ]),
    },
    ['- agt_ana: phone', `+ ${KIM}: self-service`],
  ],
  [
    "a ticket that a user of HubSpot made is the user's, one of a form is not",
    {
      ...HUBSPOT,
      't.json': json(
        [
          { source_type: 'PHONE', created_by: '770' },
          { source_type: 'EMAIL', hs_object_source: 'CRM_UI', created_by: '771' },
          { source_type: 'FORM', hs_object_source: 'FORM', created_by: '770' },
        ].map((properties, id) => ({
          id: `${id}`,
          properties: {
            subject: 'a',
            hs_pipeline_stage: '1',
            createdate: AT,
            content: `${id}`,
            ...properties,
          },
          associations: { contacts: { results: [{ id: '51' }] } },
        })),
      ),
      'contacts.json': json([{ id: '51', properties: { email: KIM } }]),
    },
    ['- agt_ana: 0', '- agt_0: 1', `+ ${KIM}: 2`],
  ],
  [
    'a call in Zoho Desk and what an agent made are notes',
    {
      't.json': json(
        [
          ['Phone', '80'],
          ['Walk-in', '80'],
          ['Email', '80'],
          ['Phone', null],
        ].map(([channel, createdBy], at) => ({
          ...{
            id: `${at}`,
            ticketNumber: `${at}`,
            subject: 'a',
            status: 'Open',
            departmentId: '1',
            createdTime: AT,
          },
          ...{ email: KIM, description: `${channel}`, channel, createdBy },
        })),
      ),
      'agents.json': json([{ id: '80', emailId: ANA, firstName: 'Ana', roleId: '1' }]),
    },
    ['- agt_ana: Phone', '- agt_ana: Walk-in', `+ ${KIM}: Email`, '- agt_0: Phone'],
  ],
  [
    'an issue of Jira is of its creator, but not if that is an app',
    {
      'i.jsonl': Object.entries({ atlassian: ANA, customer: 'bo@buyer.example', app: 'bot@team.example' })
        .map(([accountType, emailAddress]) => {
          const creator = { accountId: accountType, emailAddress, accountType };
          return json({ id: accountType, key: `S-${accountType}`, fields: { ...ISSUE, creator } });
        })
        .join('\n'),
    },
    ['- agt_ana: Dead', `+ ${KIM}: Dead`, `+ ${KIM}: Dead`],
  ],
  [
    'a phone call of Help Scout was sent to nobody',
    {
      'c.json': json([
        {
          ...{ id: 1, number: 1, subject: 'a', status: 'active', state: 'published', createdAt: AT },
          primaryCustomer: { id: 9, email: KIM },
          _embedded: {
            threads: [
              {
                ...{
                  id: 2,
                  type: 'phone',
                  state: 'published',
                  body: 'Rang',
                  createdAt: AT,
                  customer: { id: 9 },
                },
                createdBy: { id: 7, type: 'user', email: ANA },
              },
            ],
          },
        },
      ]),
    },
    ['- agt_ana: Rang'],
  ],
  [
    "in a table of tickets, what an assignee created is the assignee's",
    {
      't.csv': `Ticket ID,Subject,Description,Email,Status,Created,Assignee,Created by\n1,a,Rang,${KIM},open,${AT},Ana,Ana\n2,b,Mine,${KIM},open,${AT},Ana,Kim\n`,
    },
    ['- agt_0: Rang', `+ ${KIM}: Mine`],
  ],
])('who typed a text: %s', async (_, texts, messages) => {
  const found = await imported(texts);
  expect(found.messages).toEqual(messages);
  expect(found.codes.filter((code) => code === 'typed-by-agents')).toHaveLength(1);
});

it.each<[string, Texts]>([
  [
    'a summary of Zoho Desk',
    {
      't.json': json([
        {
          ...{ id: '1', ticketNumber: '1', subject: 'a', status: 'Open', departmentId: '1' },
          createdTime: AT,
          email: KIM,
        },
      ]),
      'th.json': json([
        {
          ...{ id: '2', ticketId: '1', direction: 'in', summary: 'Dear shop, I …', visibility: 'public' },
          status: 'SUCCESS',
          author: { email: KIM, type: 'END_USER' },
          createdTime: AT,
        },
      ]),
    },
  ],
  [
    'a blurb of Front',
    {
      'f.json': json([
        {
          ...{
            id: 'cnv_1',
            subject: 'a',
            status: 'archived',
            assignee: null,
            created_at: 1740819600,
            tags: [],
          },
          recipient: { handle: KIM },
          messages: [
            {
              id: 'm',
              is_inbound: true,
              blurb: 'Dear shop …',
              created_at: 1740819600,
              recipients: [{ handle: KIM, role: 'from' }],
            },
          ],
        },
      ]),
    },
  ],
  [
    'a preview of HubSpot',
    engaged({
      ...{ hs_email_direction: 'INCOMING_EMAIL', hs_email_status: 'SENT', hs_email_from_email: KIM },
      ...{ hs_body_preview: 'Dear shop', hs_body_preview_is_truncated: 'true' },
    }),
  ],
])('%s is imported and counted as cut', async (_, texts) => {
  const { messages, codes, loss } = await imported(texts);
  expect(messages).toHaveLength(1);
  expect(codes).toContain('shortened-text');
  expect(loss.notHeld).toMatchObject([{ count: 1 }]);
});

const CHAT = 'conversation_id,content,sender_type,created_at,email\n';

it.each<[string, Texts, readonly string[]]>([
  [
    'users beside contacts are agents',
    { 'm.csv': `${CHAT}1,Hi,Contact,${AT},${KIM}\n1,Sent,User,${AT},bo@team.example\n` },
    [`+ ${KIM}: Hi`, '+ agt_0: Sent'],
  ],
  [
    'users beside agents are customers',
    { 'm.csv': `${CHAT}1,Hi,User,${AT},${KIM}\n1,Sent,Agent,${AT},bo@team.example\n` },
    [`+ ${KIM}: Hi`, '+ agt_0: Sent'],
  ],
])('%s', async (_, texts, messages) => {
  expect((await imported(texts)).messages).toEqual(messages);
});

it('a date and a time in two columns are one time', async () => {
  const row = `11,Parcel,Where is it,${KIM},Closed,2025-03-01,09:10`;
  const texts = { 't.csv': `Ticket ID,Subject,Description,Email,Status,Date,Time\n${row}\n` };
  const { tickets } = await mapExport(texts, builtinLayouts(), { timezone: 'Europe/Berlin' });
  const at = '2025-03-01T08:10:00.000Z';
  expect(tickets).toMatchObject([{ ticket: { createdAt: at }, messages: [{ value: { occurredAt: at } }] }]);
});

it.each([
  ['unknown in a list view', 'caller_id,opened_at,comments_and_work_notes', '2025-07-01T09:00:00.000'],
  ['UTC in the API', 'sys_id,opened_at,description', '2025-07-01T09:00:00.000Z'],
])('the zone of ServiceNow is %s', async (_, header, createdAt) => {
  const row = 'INC1,Mail,Closed,Kim,2025-07-01 09:00:00,';
  const texts = { 'incident.csv': `number,short_description,state,${header}\n${row}\n` };
  const { tickets } = await mapExport(texts, builtinLayouts(), {});
  expect(tickets).toMatchObject([{ ticket: { createdAt } }]);
});
