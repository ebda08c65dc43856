/** Conversations in German. */
import { agent, customer, note, type Thread } from './thread.ts';

export const germanThreads: readonly Thread[] = [
  {
    name: 'de-lieferung',
    locale: 'de',
    team: 'shop',
    tags: ['shipping', 'deutsch'],
    priorities: ['normal', 'high'],
    subjects: ['Bestellung {order} noch nicht da', 'Wo bleibt mein Paket?', 'Lieferverzögerung {product}'],
    times: 6,
    steps: [
      customer('start', [
        'Guten Tag,\n\nich habe am {date} ein „{product}“ bestellt (Bestellnummer {order}) und seitdem nichts mehr gehört. In der Sendungsverfolgung steht nur „Die Sendung wurde angekündigt“. Können Sie bitte nachsehen?\n\nMit freundlichen Grüßen\n{name}',
        'Hallo zusammen,\n\nlaut DHL wurde mein Paket {tracking} gestern „beim Nachbarn“ abgegeben. Leider weiß keiner der Nachbarn etwas davon. Was nun?\n\nViele Grüße aus {city}\n{first}',
      ]),
      agent(
        'hours',
        'Hallo {first},\n\ndas tut mir leid! Ich habe beim Paketdienst nachgefragt und melde mich spätestens morgen wieder bei Ihnen. Sollte das Paket verloren sein, schicken wir sofort ein neues los.\n\nHerzliche Grüße\n{agent}',
        {
          status: 'pending',
        },
      ),
      note('minutes', 'Nachforschung zu {tracking} läuft. Ersatz ist reserviert (Lager Süd).'),
      customer(
        'day',
        'Hat sich erledigt: Das Päckchen lag in der Garage hinter den Fahrrädern. Danke für die schnelle Antwort & schöne Grüße!',
        { status: 'resolved' },
      ),
    ],
  },
  {
    name: 'de-rechnung',
    locale: 'de',
    team: 'shop',
    tags: ['billing', 'deutsch'],
    priorities: ['low', 'normal'],
    subjects: [
      'Rechnung {invoice} mit Mehrwertsteuer',
      'Rechnungskorrektur',
      'Falsche Adresse auf der Rechnung',
    ],
    times: 5,
    steps: [
      customer(
        'start',
        'Sehr geehrte Damen und Herren,\n\nauf der Rechnung {invoice} über {amount} fehlt unsere USt-IdNr. Bitte senden Sie uns eine korrigierte Fassung zu, da wir sie sonst nicht verbuchen können.\n\nFreundliche Grüße\n{name}',
      ),
      agent(
        'day',
        '<p>Guten Tag {first},</p><p>die korrigierte Rechnung finden Sie im Anhang. Die alte wurde storniert – es ändert sich nur die Anschrift, <strong>nicht der Betrag</strong>.</p><p>Beste Grüße<br>{agent}</p>',
        {
          as: 'html',
          files: ['Rechnung-korrigiert.pdf'],
          status: 'resolved',
        },
      ),
      customer('day', 'Vielen Dank, passt so.'),
    ],
  },
  {
    name: 'de-geraet',
    locale: 'de',
    team: 'shop',
    tags: ['warranty', 'hardware', 'deutsch'],
    priorities: ['normal', 'high'],
    subjects: ['Mühle mahlt ungleichmäßig', '{product} undicht'],
    products: ['Anchor moka pot', 'Skerry French press', 'Lagoon carafe'],
    times: 5,
    steps: [
      customer(
        'start',
        [
          'Hallo, seit ein paar Tagen mahlt die Mühle sehr ungleichmäßig: halb Staub, halb Kiesel. Gereinigt habe ich sie. Gekauft mit Bestellung {order}. Fotos anbei.\n\nLG {first}',
          'Guten Abend! Mein(e) {product} tropft unten heraus, sobald mehr als 300 ml drin sind. Ist das ein Garantiefall?',
        ],
        { files: ['foto-1.jpg', 'foto-2.jpg'] },
      ),
      agent(
        'hours',
        'Hallo {first},\n\ndanke für die Bilder. Das sieht nach einer Dichtung bzw. einem Mahlring aus, der nicht richtig sitzt. Probieren Sie bitte:\n\n1. Gerät ausstecken,\n2. oberes Teil **gegen** den Uhrzeigersinn abnehmen,\n3. den schwarzen Ring einmal umdrehen.\n\nHilft das nicht, tauschen wir selbstverständlich.\n\nGruß\n{agent}',
        {
          as: 'markdown',
          status: 'pending',
        },
      ),
      customer(
        'days',
        [
          'Tatsächlich, der Ring war verkehrt herum. Jetzt läuft’s wieder wie am ersten Tag 😊',
          'Leider keine Besserung, bitte tauschen.',
        ],
        { status: 'open' },
      ),
      agent('hours', 'Alles klar, {first}, ist erledigt bzw. unterwegs. Einen schönen Tag noch!\n\n{agent}', {
        status: 'resolved',
      }),
    ],
  },
  {
    name: 'de-kuendigung',
    locale: 'de',
    team: 'shop',
    tags: ['subscription', 'deutsch'],
    priorities: ['normal'],
    subjects: ['Kündigung Kaffee-Abo', 'Kündigung „{plan}“', 'Bitte mein Abo beenden'],
    times: 4,
    steps: [
      customer(
        'start',
        'Hiermit kündige ich mein Abo „{plan}“ fristgerecht zum nächstmöglichen Zeitpunkt und bitte um eine schriftliche Bestätigung.\n\n{name}\n{city}',
      ),
      agent(
        'hours',
        'Hallo {first},\n\nschade, aber natürlich kein Problem: Ihr Abo ist zum heutigen Tag beendet, es wird nichts mehr abgebucht. Diese Nachricht gilt als Bestätigung.\n\nAlles Gute\n{agent}',
        { status: 'resolved' },
      ),
      customer(
        'hours',
        'Danke. Der Kaffee war übrigens super, wir ziehen nur um und haben eine Rösterei im Haus …',
      ),
    ],
  },
];
