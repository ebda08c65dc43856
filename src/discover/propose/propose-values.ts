/** Value maps from the values that stand in a column: what the words are known for, and a question for each other one. */
import {
  type ActorType,
  TICKET_PRIORITIES,
  TICKET_STATUSES,
  type TicketPriority,
  type TicketStatus,
} from '../../domain/payload.ts';
import { wordsOf } from '../concept-words.ts';
import type { ScopeColumn } from './concepts.ts';
import { type ProposalNotes, type SettingPath, TODO } from './proposal.ts';

interface ProposedMap {
  readonly values: Record<string, string | null>;
  /** There are too many other values for a question each. */
  readonly unlisted?: { value: string };
  /** Values that say that the row is no ticket: deleted, spam. */
  readonly notTickets: readonly string[];
}

/** Beyond so many values that only a person knows, one line decides for all of them. */
const MOST_QUESTIONS = 10;

const CHOICES = {
  status: TICKET_STATUSES.map((value) => ({ value, label: value })),
  priority: [...TICKET_PRIORITIES].reverse().map((value) => ({ value, label: value })),
  role: [
    { value: 'customer', label: 'a customer' },
    { value: 'agent', label: 'an agent of the team' },
    { value: 'system', label: 'a program' },
  ],
} as const;

type MapKind = keyof typeof CHOICES;

/** Where in the mapping the values of the map stand, and what becomes of others. */
interface MapPlace {
  readonly values: SettingPath;
  readonly unlisted: SettingPath;
}

/** The place of a map with a name. */
export function namedMap(name: string): MapPlace {
  return { values: ['maps', name, 'values'], unlisted: ['maps', name, 'unlisted', 'value'] };
}

/** Questions about words that are not known are noted at the map's place. */
export function proposeMap(
  kind: MapKind,
  columns: readonly ScopeColumn[],
  place: MapPlace,
  notes: ProposalNotes,
): ProposedMap {
  const counts = new Map<string, number>();
  for (const { profile } of columns)
    for (const { value, count } of profile.values ?? []) counts.set(value, (counts.get(value) ?? 0) + count);
  const open = kind === 'role' ? otherThanCustomers([...counts.keys()]) : undefined;
  const found = [...counts].map(([value, count]) => ({
    value,
    count,
    means: value === open ? undefined : meaning(kind, value),
  }));
  const unknown = found.filter(({ means }) => means === undefined);
  const many = unknown.length > MOST_QUESTIONS;
  const values: Record<string, string | null> = Object.create(null);
  const notTickets: string[] = [];
  for (const { value, means } of found) {
    if (means === 'not a ticket') notTickets.push(value);
    else if (means !== undefined) values[value] = means;
    else if (!many) values[value] = TODO;
  }
  const choices = CHOICES[kind];
  if (!many)
    for (const { value, count } of unknown)
      notes.decide({
        path: [...place.values, value],
        question: `What does the ${WORDS[kind]} "${shown(value)}" mean (${count} of the rows looked at)?`,
        comment: `${choices.map((choice) => choice.value).join(', ')}${kind === 'role' ? '' : ', or null for none'}`,
        choices: likeliestFirst(
          [...choices, ...(kind === 'role' ? [] : [{ value: null, label: `no ${WORDS[kind]}` }])],
          value === open ? 'agent' : likely(kind, value),
        ),
        kind: 'choice',
      });
  if (columns.some(({ profile }) => profile.values === undefined))
    notes.comment(
      place.values,
      'There are too many different values to list them all; a dry run lists those that are missing.',
    );
  const map = { values, notTickets };
  if (!many) return map;
  notes.decide({
    path: place.unlisted,
    question: `${unknown.length} values of the ${WORDS[kind]} are not known. What should they become?`,
    comment: `Not known: ${unknown
      .slice(0, 30)
      .map(({ value }) => shown(value))
      .join(', ')}. List them under values, or say here what all of them become.`,
    choices: [...choices],
    kind: 'choice',
  });
  return { ...map, unlisted: { value: TODO } };
}

const WORDS: Readonly<Record<MapKind, string>> = { status: 'status', priority: 'priority', role: 'role' };

/** What a word resembles, as `Waiting on us` does, is offered first and never taken for granted. */
function likely(kind: MapKind, value: string): string | undefined {
  return find(kind === 'status' ? STATUSES : kind === 'priority' ? PRIORITIES : ROLES, value, true);
}

function likeliestFirst<T extends { readonly value: unknown }>(
  choices: readonly T[],
  first: string | undefined,
): T[] {
  return [...choices].sort((a, b) => Number(b.value === first) - Number(a.value === first));
}

function meaning(kind: MapKind, value: string): string | undefined {
  if (kind === 'status') return statusOf(value);
  return kind === 'priority' ? priorityOf(value) : roleOfWord(value);
}

