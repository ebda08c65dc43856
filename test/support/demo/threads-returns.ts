/** Returns, refunds and warranty, in English. */
import { agent, customer, expert, note, system, type Thread } from './thread.ts';

export const returnThreads: readonly Thread[] = [
  {
    name: 'damaged',
    locale: 'en',
    team: 'shop',
    tags: ['returns', 'damage'],
    priorities: ['normal', 'high'],
    subjects: ['{product} arrived broken', 'Damaged on arrival: order {order}', 'Cracked {product}'],
    products: ['Lagoon carafe', 'Tern dripper', 'Skerry French press', 'Kelp travel mug'],
    times: 8,
    steps: [
      customer(
        'start',
        [
          'Hello,\n\nmy order {order} came today and the {product} has a crack all the way down one side. The outer box looked fine, so I think it was packed like that. Photos are attached.\n\nWhat do we do now?\n{first}',
          'Hi there, just unpacked order {order}. The {product} is chipped at the base and rattles when I shake it 😕 See pictures.\n\n{name}',
        ],
        { files: ['damage-1.jpg', 'damage-2.jpg'] },
      ),
      agent(
        'hours',
        '<p>Hi {first},</p><p>oh no, that is not how it should reach you. Thank you for the photos, they tell us all we need.</p><p>You can choose:</p><ul><li>a new {product}, sent today, or</li><li>your money back ({amount}).</li></ul><p>You need not send the broken one back. Please recycle it if you can.</p><p>Best wishes,<br>{agent}</p>',
        { as: 'html', status: 'pending' },
      ),
      customer(
        'hours',
        [
          'A new one please! Thanks for making it so easy.',
          'I would rather have the money back, please. We bought another one in town in the meantime.',
        ],
        {
          status: 'open',
        },
      ),
      note(
        'minutes',
        'Photos forwarded to packing. Batch label on the box is readable in the second picture.',
      ),
      agent(
        'hours',
        [
          'Done, {first}. You will get a confirmation by e-mail in a few minutes. Sorry once more, and enjoy your coffee.\n\n{agent}',
          'All set. If anything else comes up, just answer to this message.\n\n{agent}',
        ],
        { status: 'resolved' },
      ),
    ],
  },
  {
    name: 'return-window',
    locale: 'en',
    team: 'shop',
    tags: ['returns', 'refund'],
    priorities: ['low', 'normal'],
    subjects: ['Return after 30 days?', 'Sending back the {product}', 'Refund for order {order}'],
    times: 7,
    steps: [
      customer('start', [
        'Hello, I would like to return the {product} from order {order}. I know that the 30 days were over last week, but I was in hospital and could not go to the post office. It has never been used. Is there anything you can do?\n\n{name}',
        'Hi, how do I send something back? The {product} is a bit too big for our kitchen. Unused, still in its box. Order {order}.',
      ]),
      note(
        'hours',
        'Bought six weeks ago. A good customer, five orders in two years. I would say yes. OK with you?',
      ),
      note(
        'minutes',
        'OK with me. Please mark the refund as goodwill so that accounting does not ask. – Priya',
      ),
      agent(
        'minutes',
        'Hi {first},\n\nof course you can send it back. Here is how:\n\n1. Print the attached label (or show the code on your phone).\n2. Put the {product} back into its box, with all the small parts.\n3. Drop it off at any collection point in {city}.\n\nAs soon as it is with us we refund **{amount}** to the card you paid with.\n\n{agent}',
        { as: 'markdown', files: ['return-label.pdf'], status: 'pending' },
      ),
      customer('days', 'Thank you so much. Sent it today.', { status: 'open' }),
      system('week', 'Return for order {order} received in the warehouse. Condition: as new.'),
      agent(
        'hours',
        'Your return has arrived, {first}, and {amount} is on its way back to you. All the best!\n\n{agent}',
        {
          status: 'resolved',
        },
      ),
    ],
  },
  {
    name: 'refund-missing',
    locale: 'en',
    team: 'shop',
    tags: ['refund', 'billing'],
    priorities: ['high', 'normal'],
    subjects: ['Refund has not arrived', 'Still waiting for {amount}', 'Re: Your return for order {order}'],
    times: 6,
    steps: [
      customer('start', [
        'I sent the {product} back more than two weeks ago and got the message that it arrived. The refund of {amount} is still not on my account. Please look into it.\n\n{name}\nOrder {order}',
        'Hi, you promised me a refund of {amount} for order {order} "within five days". It has been twelve.',
      ]),
      agent(
        'hours',
        'Hi {first},\n\nI see the refund in our system; it left on {date}. Sometimes banks list it under "JT Retail" and with the date of the purchase. Could you have another look?\n\n{agent}',
        {
          status: 'pending',
        },
      ),
      customer(
        'hours',
        'I looked, there is nothing. I even called the bank. They say that the card was replaced in spring, so the old number does not exist any more…',
        {
          status: 'open',
        },
      ),
      expert(
        'day',
        'Hello {first},\n\nI work in accounting and {agent} asked me to help. The bank has returned the money to us because of the old card. I have sent it again, this time by bank transfer; please use the secure form in the e-mail that you get in a minute to tell us the account. Never send account numbers in a reply.\n\nKind regards,\nPriya',
      ),
      customer('days', 'Money is here. Thank you Priya and {agent}.', { status: 'resolved' }),
    ],
  },
  {
    name: 'missing-part',
    locale: 'en',
    team: 'shop',
    tags: ['warranty', 'parts'],
    priorities: ['low', 'normal'],
    subjects: ['No gasket with my {product}', 'Spare part for {product}'],
    products: ['Anchor moka pot', 'Skerry French press', 'Drift kettle'],
    times: 6,
    steps: [
      customer('start', [
        'Hi, the manual of the {product} shows a rubber gasket (part 7), but there was none in the box. Without it, it leaks. Order {order}. Could you send me one?\n\nCheers {first}',
        'Where can I buy a new handle for the {product}? Mine broke after a fall (my fault). I would hate to throw the whole thing away because of one part.',
      ]),
      agent(
        'hours',
        [
          'Hi {first}, we have that part on the shelf. It is in a padded envelope to {city} already, free of charge. Three to four days by post.\n\n{agent}',
          'Hello {first},\n\ngood that you ask instead of throwing it away! Spare parts for the {product} are here: https://parts.example.com/{slug}\nTell me which colour you have and I send it to you for nothing.\n\n{agent}',
        ],
        { status: 'pending' },
      ),
      customer('days', ['Got it, fits perfectly, no more leaks.', 'The black one. Thanks!!'], {
        status: 'resolved',
      }),
    ],
  },
  {
    name: 'loud-grinder',
    locale: 'en',
    team: 'shop',
    tags: ['warranty', 'hardware'],
    priorities: ['normal', 'high'],
    subjects: [
      'Grinder makes a screeching noise',
      'Burning smell from my grinder',
      'Warranty claim, order {order}',
    ],
    times: 6,
    steps: [
      customer(
        'start',
        'Hi,\n\nour electric grinder (bought with order {order} last year) screeches like a train since yesterday, and today there was a burning smell, so I pulled the plug. We use it twice a day, nothing special. I have uploaded a video of it.\n\nIs that covered by the warranty?\n\n{name}',
        {
          files: ['grinder-noise.mp4'],
        },
      ),
      note(
        'minutes',
        'SAFETY: burning smell. Please handle today and add to the list for the quality meeting. Serial number needed.',
      ),
      agent(
        'minutes',
        'Hi {first},\n\npulling the plug was exactly right; please leave it unplugged.\n\nIt is covered, no discussion. So that we can find the cause, could you tell me the **serial number**? It stands below the bean container:\n\n> JT-GR-`xxxxx`\n\nA new grinder goes out to you today in any case.\n\n{agent}',
        {
          as: 'markdown',
          status: 'pending',
        },
      ),
      customer('hours', 'JT-GR-{serial}. Thanks for taking this seriously.', { status: 'open' }),
      expert(
        'day',
        'Hello {first}, Tomasz from the workshop here. I looked up the serial number: in that batch a bearing was mounted dry. It is no danger, but it gets hot and noisy. May I send somebody to pick yours up? I would like to look at it myself.',
      ),
      customer('hours', 'Sure, any afternoon after four.'),
      agent(
        'hours',
        'The courier comes on Thursday between four and six, {first}. Please keep the accessories. And thank you for your help with this one.\n\n{agent}',
        {
          status: 'resolved',
        },
      ),
      customer('week', 'Just to let you know: the new one is quiet as a mouse. Picked up as promised, too.'),
    ],
  },
];
