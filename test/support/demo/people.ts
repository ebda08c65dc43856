/** Who writes in the demo export. All of them are made up, and so is the company. */
import type { Locale, Team } from './thread.ts';

export interface Agent {
  readonly id: string;
  /** As they sign. */
  readonly name: string;
  readonly full: string;
  readonly team: Team;
  /** Whom they write to in their language; everybody else is answered in English. */
  readonly locales: readonly Locale[];
}

/** Mei, Priya and Tomasz are asked by the others: they sign with their names in the threads. */
export const AGENTS: readonly Agent[] = [
  { id: 'agt_01', name: 'Nora', full: 'Nora Fielding', team: 'shop', locales: ['en'] },
  { id: 'agt_02', name: 'Sam', full: 'Sam Okafor', team: 'shop', locales: ['en'] },
  { id: 'agt_03', name: 'Inês', full: 'Inês Tavares', team: 'shop', locales: ['es', 'pt', 'it'] },
  { id: 'agt_04', name: 'Jonas', full: 'Jonas Keller', team: 'shop', locales: ['de'] },
  { id: 'agt_05', name: 'Camille', full: 'Camille Roux', team: 'shop', locales: ['fr'] },
  { id: 'agt_06', name: '遥', full: '森 遥', team: 'shop', locales: ['ja'] },
  { id: 'agt_07', name: 'ليلى', full: 'ليلى حداد', team: 'shop', locales: ['ar'] },
  { id: 'agt_08', name: 'Oliver', full: 'Oliver Wren', team: 'app', locales: ['en'] },
  { id: 'agt_12', name: 'Grace', full: 'Grace Adeyemi', team: 'wholesale', locales: ['en'] },
];
export const EXPERTS: readonly Pick<Agent, 'id' | 'name' | 'full'>[] = [
  { id: 'agt_09', name: 'Mei', full: 'Mei Lindqvist' },
  { id: 'agt_10', name: 'Priya', full: 'Priya Raman' },
  { id: 'agt_11', name: 'Tomasz', full: 'Tomasz Zielny' },
];

export interface Person {
  readonly name: string;
  readonly first: string;
  readonly email: string;
  readonly locale: Locale;
  readonly city: string;
  /** Of those who order for a café. */
  readonly cafe?: string;
}

const CITIES: Readonly<Record<Locale, readonly string[]>> = {
  en: ['Bristol', 'Leeds', 'Portland', 'Galway', 'Halifax', 'Wellington', 'Aberdeen', 'Austin', 'Cardiff'],
  de: ['Leipzig', 'Würzburg', 'Köln', 'Graz', 'Lübeck', 'Zürich'],
  fr: ['Nantes', 'Liège', 'Besançon', 'Montréal', 'Orléans'],
  es: ['Málaga', 'Bogotá', 'A Coruña', 'Mérida'],
  it: ['Torino', 'Forlì', 'Lecce'],
  pt: ['Coimbra', 'São Paulo', 'Évora'],
  ja: ['札幌市', '金沢市', '横浜市', '福岡市'],
  ar: ['دبي', 'عمّان', 'الدار البيضاء', 'الإسكندرية'],
};