function shown(value: string): string {
  return value.length > 60 ? `${value.slice(0, 59)}…` : value;
}

// Words of a source for what the API calls otherwise: statuses, priorities, who is speaking. Five languages and some more.

/** First match stands. Plain phrases; `*` at the end matches what begins so. */
type Phrases<T extends string> = readonly (readonly [T, string])[];

const STATUSES: Phrases<TicketStatus> = [
  [
    'pending',
    `pending* | pending reminder | pending auto close | onhold | on hold | hold | onhold | waiting* | awaiting* | snoozed | paused | deferred | postponed | blocked | suspended
     | pendiente* | en espera | esperando* | wartend* | warten* | wartet* | zuruckgestellt | angehalten | ausstehend | en attente* | suspendu | em espera | pendente* | aguardando* | in attesa* | in afwachting* | oczekuje | oczekujace | wstrzymane | vantar | vilande | beklemede`,
  ],
  [
    'resolved',
    `resolved* | solved | done | fixed | complete | completed | finished | answered | fulfilled
     | resuelto* | resuelta* | solucionado* | gelost | erledigt* | beantwortet | resolu* | termine* | resolvido* | solucionada | concluido* | risolto | opgelost | afgerond | rozwiazane | rozwiazany | lost | atgardad | cozuldu`,
  ],
  [
    'closed',
    `closed* | closed successful | closed unsuccessful | closed with workaround | close | cancelled | canceled | archived | rejected | declined | duplicate | wont fix | won t fix | withdrawn | expired
     | cerrado* | cerrada* | cancelado* | cancelada* | anulado* | geschlossen* | abgeschlossen* | storniert | abgelehnt | ferme* | clos | cloture* | annule* | fechado* | fechada* | encerrado* | encerrada* | chiuso | gesloten | zamkniete | zamkniety | stangd | stangt | avslutad | kapali | kapatildi`,
  ],
  [
    'open',
    `open* | new | active | in progress | inprogress | assigned | unassigned | reopened | re opened | to do | todo | started | working* | work in progress | unresolved | escalated | indeterminate | accepted | acknowledged | triaged | under review | in review | in bearbeitung*
     | abierto* | abierta* | nuevo* | nueva* | en proceso | en curso | en progreso | asignado* | offen* | neu* | zugewiesen | wiedereroffnet | ouvert* | nouveau | nouvelle | en cours* | en cours de traitement | assigne* | rouvert* | aberto* | aberta* | novo* | nova | em andamento | em atendimento | em progresso | reaberto | atribuido | aperto | nuovo | in corso | in lavorazione* | in behandeling* | nieuw | nowe | nowy | otwarte | otwarty | w toku | ny | nytt | oppen | pagaende | yeni | acik | devam ediyor`,
  ],
];

/** Not tickets at all: left out by an exclude rule. */
const NO_TICKET = `deleted | spam | trash | trashed | junk | merged | eliminado | eliminada | geloscht | papierkorb | supprime | indesirable | excluido | lixo | draft`;

const PRIORITIES: Phrases<TicketPriority> = [
  [
    'urgent',
    `urgent* | critical* | highest | blocker | emergency | immediate | very high | p1 | p0 | sev1 | s1
     | urgente | critico | critica | muy alta | kritisch* | dringend* | sehr hoch | critique* | tres haute | muito alta`,
  ],
  [
    'high',
    `high | major | important | p2 | sev2 | s2 | alta | alto | hoch | haute | haut | elevee | eleve | importante | hoog`,
  ],
  [
    'normal',
    `normal* | medium | moderate | standard | average | regular | default | p3 | sev3 | s3 | media | medio | mittel | moyenne | moyen | normale | mittlere | gemiddeld`,
  ],
  [
    'low',
    `low | lowest | minor | trivial | planning | very low | p4 | p5 | sev4 | s4 | baja | bajo | niedrig | gering | sehr niedrig | basse | faible | baixa | baixo | bassa | laag`,
  ],
];

const ROLES: Phrases<ActorType> = [
  [
    'system',
    `system | bot | action | automation* | workflow | api | auto | robot | lineitem | line item | trigger | notification | sistema | automatisch | automat | automate | automatico | systeme | robo`,
  ],
  [
    'customer',
    `customer* | client | clients | user | visitor | end user | enduser | requester | requestor | contact | buyer | guest | consumer | patient | lead | in | inbound | incoming | external | shopper | caller | reporter | asker
     | cliente* | usuario | visitante | solicitante | kunde* | besucher | nutzer | benutzer | extern | utilisateur | visiteur | demandeur | usuario final | entrante | eingehend | entrant | klant | klanten | klient* | kund | musteri`,
  ],
  [
    'agent',
    `agent* | admin | administrator | operator | staff | support* | employee | tech | technician | team | teammate | representative | rep | owner | out | outbound | outgoing | moderator | assistant | advisor | manager | helper | company | bedienter
     | agente* | operador | empleado | soporte | mitarbeiter* | bearbeiter | betreuer | ausgehend | conseiller | operateur | sortant | atendente | funcionario | suporte | saliente | medewerker | operatore | pracownik | handlaggare | temsilci`,
  ],
];

