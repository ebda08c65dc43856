/** Accounts, logins and privacy, in English. */
import { agent, customer, expert, note, type Thread } from './thread.ts';

export const accountThreads: readonly Thread[] = [
  {
    name: 'reset-mail',
    locale: 'en',
    team: 'app',
    tags: ['login', 'app'],
    priorities: ['normal', 'high'],
    subjects: ['Password reset mail never arrives', 'Locked out of my account'],
    times: 8,
    steps: [
      customer('start', [
        'Hi, I forgot my password and asked for a reset mail four times. Nothing comes, also not in the spam folder. My address is the one I am writing from.\n\n{first}',
        'I am locked out of Tide: "too many attempts, try again later". Later was yesterday.\n{name}',
      ]),
      agent(
        'minutes',
        [
          'Hi {first},\n\nyour provider refuses our mails for a moment after several in a row. I have asked for one more; it should arrive within ten minutes. The link in the older ones does not work any more, so please use the newest.\n\n{agent}',
          'Hello {first},\n\nI have lifted the lock. Before you try again: caps lock off, and if you used "Sign in with …" on your phone, there is no password at all. Then use the same button on the computer.\n\n{agent}',
        ],
        { status: 'pending' },
      ),
      customer('minutes', ['That worked. Thanks!', 'Aaah, it was the button. I am in 🙈'], {
        status: 'resolved',
      }),
    ],
  },
  {
    name: 'two-factor',
    locale: 'en',
    team: 'app',
    tags: ['login', 'security'],
    priorities: ['high'],
    subjects: ['New phone, no codes', '2FA codes do not work any more', 'Lost my authenticator'],
    times: 5,
    steps: [
      customer(
        'start',
        'Hello,\n\nI have a new phone and the authenticator app came over empty. I cannot log in to Tide now, and the recovery codes are… well, on the old phone. What can I do?\n\n{name}',
      ),
      agent(
        'hours',
        'Hi {first},\n\nI can switch the second factor off after making sure that it is you. Please answer from this address:\n\n1. In which month did you open the account, roughly?\n2. Which city is in the delivery address of your last order?\n\nPlease do **not** send a password or a copy of your passport.\n\n{agent}',
        {
          as: 'markdown',
          status: 'pending',
        },
      ),
      customer('hours', '1. Must have been in autumn two years ago. 2. {city}', { status: 'open' }),
      note(
        'minutes',
        'Both answers are right, and the request came from the usual network. Second factor switched off, all sessions ended.',
      ),
      agent(
        'minutes',
        'Thank you, {first}. You can log in with your password now, and Tide will ask you to set up the second factor again. This time please print the recovery codes 🙂\n\n{agent}',
        {
          status: 'resolved',
        },
      ),
      customer('hours', 'Printed, and in the drawer with the passports. Thank you!'),
    ],
  },
  {
    name: 'delete-account',
    locale: 'en',
    team: 'app',
    tags: ['privacy', 'account'],
    priorities: ['normal'],
    subjects: ['Delete my account', 'Request under GDPR Art. 15'],
    times: 5,
    steps: [
      customer('start', [
        'Please delete my account and all data that you have about me, and confirm it.\n\n{name}',
        'Under article 15 GDPR I ask for a copy of all personal data that you store about me, where it came from and who got it. You have one month.\n\n{name}, {city}',
      ]),
      note('hours', 'Privacy request, clock runs from today. Hand over to Priya. Open orders: none.'),
      expert(
        'day',
        'Hello {first},\n\nthank you for your request, I take care of it. So that nobody else can do this in your name, please confirm it with the button in the e-mail that you have just got from us.\n\nPriya\nPrivacy team',
        { status: 'pending' },
      ),
      customer('day', 'Confirmed.', { status: 'open' }),
      expert(
        'days',
        [
          'Done. Invoices must be kept for ten years by law; they are locked and used for nothing else. The attached document lists what was there and what happened to it.\n\nPriya',
          'Attached is all of it: profile, orders, messages and brew log, with where each came from. Nobody outside got any of it except the carrier and the payment provider.\n\nPriya',
        ],
        {
          files: ['privacy-report.pdf'],
          status: 'resolved',
        },
      ),
    ],
  },
  {
    name: 'reopened-email-change',
    locale: 'en',
    team: 'app',
    tags: ['account', 'login'],
    priorities: ['normal'],
    subjects: ['Change my e-mail address', 'E-mail already in use'],
    times: 6,
    steps: [
      customer('start', [
        'Hi, I got married and have a new e-mail address. How do I change it without losing my brew log?\n\n{first}',
        'The app says "e-mail already in use" when I want to change to my work address. But I have no account there!',
      ]),
      agent(
        'hours',
        'Hi {first},\n\nplease open this link while you are logged in with the old address: https://account.example.com/change-email. The new address gets a mail with a code, and that is all.\n\n{agent}',
        { status: 'resolved' },
      ),
      customer(
        'week',
        'Sorry, me again. The code mail came, but the page says that the code has expired. I typed it in within a minute.',
        { status: 'open' },
      ),
      note('hours', 'Clock of server 3 was seven minutes ahead, fixed this morning. Apologise.'),
      agent(
        'minutes',
        'Hi {first}, that was our fault and is mended now. I have changed the address for you; just log in with the new one.\n\n{agent}',
        { status: 'resolved' },
      ),
      customer('hours', 'All good now. Thanks for your patience with me.'),
    ],
  },
];
