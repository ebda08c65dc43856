/** The overview of a trial, to begin and to sign, and its people. */
import { html } from 'hono/html';
import { PEOPLE_KEY } from '../../checkpoint/marks.ts';
import { isUnknownAgent } from '../../domain/decisions.ts';
import { countOf, formatCount } from '../../domain/printable.ts';
import type { Facts } from '../../plan/facts.ts';
import * as b from '../../view/blocks.ts';
import { cut } from '../../view/conversation/conversation.ts';
import type { Markup } from '../../view/conversation/thread.ts';
import { blocksMarkup } from '../../view/html/blocks.ts';
import { value } from '../../view/html/conversation.ts';
import { REASONS } from '../../view/trial-words.ts';
import type { OldTicket } from './old-side.ts';
import { counts, type DeskState, markForm, pathOf, SIGNS, type TicketView } from './page.ts';

const HOW = {
  listed: 'listed in the settings',
  found: 'by the address',
  later: 'looked up at import',
  fallback: 'the fallback agent',
  none: 'nobody known',
} as const;

export interface TrialCustomer {
  readonly externalId: string;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly origin: 'known' | 'new' | 'made up' | 'hidden';
}

const ORIGINS = {
  known: 'known before the import',
  new: 'new',
  'made up': { text: 'made-up address', tone: 'warn' },
  hidden: { text: 'not shown by the helpdesk', tone: 'soft' },
} as const;

export function peopleContent(
  state: DeskState,
  {
    facts: { people, contacts },
    customers,
  }: { readonly facts: Facts; readonly customers: readonly TrialCustomer[] },
  form: Pick<TicketView, 'saw' | 'token'>,
  complaint?: string,
): Markup {
  const { distinct, merged, made = 0, byName = 0, namesakes = 0 } = contacts;
  const tile = (label: string, count: number, remark: string): b.Fact => ({
    label,
    value: formatCount(count),
    remarks: [remark],
  });
  const team = b.table({
    columns: ['Old helpdesk', 'New helpdesk', 'How', b.counts('Messages')],
    rows: people.agents.map((agent) => {
      const { agent: id, name, id: there, how, messages } = agent;
      const isUnknown = isUnknownAgent(agent);
      return [
        name === undefined ? id : [name, { text: ` ${id}`, tone: 'soft' as const }],
        there ?? { text: 'nobody', tone: 'warn' as const },
        { text: HOW[how], tone: isUnknown ? ('warn' as const) : undefined },
        messages,
      ];
    }),
  });
  return html`<p class="eyebrow"><b>People</b><span>Of the whole export, not only of the trial</span></p><h1>Who becomes whom</h1>
${complaint !== undefined && html`<p class="bad" role="alert">${complaint}</p>`}
<p class="lead">${countOf(people.agents.length, 'person', 'people')} of your team wrote in the old helpdesk; ${countOf(contacts.distinct, 'customer')} wrote.</p>
<section id="team" aria-labelledby="team-title"><h2 id="team-title">Team</h2>${people.agents.length > 0 && blocksMarkup([team], 'Team')}</section>
<section id="customers" aria-labelledby="customers-title"><h2 id="customers-title">Customers</h2>${blocksMarkup(
    [
      b.facts(
        [
          tile('Customers', distinct, 'in the whole export'),
          tile('Their own address', distinct - made, 'from the export'),
          made > 0 && tile('Made-up address', made, 'no mail reaches them'),
          byName > 0 && tile('By name alone', byName, 'the same name is one customer'),
          namesakes > 0 && tile('Perhaps twice', namesakes, 'made up, and the name has an address too'),
          merged > 0 && tile('Several names', merged, 'one address'),
        ],
        { areTiles: true },
      ),
      b.table({
        caption: 'Customers of the trial',
        columns: ['Customer', 'Address', 'In the helpdesk', 'Ticket'],
        rows: customers.map(({ externalId, name, email, origin }) => [
          name ?? '–',
          email ?? 'none',
          ORIGINS[origin],
          { text: `#${externalId}`, to: pathOf(externalId) },
        ]),
      }),
    ],
  )}</section>
