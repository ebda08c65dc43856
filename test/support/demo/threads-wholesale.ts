/** Cafés that order through the wholesale portal and its API, in English. */
import { agent, colleague, customer, expert, note, system, type Thread } from './thread.ts';

export const wholesaleThreads: readonly Thread[] = [
  {
    name: 'webhook-401',
    locale: 'en',
    team: 'wholesale',
    tags: ['api', 'webhook', 'integration'],
    priorities: ['high', 'normal'],
    subjects: [
      'Webhooks fail with 401',
      'Webhook signature does not match',
      'Order webhooks stopped on {date}',
    ],
    times: 6,
    steps: [
      customer(
        'start',
        'Hi,\n\nsince {date} all webhooks to our till system fail. Your log says `401`, ours says that the signature is wrong. We have changed nothing. Here is one of them:\n\n```\nPOST /hooks/tide HTTP/1.1\nX-Tide-Signature: t=1715156400,v1=9f86d081884c7d65…\nContent-Type: application/json\n\n{"type":"order.shipped","id":"{order}","total":"{amount}"}\n```\n\nAny idea?\n\n{name}, {cafe}',
        {
          as: 'markdown',
        },
      ),
      agent(
        'hours',
        'Hi {first},\n\nthe signing secret of your endpoint was renewed on {date} by somebody with admin rights in your team. The old one is valid for 24 hours after that, which fits. You find the new one under **Developers → Webhooks → Secret**.\n\n{agent}',
        {
          as: 'markdown',
          status: 'pending',
        },
      ),
      colleague(
        'hours',
        'Hello, I am the developer here. That was me, I wanted to try the button… The new secret is in place, test event is green. Can you send the failed ones again?',
        { status: 'open' },
      ),
      note(
        'minutes',
        '218 failed deliveries since then. Replay started, 5 per second so that their till does not choke.',
      ),
      agent(
        'minutes',
        'Replayed all 218, none failed. For next time: "Roll secret" now asks twice 🙂\n\n{agent}',
        { status: 'resolved' },
      ),
      customer('day', 'Thanks everyone. The till has caught up.'),
    ],
  },
  {
    name: 'rate-limit',
    locale: 'en',
    team: 'wholesale',
    tags: ['api', 'integration'],
    priorities: ['normal'],
    subjects: ['429 Too Many Requests', 'Rate limit of the wholesale API', 'API limit too low for {cafe}'],
    times: 5,
    steps: [
      customer(
        'start',
        'Hello,\n\nour nightly stock import gets `429` after a few minutes. We ask for each of 3,000 articles, one by one. What is the limit, and can it be raised for {cafe}?\n\n{name}',
      ),
      expert(
        'hours',
        'Hi {first},\n\nthe limit is 300 requests a minute per key. It can be raised, but I think you do not need that: `GET /articles?ids=…` takes up to 100 ids at once, so 30 requests do.\n\n| now | then |\n|---|---|\n| 3,000 requests | 30 requests |\n| 10 minutes and 429 | 5 seconds |\n\nAnd please wait for as long as `Retry-After` says.\n\nMei',
        {
          as: 'markdown',
          status: 'pending',
        },
      ),
      customer('day', 'I feel a bit stupid now, but it works: 6 seconds for everything. Thank you Mei.', {
        status: 'resolved',
      }),
    ],
  },
  {
    name: 'accounting-sync',
    locale: 'en',
    team: 'wholesale',
    tags: ['integration', 'accounting', 'bug'],
    priorities: ['high', 'urgent'],
    subjects: [
      'Invoices missing in our accounting',
      'Accounting sync: "tax code unknown"',
      'Sync stuck since {date}',
    ],
    times: 5,
    steps: [
      customer(
        'start',
        'Dear support,\n\nour tax adviser closes the quarter on Friday, and 14 invoices since {date} have not come over into our accounting program. The integration page shows a red triangle and "tax code unknown". The list is attached.\n\n{name}\n{cafe}',
        {
          files: ['missing-invoices.csv'],
        },
      ),
      agent(
        'hours',
        'Dear {first},\n\nI see the 14. The first has a deposit for cups on it, and the tax rate for that is new since this quarter. The integration stops at the first error and does not go on with the others, which it should. I have asked our developers to look at it today because of your Friday.\n\n{agent}',
        {
          status: 'pending',
        },
      ),
      note(
        'minutes',
        'Urgent: quarter end on Friday. Tax code map lacks DE-7-DEPOSIT. Workaround: add the row by hand in the tenant settings.',
      ),
      expert(
        'day',
        'Hello, Mei from engineering. The missing rate is in place and 14 of 14 invoices are over. From next week on one bad invoice will not hold up the rest.',
      ),
      colleague(
        'hours',
        'Accountant of {cafe} here: I can see all of them, and the totals match to the cent. Thank you!',
      ),
      customer('hours', 'You have saved my weekend.', { status: 'resolved' }),
    ],
  },
  {
    name: 'bulk-order',
    locale: 'en',
    team: 'wholesale',
    tags: ['wholesale', 'orders'],
    priorities: ['normal', 'high'],
    subjects: ['Order for a new branch', 'Quote for 40 × {product}', 'Delivery for the opening of {cafe}'],
    times: 6,
    steps: [
      customer(
        'start',
        'Hi {agent},\n\nwe are opening a second {cafe} in {city} and need 40 × {product}, 12 × {product2} and 60 kg of the {plan} roast. Can you make us a quote, with delivery on one day, please? The opening is in four weeks.\n\nBest\n{first}',
      ),
      agent(
        'day',
        '<p>Hi {first},</p><p>congratulations on the second one! The quote is attached. In short:</p><ol><li>all of it on one pallet, delivered in the week before the opening,</li><li>12&nbsp;% off for the quantity,</li><li>payable within 30 days.</li></ol><p>It is valid for two weeks.</p><p>{agent}</p>',
        {
          as: 'html',
          files: ['quote.pdf'],
          status: 'pending',
        },
      ),
      customer(
        'day',
        'Looks good. Could you split the coffee into two deliveries, though? We would like to have it fresh.',
        { status: 'open' },
      ),
      agent(
        'hours',
        'Of course: 30 kg with the pallet, 30 kg two weeks later, at no extra cost. New quote attached.\n\n{agent}',
        { files: ['quote-v2.pdf'], status: 'pending' },
      ),
      colleague('days', 'I am the owner of {cafe}. Signed and attached.', {
        files: ['quote-v2-signed.pdf'],
        status: 'open',
      }),
      system('minutes', 'Order {order} created from the quote.'),
      agent(
        'hours',
        'Thank you both! {order} is booked, and the delivery note with the day and the hour follows. All the best for the opening 🎉\n\n{agent}',
        { status: 'resolved' },
      ),
    ],
  },
  {
    name: 'csv-import',
    locale: 'en',
    team: 'wholesale',
    tags: ['integration', 'import'],
    priorities: ['normal'],
    subjects: ['CSV import: umlauts are broken', 'Article import fails in line 17', 'Import says "0 rows"'],
    times: 5,
    steps: [
      customer(
        'start',
        'Hello, I try to import our article list. The preview shows "KÃ¤nnchen" instead of "Kännchen" and all prices are 100 times too high (we write 4,50). File attached. What am I doing wrong?\n\n{first}, {cafe}',
        { files: ['articles.csv'] },
      ),
      agent(
        'hours',
        'Hi {first}, nothing, it is the format: spreadsheets in your country save with `;` and a comma in prices. In the import choose *Encoding: Windows-1252*, *Separator: semicolon*, *Decimals: comma*. Then the preview should be right:\n\n    Kännchen;4,50;"Becher, groß"\n\n{agent}',
        {
          as: 'markdown',
          status: 'pending',
        },
      ),
      customer(
        'hours',
        'Yes, that was it. 212 of 214 rows. The last two have a line break in the description, "Becher,\ngroß". Does that matter?',
        { status: 'open' },
      ),
      agent(
        'hours',
        'Only when the cell is not in quotes. Put "…" around the two, and they come over as well.\n\n{agent}',
      ),
      customer('minutes', '214 of 214 ✅', { status: 'resolved' }),
    ],
  },
  {
    name: 'long-outage',
    locale: 'en',
    team: 'wholesale',
    tags: ['outage', 'api'],
    priorities: ['urgent'],
    subjects: ['Ordering portal is down', 'Portal shows error 502', 'Cannot place orders since this morning'],
    times: 4,
    steps: [
      customer(
        'start',
        'The portal shows "502 Bad Gateway" and we need to order milk and coffee for the weekend before noon. Is there another way?\n\n{name}, {cafe}',
      ),
      agent(
        'minutes',
        'Hi {first},\n\nwe know, and half the team is on it. Send me your order as an answer to this mail, and I enter it by hand. It will be on the van.\n\n{agent}',
        { status: 'pending' },
      ),
      customer('minutes', '- 20 kg house roast\n- 48 × oat milk\n- 6 × {product}\n\nThank you!', {
        status: 'open',
      }),
      note('minutes', 'Entered by hand as {order}. Incident: a certificate expired on the load balancer.'),
      agent('minutes', 'Entered as {order}, on the van tomorrow at six.\n\n{agent}'),
      colleague(
        'hours',
        'Hi, kitchen of {cafe} here. Could you add 10 kg of sugar to that? Sorry for the extra work.',
      ),
      agent('minutes', 'Added. No trouble at all.\n\n{agent}'),
      system('hours', 'Incident resolved: the ordering portal is available again. Duration: 3 h 12 min.'),
      agent(
        'minutes',
        'The portal works again. You will find {order} there; please have a look whether it is all right.\n\n{agent}',
      ),
      customer(
        'hours',
        'All there. Could we have a word about how we hear of such things earlier next time?',
      ),
      agent(
        'day',
        'Fair. There is a status page now, https://status.example.com, which sends mails if you wish, and I have put {cafe} on the list of those we call.\n\n{agent}',
      ),
      customer('hours', 'Very good. Case closed for us.', { status: 'resolved' }),
    ],
  },
];