/** `name|local part of the address` where the name itself does not give it. */
const NAMES: Readonly<Record<Locale, readonly string[]>> = {
  en: [
    'Mira Holt',
    'Callum Reeves',
    'Tessa Whitlock',
    'Dev Patel',
    'Bridget O’Farrell|bridget.ofarrell',
    'Marcus Odell',
    'Hannah Pryce',
    'Ellis Granger',
    'Joan Bexley',
    'Theo Lindqvist',
    'Ruth Adeyemi',
    'Gareth Nolan',
    'Ivy Sutcliffe',
    'Anil Deshmukh',
    'Poppy Marsden',
    'Felix Harrow',
    'Dana Kowalski',
    'Rory MacLean|rory.maclean',
    'Sadie Trent',
    'Winston Ames',
    'Leah Goldfarb',
    'Omar Haddad',
    'Petra Novak',
    'Josh Tillman-Reid',
    'Cleo Barrington',
    'Hugh Satterly',
    'Nadia Rahman',
    'Aidan Fitzroy',
    'Greta Solheim',
    'Lorna Peebles',
    'Kofi Mensah',
    'Beth Carraway',
    'Simon Achterberg',
    'Yasmin Tariq',
    'Paul Dunmore',
    'Alice Venn',
    'Ravi Chandran',
    'Maggie Stokes',
    'Ewan Birkett',
    'Chloe Ferris',
    'Noah Lightfoot',
    'Imogen Shaw',
    'Victor Abara',
    'Rose Tamblyn',
    'Ian Culver',
    'Zoë Hartnell|zoe.hartnell',
    'Desmond Quill',
    'Fern Abbott',
    'Luca Moretti-Jones|luca.moretti',
    'Priscilla Young',
    'Arthur Pell',
    'June Okafor',
  ],
  de: [
    'Jürgen Müller|juergen.mueller',
    'Sabine Weiß|sabine.weiss',
    'Katrin Schröder|katrin.schroeder',
    'Lukas Huber',
    'Annegret Bäcker|annegret.baecker',
    'Tobias Krüger|tobias.krueger',
    'Miriam Vogt',
    'Heinz-Peter Lange',
    'Franziska Jäger|franziska.jaeger',
    'Moritz Böhm|moritz.boehm',
    'Ayşe Yılmaz|ayse.yilmaz',
    'Clara Süß|clara.suess',
    'Bernd Oswald',
    'Lena Brandstätter|lena.brandstaetter',
  ],
  fr: [
    'Élodie Marchand|elodie.marchand',
    'François Lefèvre|francois.lefevre',
    'Noémie Gauthier|noemie.gauthier',
    'Benoît Charpentier|benoit.charpentier',
    'Aïcha Benali|aicha.benali',
    'Maël Le Goff|mael.legoff',
    'Sylvie Dubreuil',
    'Rémi Castagnet|remi.castagnet',
    'Chantal Noël|chantal.noel',
  ],
  es: [
    'María José Peña|mariajose.pena',
    'Íñigo Etxeberria|inigo.etxeberria',
    'Lucía Fernández|lucia.fernandez',
    'Andrés Muñoz|andres.munoz',
    'Ximena Cárdenas|ximena.cardenas',
    'Raúl Ibáñez|raul.ibanez',
    'Sofía Beltrán|sofia.beltran',
    'Begoña Ríos|begona.rios',
  ],
  it: [
    'Niccolò Ferrari|niccolo.ferrari',
    'Giulia Bonetti',
    'Ettore De Santis|ettore.desantis',
    'Chiara Pò|chiara.po',
  ],
  pt: [
    'João Conceição|joao.conceicao',
    'Beatriz Magalhães|beatriz.magalhaes',
    'Thaís Araújo|thais.araujo',
    'Rui Simões|rui.simoes',
  ],
  ja: [
    '佐藤 美咲|misaki.sato',
    '田中 健一|kenichi.tanaka',
    '鈴木 さくら|sakura.suzuki',
    '高橋 大輔|daisuke.takahashi',
    '伊藤 由美子|yumiko.ito',
    '渡辺 翔|sho.watanabe',
    '小林 直子|naoko.kobayashi',
    '髙﨑 恵|megumi.takasaki',
  ],
  ar: [
    'فاطمة الزهراء|fatima.alzahra',
    'محمد العلي|mohammed.alali',
    'نور حدّاد|nour.haddad',
    'يوسف بن عمر|youssef.benomar',
    'سلمى القاسم|salma.alqasim',
    'خالد منصور|khalid.mansour',
  ],
};

const CAFES: readonly (readonly [cafe: string, contact: string])[] = [
  ['Blue Gull Café', 'Stella Marchetti'],
  ['The Copper Pot', 'Ben Aldous'],
  ['Café Møller', 'Signe Moller'],
  ['Third Rail Espresso', 'Jamal Whitaker'],
  ['Nook & Cranny', 'Olive Petersen'],
  ['Kaffeehaus Linde', 'Eva Lindner'],
  ['Bean There', 'Chris Okonjo'],
  ['L’Heure Bleue', 'Margaux Petit'],
  ['Harbour Light', 'Fiona Drummond'],
  ['Saltwater Coffee', 'Dylan Reyes'],
  ['The Reading Room', 'Agnes Thorpe'],
  ['Pico y Pala', 'Marta Solano'],
  ['North Dock Roasters', 'Erik Halvorsen'],
  ['Two Sisters', 'Wanda Fairfax'],
];

const DOMAINS = ['example.com', 'example.org', 'example.net'] as const;

function address(local: string, index: number): string {
  return `${local}@${DOMAINS[index % DOMAINS.length]}`;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '.');
}

/** Japanese is addressed by the family name, which comes first; everybody else by the given name. */
function person(entry: string, locale: Locale, index: number): Person {
  const [name = '', local = plain(name)] = entry.split('|');
  const first = locale === 'ja' ? (name.split(' ')[0] ?? name) : (name.split(/\s/)[0] ?? name);
  const cities = CITIES[locale];
  return { name, first, email: address(local, index), locale, city: cities[index % cities.length] ?? '' };
}

export const CUSTOMERS: readonly Person[] = (Object.keys(NAMES) as Locale[]).flatMap((locale) =>
  NAMES[locale].map((entry, index) => person(entry, locale, index)),
);

export const CAFE_CONTACTS: readonly Person[] = CAFES.map(([cafe, name], index) => ({
  ...person(name, 'en', index),
  cafe,
}));

/** The shared mailbox of a café, from which the colleagues of its contact write. */
export function colleagueOf(contact: Person): Person {
  const slug = plain((contact.cafe ?? contact.name).normalize('NFD').replace(/[\u0300-\u036f’ø]/g, ''));
  return { ...contact, name: contact.cafe ?? contact.name, email: `team.${slug}@example.net` };
}
