/** Subscriptions, invoices and payments, in English. */
import { agent, customer, note, system, type Thread } from './thread.ts';

export const billingThreads: readonly Thread[] = [
  {
    name: 'charged-twice',
    locale: 'en',
    team: 'shop',
    tags: ['billing', 'subscription'],
    priorities: ['high', 'urgent'],
    subjects: [
      'Charged twice this month',
      'Double payment for invoice {invoice}',
      'Why did you take {amount} two times?',
    ],
    times: 7,
    steps: [
      customer(
        'start',
        [
          'Hi,\n\nmy card statement shows two payments of {amount} to you on the same day. I have only one {plan} subscription. Please pay one of them back.\n\n{name}',
          'You have charged me TWICE for {invoice}. This is the second time this year. I am close to cancelling.\n\n{first}',
        ],
        { files: ['statement.png'] },
      ),
      agent(
        'hours',
        'Hi {first},\n\nI see two payments for {invoice}: the first was reported to us as failed, so our system tried again, and then both went through. I have refunded the second one just now ({amount}, 3 to 5 days).\n\nI have also passed this on to our developers, for it should not happen at all.\n\n{agent}',
        {
          status: 'pending',
        },
      ),
      note(
        'minutes',
        'Same pattern as last week: payment provider answers with a time-out, we retry without the idempotency key. Linked to the bug.',
      ),
      customer(
        'days',
        [
          'Refund is there. Thanks for the honest explanation.',
          'OK, I see the money. I hope that it was the last time.',
        ],
        {
          status: 'resolved',
        },
      ),
    ],
  },
  {
    name: 'pause-subscription',
    locale: 'en',
    team: 'shop',
    tags: ['subscription'],
    priorities: ['low', 'normal'],
    subjects: ['Pause my coffee subscription', 'On holiday in July: skip a delivery?', 'Too much coffee :)'],
    times: 6,
    steps: [
      customer('start', [
        'Hello, we are away for six weeks. Can I pause the {plan} subscription for that time without losing the price?\n\n{first}',
        'Hi! We cannot keep up with the coffee, there are four bags on the shelf. Is it possible to get it every four weeks instead of every two?',
      ]),
      agent(
        'hours',
        [
          'Hi {first},\n\nyou can: *Account → Subscription → Pause*. The price stays. I have done it for you from Monday on, for six weeks; it then goes on by itself.\n\nHave a good time!\n{agent}',
          'Hi {first}, changed: the next {plan} box comes in four weeks, and then every four weeks. You can switch back in your account whenever the shelf is empty.\n\n{agent}',
        ],
        { as: 'markdown', status: 'resolved' },
      ),
      customer('hours', 'Lovely, thank you.'),
    ],
  },
  {
    name: 'cancel-subscription',
    locale: 'en',
    team: 'shop',
    tags: ['subscription', 'churn'],
    priorities: ['normal'],
    subjects: [
      'Cancel subscription',
      'I want to cancel my {plan} plan',
      'How do I unsubscribe from the coffee box?',
    ],
    times: 6,
    steps: [
      customer('start', [
        'Please cancel my {plan} subscription. No hard feelings, I am drinking tea now.\n{name}',
        'I have been looking for the cancel button for ten minutes. Where is it? Please just cancel it.',
      ]),
      agent(
        'hours',
        'Hi {first},\n\nyour {plan} subscription ends today; nothing more will be sent or charged. Invoice {invoice} was the last one.\n\nMay I ask what we could have done better? One sentence helps us a lot.\n\n{agent}',
        {
          status: 'resolved',
        },
      ),
      customer(
        'day',
        [
          'Nothing really, the coffee was great. It is just too expensive for me at the moment.',
          'Honestly: the roast changed in spring and nobody said so. I liked the old one better.',
        ],
        { status: 'open' },
      ),
      note('hours', 'Reason for leaving added to the list. Second one who names the new roast.'),
      agent('minutes', 'Thank you for telling us, {first}. The door stays open.\n\n{agent}', {
        status: 'resolved',
      }),
    ],
  },
  {
    name: 'vat-invoice',
    locale: 'en',
    team: 'wholesale',
    tags: ['billing', 'invoice'],
    priorities: ['normal', 'low'],
    subjects: [
      'VAT number on invoice {invoice}',
      'Wrong company name on the invoice',
      'Invoice {invoice} for our bookkeeping',
    ],
    times: 6,
    steps: [
      customer(
        'start',
        'Dear Sir or Madam,\n\ninvoice {invoice} has my private name on it. Our accountant needs it in the name of {cafe}, with our VAT number (you have it in our account). Could you issue it again?\n\nKind regards\n{name}\n{cafe}, {city}',
      ),
      agent(
        'day',
        '<p>Dear {first},</p><p>here is the corrected invoice. For the record:</p><table><tr><th>Number</th><th>Name</th><th>Amount</th></tr><tr><td>{invoice}</td><td>cancelled</td><td>-{amount}</td></tr><tr><td>{invoice}-C</td><td>{cafe}</td><td>{amount}</td></tr></table><p>From now on all invoices go out in the name of {cafe}.</p><p>Best regards,<br>{agent}</p>',
        {
          as: 'html',
          files: ['invoice-corrected.pdf', 'credit-note.pdf'],
          status: 'resolved',
        },
      ),
      customer('day', 'Received, thank you.'),
    ],
  },
  {
    name: 'payment-failed',
    locale: 'en',
    team: 'shop',
    tags: ['billing', 'payment'],
    priorities: ['normal', 'high'],
    subjects: ['Payment failed?', 'My card is declined', 'Action required: invoice {invoice}'],
    times: 6,
    steps: [
      system(
        'start',
        'Payment of invoice {invoice} ({amount}) was declined by the bank. The customer has been informed. Next attempt in three days.',
      ),
      customer('hours', [
        'I got a mail that my card was declined, but there is plenty of money on it. Is this mail really from you? The link looks strange to me.\n\n{first}',
        'Hi, my bank sent me a new card last week. Where do I enter it? The page only shows the old one.',
      ]),
      agent(
        'hours',
        [
          'Hi {first},\n\ngood that you ask. Yes, the mail is from us; you can also ignore the link and go to Account → Payment yourself. Some banks want you to confirm the first payment of a new subscription in their app, and that had not happened.\n\n{agent}',
          'Hello {first},\n\nunder Account → Payment there is a small pencil beside the old card. I admit that it is easy to overlook.\n\n{agent}',
        ],
        { status: 'pending' },
      ),
      customer('day', ['Confirmed it in the app and it went through.', 'Found the pencil ✏️ Done.'], {
        status: 'open',
      }),
      system('minutes', 'Invoice {invoice} was paid.', { status: 'resolved' }),
    ],
  },
  {
    name: 'price-change',
    locale: 'en',
    team: 'shop',
    tags: ['billing', 'feedback'],
    priorities: ['low'],
    subjects: ['Price increase', 'New price for the {plan} box', '{amount} for the same coffee?'],
    times: 5,
    steps: [
      customer('start', [
        'Hello,\n\nI read that the {plan} box will cost {amount} from next month. That is quite a jump. Is there any way to keep the old price?\n\n{first}',
        "So the price goes up again. I understand that green coffee got expensive, but a bit more than three days' notice would have been fair.",
      ]),
      agent(
        'day',
        'Hi {first},\n\nthat is a fair point, and I have passed it on as you wrote it. What I can do: if you take the yearly plan before the change, the old price stays for twelve months, and you can leave it at any time.\n\n{agent}',
        {
          status: 'pending',
        },
      ),
      customer('days', ['OK, let us do that.', 'Thanks, but I will think about it.'], { status: 'open' }),
      agent('hours', 'Noted on your account, {first}. You will find a summary in your inbox.\n\n{agent}', {
        status: 'resolved',
      }),
    ],
  },
  {
    name: 'phishing',
    locale: 'en',
    team: 'app',
    tags: ['security'],
    priorities: ['urgent', 'high'],
    subjects: ['Is this mail from you?', 'Suspicious e-mail in your name', 'Someone asks for my password'],
    times: 4,
    steps: [
      customer(
        'start',
        'I got an e-mail that says "your Tide account will be deleted, log in here". The address is support@juniper-tide.example.net, which does not look like yours. I have NOT clicked on anything. Screenshot attached.\n\n{name}',
        {
          files: ['mail-screenshot.png'],
        },
      ),
      note(
        'minutes',
        'Phishing. Forwarded to security and reported to the hoster. Same template as the one from {date}.',
        { status: 'pending' },
      ),
      agent(
        'minutes',
        'Hi {first},\n\nyou did everything right: this mail is not from us, and you should delete it. We never ask for passwords.\n\nWe have reported the site, and it is being taken down. If you had clicked, a new password and signing out all devices (Account → Security) would be enough.\n\nThank you for warning us; we are telling the other customers now.\n\n{agent}',
        {
          status: 'resolved',
        },
      ),
    ],
  },
];