${markForm(state, PEOPLE_KEY, [], form)}`;
}

export interface Overview {
  readonly about: string;
  readonly isAsking: boolean;
  readonly differences: ReadonlyMap<string, number>;
  /** As the run showed them. */
  readonly customers: ReadonlyMap<string, string | undefined>;
  readonly token: string;
  readonly next: readonly b.Block[];
  readonly complaint?: string | undefined;
}

export function overviewContent(
  state: DeskState,
  { about, isAsking, differences, customers, token, next, complaint }: Overview,
): Markup {
  const { tickets, shapes, marks, who, isSigned } = state;
  const { all, looked, wrong } = counts(state);
  const isNew = who === undefined || isAsking;
  const rows = tickets.map(({ externalId, subject }): b.Line[] => {
    const [sign, tone, words] = SIGNS[shapes.get(externalId) ?? 'none'];
    const found = differences.get(externalId);
    const mark = marks.get(externalId);
    const because =
      mark?.verdict === 'wrong'
        ? [...mark.because.map((reason) => REASONS.get(reason) ?? reason), mark.words]
            .filter(Boolean)
            .join(', ')
        : '';
    return [
      { text: `#${externalId}`, to: pathOf(externalId) },
      { text: `${sign} ${words}`, tone },
      [cut(subject, 70), ...(because === '' ? [] : [{ text: ` ${because}`, tone: 'bad' as const }])],
      found === undefined
        ? { text: 'not read yet', tone: 'soft' }
        : found === 0
          ? { text: 'none', tone: 'soft' }
          : { text: String(found), tone: 'bad' },
      customers.get(externalId) ?? '',
    ];
  });
  const title = isNew
    ? all === 1
      ? 'Does this ticket read right?'
      : `Do these ${all} tickets read right?`
    : `${looked} of ${countOf(all, 'ticket')} looked at${wrong > 0 ? `, ${wrong} wrong` : ''}.`;
  const tone = wrong > 0 ? 'bad' : looked === all ? 'good' : 'warn';
  const isReady = !isNew && !isSigned && looked === all && shapes.get(PEOPLE_KEY) !== undefined;
  return html`<p class="eyebrow"><b>Trial</b><span>${about}</span></p>
${isNew ? html`<h1>${title}</h1>` : blocksMarkup([{ kind: 'heading', level: 1, text: title, tone }])}
${complaint !== undefined && html`<p class="bad" role="alert">${complaint}</p>`}${isNew && beginForm(tickets, token, who)}${isReady && signForm(wrong, who ?? '', token)}${isSigned && blocksMarkup(next)}
<section id="tickets" aria-labelledby="tickets-title"><h2 id="tickets-title">Tickets <span class="count">${all}</span></h2>${blocksMarkup([b.table({ columns: ['Ticket', 'Your mark', b.flexible('Subject'), 'Differences', 'Customer'], rows })], 'Tickets of the trial')}</section>`;
}

function beginForm(tickets: readonly OldTicket[], token: string, who = ''): Markup {
  return html`<p class="lead">${countOf(tickets.length, 'ticket of your export is', 'tickets of your export are')} in the helpdesk. On the left of each page is what the old helpdesk had, on the right what the new one shows. Compare them, and mark each right or wrong. Nothing more is imported meanwhile.</p>
<form class="begin" method="post" action="/who"><input type="hidden" name="token" value="${token}"><p><label for="who">Your name <span class="soft">It is kept with your marks and shown in the report.</span></label></p>
<p><input class="typed" id="who" name="who" autocomplete="name" required maxlength="80" value="${who}"> <button class="button full">Begin with #${tickets[0]?.externalId}</button></p></form>`;
}

function signForm(wrong: number, who: string, token: string): Markup {
  const said =
    wrong === 0
      ? 'You found nothing wrong.'
      : `${countOf(wrong, 'ticket is', 'tickets are')} wrong. If you sign now, the next import asks whether to go on all the same.`;
  return html`<form class="begin" method="post" action="/sign"><input type="hidden" name="token" value="${token}"><p class="lead">${said} Signing imports nothing.</p><p><button class="button full">Sign as ${value(who)}</button></p></form>`;
}
