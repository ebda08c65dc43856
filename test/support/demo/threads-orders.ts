/** Orders and deliveries, in English. */
import { agent, customer, note, type Thread } from './thread.ts';

export const orderThreads: readonly Thread[] = [
  {
    name: 'late-parcel',
    locale: 'en',
    team: 'shop',
    tags: ['shipping', 'carrier'],
    priorities: ['normal', 'normal', 'high'],
    subjects: [
      'Order {order} still not here',
      'Where is my {product}?',
      'Tracking has not moved since {date}',
    ],
    times: 8,
    steps: [
      customer('start', [
        'Hi,\n\nI ordered a {product} on {date} (order {order}) and the tracking page has said "in transit" for a week now. Could you find out where it is? It is a birthday present, so I am getting a little nervous.\n\nThanks,\n{first}',
        'Hello, order {order} was supposed to arrive four days ago. The tracking number {tracking} shows no movement at all. Is it lost?\n\n{first}, {city}',
      ]),
      agent(
        'hours',
        [
          'Hi {first},\n\nI am sorry about the wait. I have asked the carrier where parcel {tracking} is; they usually answer within one working day. I will write to you as soon as I know more, whatever they say.\n\nBest wishes,\n{agent}\nJuniper & Tide',
          'Hello {first},\n\nthank you for telling us. The last scan of {tracking} was in the depot near {city}, which is odd. I have opened a search with the carrier and will get back to you tomorrow at the latest.\n\nKind regards,\n{agent}',
        ],
        { status: 'pending' },
      ),
      note(
        'minutes',
        'Carrier search opened for {tracking}. Third one from that depot this month. If nothing by tomorrow noon, send a new {product} by express and do not wait for the claim.',
      ),
      agent('day', [
        'Good news, {first}: the parcel had been put on the wrong lorry and is on its way again. It should be with you in two days.\n\nI have refunded the shipping costs; you will see {amount} on your account within the week.\n\n{agent}',
        '{first}, the carrier found your parcel: the label was damaged. They have printed a new one, and delivery in {city} is planned for the day after tomorrow. The shipping costs are on us.\n\n{agent}',
      ]),
      customer(
        'days',
        [
          'It came this morning, box a bit dented but the {product} is fine. Thanks for staying on it, {agent}! ☕',
          'Arrived. Thank you for the quick help, and for the refund of the shipping.',
        ],
        { status: 'resolved' },
      ),
    ],
  },
  {
    name: 'wrong-item',
    locale: 'en',
    team: 'shop',
    tags: ['shipping', 'warehouse'],
    priorities: ['normal'],
    subjects: [
      'Got the wrong item',
      'This is not what I ordered ({order})',
      'Received {product2} instead of {product}',
    ],
    times: 6,
    steps: [
      customer('start', [
        'Hi! I ordered a {product} and got a {product2} instead. The packing slip says {product}, so somebody must have mixed up two boxes. Order number is {order}.\n\n{first}',
        'Dear team,\nin the parcel for order {order} there was a {product2}. It is nice, but I wanted the {product}.\nRegards\n{name}',
      ]),
      agent(
        'hours',
        'Hi {first},\n\nthat is our mistake, sorry! A {product} leaves the warehouse today. For the {product2} I have attached a return label: put it back into its box and drop it off within 30 days.\n\n{agent}',
        { files: ['return-label.pdf'], status: 'pending' },
      ),
      customer(
        'days',
        'The right one came today. I dropped the other one off at the post office this morning, receipt attached just in case.',
        {
          files: ['receipt.jpg'],
          status: 'open',
        },
      ),
      agent(
        'hours',
        'Perfect, thank you for the trouble. I have put a 10 % voucher on your account for the next order.\n\n{agent}',
        {
          status: 'resolved',
        },
      ),
    ],
  },
  {
    name: 'cancel-order',
    locale: 'en',
    team: 'shop',
    tags: ['orders'],
    priorities: ['high', 'normal'],
    subjects: ['Please cancel order {order}', 'Ordered twice by accident'],
    times: 6,
    steps: [
      customer('start', [
        'Hi, I just placed order {order} and noticed that it goes to my old address. Can you cancel it or change the address? I have only had the confirmation for ten minutes.\n{first}',
        'I clicked the button twice and now have two orders for a {product}. Please cancel {order} and keep the other one!!',
      ]),
      agent(
        'minutes',
        [
          'Hi {first}, caught it in time: {order} is cancelled and {amount} goes back to your card. Depending on your bank that takes 3 to 5 days.\n\n{agent}',
          'Hello {first},\n\n{order} was still in the queue, so I could stop it. Nothing will be charged.\n\n{agent}',
        ],
        { status: 'resolved' },
      ),
      customer('minutes', ['Wow, that was fast. Thank you!', 'Great, thanks a lot 🙏'], {
        status: 'resolved',
      }),
    ],
  },
  {
    name: 'customs',
    locale: 'en',
    team: 'shop',
    tags: ['shipping', 'customs'],
    priorities: ['normal', 'high'],
    subjects: [
      'Customs wants an invoice',
      'Import duty on order {order}?',
      'Parcel held by customs in {city}',
    ],
    times: 5,
    steps: [
      customer(
        'start',
        'Good morning,\n\ncustoms in {city} holds my parcel ({tracking}) and asks for a "commercial invoice with HS codes". I only have the order confirmation. Can you send me that document? They give me five days.\n\nRegards,\n{name}',
        {
          files: ['customs-letter.pdf'],
        },
      ),
      agent(
        'hours',
        'Good morning {first},\n\nthe invoice with the HS codes is attached. The code for the {product} is 8419.81. Please forward it as it is; the reference in the upper right corner is what they look for.\n\nAny duty is already included in what you paid: if they ask for more, do not pay it but tell us.\n\n{agent}',
        {
          files: ['commercial-invoice.pdf'],
          status: 'pending',
        },
      ),
      customer('days', 'They accepted it and released the parcel. No extra costs. 👍', {
        status: 'resolved',
      }),
    ],
  },
  {
    name: 'stock',
    locale: 'en',
    team: 'shop',
    tags: ['presales'],
    priorities: ['low'],
    subjects: ['When will the {product} be back?', 'Question before I order'],
    times: 6,
    products: ['Drift kettle', 'Anchor moka pot'],
    steps: [
      customer('start', [
        'Hello! The {product} has been out of stock for ages. Do you know when it comes back, and can you keep one for me?\n{first}',
        'Two questions before I order the {product}: does it work on induction, and do you ship to {city}? Thank you.',
      ]),
      agent(
        'hours',
        [
          'Hi {first},\n\nthe next delivery from the factory is due in about three weeks. I have put you on the list: you get an e-mail a day before it goes online for everybody.\n\n{agent}',
          'Hi {first}, yes and yes: it works on induction, and {city} is in our delivery area (2 to 3 days, free from 50).\n\n{agent}',
        ],
        { status: 'resolved' },
      ),
    ],
  },
  {
    name: 'gift-card',
    locale: 'en',
    team: 'shop',
    tags: ['orders', 'gift card'],
    priorities: ['normal'],
    subjects: ['Gift card: code rejected at checkout', 'Gift card never arrived'],
    times: 5,
    steps: [
      customer('start', [
        'I got a gift card for Christmas and the checkout says "code unknown". I tried it with and without the dashes. The card says {amount}.\n\n{first}',
        'Hi, the gift card I bought for my sister never arrived in her mailbox. Order {order}. Her birthday is on Saturday!',
      ]),
      agent(
        'hours',
        [
          'Hi {first}, could you send me a photo of the card with only the last four characters of the code visible? I can see then what is wrong with it.\n\n{agent}',
          'Hi {first},\n\nthe e-mail bounced because of a typing error in the address (exmaple.com). I have sent it again to the right one. Your sister should have it by now 🎁\n\n{agent}',
        ],
        {
          status: 'pending',
        },
      ),
      customer('hours', ['Here you are.', 'She has it, thank you!'], { files: ['card.jpg'], status: 'open' }),
      agent('hours', 'All good now, {first}: please try once more, and have fun with it.\n\n{agent}', {
        status: 'resolved',
      }),
    ],
  },
];
