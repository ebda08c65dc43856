/** What customers and agents write, in several languages: enough of it that no two messages of an export are alike. */
import type { Chance } from './random.ts';

export const LANGUAGES = ['en', 'de', 'es', 'fr', 'pt'] as const;
export type Language = (typeof LANGUAGES)[number];

interface Phrases {
  readonly subjects: readonly string[];
  readonly greeting: readonly string[];
  readonly customer: readonly string[];
  readonly agent: readonly string[];
  readonly note: readonly string[];
  readonly closing: readonly string[];
}

const PHRASES: Readonly<Record<Language, Phrases>> = {
  en: {
    subjects: [
      'Order # has not arrived',
      'Refund for invoice #',
      'Cannot log in since update #',
      'Wrong size in parcel #',
      'Question about plan #',
      'App crashes on screen #',
    ],
    greeting: ['Hello', 'Hi', 'Good morning'],
    customer: [
      'my order # has still not arrived and nobody answers the phone.',
      'I was charged twice for invoice #, please refund one of the two.',
      'since this morning the login shows error # and I am locked out.',
      'the parcel # holds the wrong size, what shall I do?',
      'is there any news about case #?\nI am waiting for two weeks now.',
    ],
    agent: [
      'thank you for writing. We have looked into # and found the cause.',
      'your refund for # was issued today and takes three days.',
      'could you send us a picture of parcel #, please?',
      'the fix for # is rolled out, please try again.',
      'we are sorry for the trouble with #.',
    ],
    note: [
      'Checked with the warehouse, # was lost on the way; do not tell the customer yet.',
      'This one is a repeat offender, see #.',
      'Billing confirmed # internally, goodwill credit is fine.',
    ],
    closing: ['Best regards', 'Thanks', 'Kind regards'],
  },
  de: {
    subjects: [
      'Bestellung # nicht angekommen',
      'Erstattung der Rechnung #',
      'Anmeldung geht nicht seit #',
      'Falsche Größe im Paket #',
      'Frage zum Tarif #',
    ],
    greeting: ['Guten Tag', 'Hallo', 'Sehr geehrte Damen und Herren'],
    customer: [
      'meine Bestellung # ist immer noch nicht da und niemand geht ans Telefon.',
      'mir wurde die Rechnung # doppelt abgebucht, bitte erstatten.',
      'seit heute früh zeigt die Anmeldung den Fehler #.',
      'im Paket # war die falsche Größe; was soll ich tun?',
    ],
    agent: [
      'vielen Dank für Ihre Nachricht. Wir haben # geprüft und die Ursache gefunden.',
      'die Erstattung für # ist heute veranlasst worden.',
      'könnten Sie uns ein Bild von # schicken?',
      'wir bitten die Umstände mit # zu entschuldigen.',
    ],
    note: [
      'Mit dem Lager geklärt: # ist verloren gegangen, noch nichts sagen.',
      'Buchhaltung hat # intern bestätigt, Kulanz ist in Ordnung.',
    ],
    closing: ['Mit freundlichen Grüßen', 'Viele Grüße'],
  },
  es: {
    subjects: [
      'El pedido # no ha llegado',
      'Reembolso de la factura #',
      'No puedo entrar desde #',
      'Talla equivocada en el paquete #',
    ],
    greeting: ['Hola', 'Buenos días'],
    customer: [
      'mi pedido # todavía no ha llegado y nadie contesta.',
      'me cobraron dos veces la factura #, por favor devuélvanme una.',
      'desde esta mañana me sale el error # al entrar.',
      '¿hay noticias sobre el caso #?',
    ],
    agent: [
      'gracias por escribir. Hemos revisado # y encontramos la causa.',
      'el reembolso de # se hizo hoy y tarda tres días.',
      '¿podría enviarnos una foto de #?',
    ],
    note: [
      'Hablado con almacén: # se perdió, no decir nada aún al cliente.',
      'Facturación confirma # internamente.',
    ],
    closing: ['Saludos', 'Gracias'],
  },
  fr: {
    subjects: [
      'La commande # n’est pas arrivée',
      'Remboursement de la facture #',
      'Connexion impossible depuis #',
    ],
    greeting: ['Bonjour', 'Madame, Monsieur'],
    customer: [
      'ma commande # n’est toujours pas arrivée et personne ne répond.',
      'la facture # a été débitée deux fois, merci de rembourser.',
      'depuis ce matin la connexion affiche l’erreur #.',
    ],
    agent: [
      'merci pour votre message. Nous avons vérifié # et trouvé la cause.',
      'le remboursement de # est parti aujourd’hui.',
      'pourriez-vous nous envoyer une photo de # ?',
    ],
    note: ['Vu avec l’entrepôt : # est perdu, ne rien dire au client.', 'La compta confirme # en interne.'],
    closing: ['Cordialement', 'Merci'],
  },
  pt: {
    subjects: ['O pedido # não chegou', 'Reembolso da fatura #', 'Não consigo entrar desde #'],
    greeting: ['Olá', 'Bom dia'],
    customer: [
      'o meu pedido # ainda não chegou e ninguém atende.',
      'a fatura # foi cobrada duas vezes, por favor devolvam.',
      'desde hoje o login mostra o erro #.',
    ],
    agent: [
      'obrigado pelo contato. Verificamos # e encontramos a causa.',
      'o reembolso de # foi feito hoje.',
      'poderia nos enviar uma foto de #?',
    ],
    note: [
      'Falei com o depósito: # foi perdido, não dizer ao cliente ainda.',
      'O financeiro confirma # internamente.',
    ],
    closing: ['Atenciosamente', 'Obrigado'],
  },
};

const FIRST =
  'Ann Ben Clara David Eva Felix Greta Hugo Ines Jonas Karin Luis Maria Nils Olga Paul Quinn Rosa Stefan Tara Ulla Victor Wanda Xaver Yara Zoe João Søren Łukasz Noëlle'.split(
    ' ',
  );
const LAST =
  'Abel Brandt Costa Duarte Ebert Fontaine Garcia Hansen Ivanov Jansen Keller Lopez Meyer Nowak Oliveira Petit Quint Rossi Santos Thoma Urban Vidal Weber Yilmaz Zimmer'.split(
    ' ',
  );

export const TAGS = 'billing refund login shipping bug vip returns mobile invoice api'.split(' ');

export function personName(chance: Chance): string {
  return `${chance.one(FIRST)} ${chance.one(LAST)}`;
}

const numbered = (text: string, chance: Chance) => text.replace('#', `A-${chance.whole(10_000, 99_999)}`);

export function subject(language: Language, chance: Chance): string {
  return numbered(chance.one(PHRASES[language].subjects), chance);
}

/** `to`: who is addressed; `from`: who signs. */
export function said(
  kind: 'customer' | 'agent' | 'note',
  language: Language,
  chance: Chance,
  { to, from }: { to: string; from: string },
): string {
  const words = PHRASES[language];
  const core = numbered(chance.one(words[kind]), chance);
  if (kind === 'note') return core;
  const more = chance.happens(0.4) ? ` ${numbered(chance.one(words[kind]), chance)}` : '';
  const first =
    kind === 'agent'
      ? `${chance.one(words.greeting)} ${to.split(' ')[0]},`
      : `${chance.one(words.greeting)},`;
  return `${first}\n\n${core}${more}${chance.happens(0.6) ? `\n\n${chance.one(words.closing)}\n${from}` : ''}`;
}