/** Waiting on somebody outside of the team; whom `Waiting on us` waits for only a person knows. */
const WAITS_FOR_OTHERS =
  /^(?:pending|waiting|awaiting|wart(?:en|et|end)|esperando|aguardando|en attente|in afwachting) (?:\S+ ){0,2}?(?:customer|client|user|requester|caller|reporter|vendor|supplier|third|external|kunden?|kundin|cliente|usuario|proveedor|fornecedor|fournisseur|klant)(?: \S+){0,2}$/;

/** The API's word, `not a ticket` for what is deleted or spam, or undefined for a word that only a person can place. */
export function statusOf(value: string): TicketStatus | 'not a ticket' | undefined {
  if (matches(NO_TICKET, plain(value))) return 'not a ticket';
  return WAITS_FOR_OTHERS.test(plain(value)) ? 'pending' : find(STATUSES, value);
}

export function priorityOf(value: string): TicketPriority | undefined {
  return find(PRIORITIES, value);
}

export function roleOfWord(value: string): ActorType | undefined {
  return find(ROLES, value);
}

/** `user` beside `customer`: two words for one side nobody writes, so it is the team's, which only a person can say. */
export function otherThanCustomers(values: readonly string[]): string | undefined {
  const roles = values.map(roleOfWord);
  return roles.includes('agent') || roles.filter((role) => role === 'customer').length < 2
    ? undefined
    : values.find((value) => /^users?$/i.test(value.trim()));
}

const YES: ReadonlySet<string> = new Set(
  'true yes y t 1 si sim ja oui vrai wahr verdadero verdadeiro x'.split(' '),
);
const NO: ReadonlySet<string> = new Set('false no n f 0 nao nein non faux falsch falso nee'.split(' '));

/** Yes and no in several languages; undefined for any other word. */
export function yesOrNo(value: string): boolean | undefined {
  const word = plain(value);
  return YES.has(word) ? true : NO.has(word) ? false : undefined;
}

/** Whether this word alone names a customer or an agent, as a column's name may: `client`, `agent`. */
export function roleOfName(path: string): ActorType | undefined {
  const roles = new Set(wordsOf(path).flatMap((word) => find(ROLES, word) ?? []));
  const [only] = roles;
  return roles.size === 1 ? only : undefined;
}

function find<T extends string>(phrases: Phrases<T>, value: string, alike = false): T | undefined {
  const text = plain(value);
  if (text === '') return undefined;
  for (const [meaning, list] of phrases) if (matches(list, text, alike)) return meaning;
  // `3 normal`, as OTRS grades
  const graded = /^\d{1,2}\s+(.+)$/.exec(text)?.[1];
  if (graded !== undefined) return find(phrases, graded, alike);
  // `3 - Moderate`, `Priority: High`, `Closed - resolved by caller`: what is not a number and stands first
  const parts = value.split(/[-–:/(),]/).map(plain);
  const words = parts.filter((part) => part !== '' && !/^[\dp]*\d$|^(?:priority|status|state)$/.test(part));
  if (parts.length < 2 || words.length === 0 || (words.length > 1 && !alike)) return undefined;
  for (const word of words)
    for (const [meaning, list] of phrases) if (matches(list, word, alike)) return meaning;
  return undefined;
}

const compiled = new Map<string, { exact: ReadonlySet<string>; starts: readonly string[] }>();

/** `alike`: what begins as one of the phrases with a `*` will do. */
function matches(list: string, text: string, alike = false): boolean {
  let known = compiled.get(list);
  if (known === undefined) {
    const phrases = list.split('|').map((phrase) => phrase.trim());
    known = {
      exact: new Set(phrases.map((phrase) => uninflected(phrase.replace('*', '')))),
      starts: phrases.filter((phrase) => phrase.endsWith('*')).map((phrase) => `${phrase.slice(0, -1)} `),
    };
    compiled.set(list, known);
  }
  return (
    known.exact.has(uninflected(text)) || (alike && known.starts.some((start) => text.startsWith(start)))
  );
}

/** Without the ending by which a word agrees with its noun: `cerrada`, `cerrados`; `ouverte`; `geschlossene`. */
function uninflected(phrase: string): string {
  return phrase
    .split(' ')
    .map(
      (word) =>
        word.slice(0, SHORTEST_STEM) + word.slice(SHORTEST_STEM).replace(/(?:ee?s?|[ao]s?|er|s)$/, ''),
    )
    .join(' ');
}

/** Letters that stay: `alta` and `alto` are listed both. */
const SHORTEST_STEM = 4;

function plain(value: string): string {
  return wordsOf(value).join(' ');
}
