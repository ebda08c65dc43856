/**
 * Columns that say in any export whether customers saw a message, or whether it counts: `is_private`, `visibility`,
 * `_fivetran_deleted`. What no rule of the layout asks for is asked here.
 */
import { type JsonObject, plainHeader, type Row } from '../../domain/source.ts';
import { isJsonObject, textOf } from '../../domain/source-file.ts';
import type { Layout } from '../language/layout.ts';
import { comparable, isAbsent, truthOf } from './values.ts';

type Ask = 'private' | 'public' | 'audience' | 'kind' | 'gone' | 'goneAt';

/** Letters of a name alone, without "is" before it, in several languages. */
const NAMES: Readonly<Record<Ask, string>> = {
  private:
    'private internal hidden restricted confidential isnote internalnote privatenote staffonly interna privada privat intern privado interno privé interne privato',
  public:
    'public visible publiccomment visibletocustomer customervisible publica publique öffentlich público pubblico openbaar',
  audience:
    'visibility visibilitytype audience visibleto sichtbarkeit visibilidad visibilité visibilidade visibilità zichtbaarheid',
  kind: 'type kind channel messagetype commenttype notetype messagekind commentkind entrytype tipo typ',
  gone: 'deleted trashed draft spam fivetrandeleted gelöscht entwurf eliminado borrador supprimé brouillon eliminato bozza excluído rascunho verwijderd',
  goneAt: 'deletedat deleteddatetime trashedat sdcdeletedat abcdcdeletedat',
};
const ASKS: ReadonlyMap<string, Ask> = new Map(
  Object.entries(NAMES).flatMap(([ask, names]) => names.split(' ').map((name) => [name, ask as Ask])),
);
const OF_EVERYONE: ReadonlySet<string> = new Set(
  'public external customer customers everyone all öffentlich extern alle kunde público todos cliente tous client pubblico openbaar'.split(
    ' ',
  ),
);
const OF_THE_TEAM: ReadonlySet<string> = new Set(
  'private internal agent agents team staff role group intern privat interno privado interne privé privato'.split(
    ' ',
  ),
);
const NOTE =
  /^(?:(?:internal|private|work|staff)[ _-]?)?notes?$|^(?:internal|private)[ _-]?(?:comment|message)$|^(?:interne?[ao]?|internal|private?|privad[ao]|privée?)$|^(?:notiz|nota|(?:nota|notiz|note|comentario|commentaire)[ _-](?:interne?[ao]?|privad[ao]|privée?)|intern(?:e|er)? (?:notiz|kommentar))$/i;

export function askOf(column: string): Ask | undefined {
  const letters = column.toLowerCase().replace(/[^\p{L}]/gu, '');
  return ASKS.get(letters) ?? ASKS.get(letters.replace(/^is/, ''));
}

/** `unknown`: a word of which it is not known what it means. */
export interface Mark {
  readonly says: 'internal' | 'leave out' | 'unknown';
  readonly column: string;
  readonly word: string;
}

/** What the columns of a row or item say that no rule reads. A ticket's row says who saw its text, and whether the ticket counts. */
export function compileMarks(
  { words = {}, unasked = [] }: Layout,
  read: readonly string[],
  of: 'ticket' | 'text' | 'message',
): (object: JsonObject | undefined, row: Row) => Mark | undefined {
  const asks = new Map<string, Ask | undefined>();
  const written = new Set(read);
  const plain = new Set(read.map(plainHeader));
  const asked = (column: string): Ask | undefined => {
    if (asks.has(column)) return asks.get(column);
    const ask = askOf(column) ?? (unasked.includes(column) ? 'audience' : undefined);
    const isOfTicket = ask === 'gone' || ask === 'goneAt';
    const own = of === 'message' || (of === 'ticket') === isOfTicket ? ask : undefined;
    // JSON keys may be data.
    if (asks.size < MOST_COLUMNS) asks.set(column, own);
    return own;
  };
  return (object, { cells }) => {
    let found: Mark | undefined;
    for (const column in object) {
      const ask = asked(column);
      if (ask === undefined || written.has(column)) continue;
      if (cells !== undefined && plain.has(plainHeader(column))) continue;
      for (const value of [object[column]].flat()) {
        if (isAbsent(value)) continue;
        const word = textOf(value).trim();
        const own = Object.hasOwn(words, column) ? words[column] : undefined;
        const meaning = typeof own === 'object' ? own[word] : own;
        const says = meaning ?? sayingOf(ask, value);
        if (says === 'public' || says === 'keep') continue;
        found = { says, column, word };
        if (says === 'leave out') return found;
      }
    }
    return found;
  };
}

const MOST_COLUMNS = 2000;

function sayingOf(ask: Ask, value: unknown): Mark['says'] | 'public' {
  const truth = truthOf(value);
  if (ask === 'goneAt') return truth === false ? 'public' : 'leave out';
  if (ask === 'kind') return NOTE.test(textOf(value).trim()) ? 'internal' : 'public';
  if (ask === 'audience') {
    if (isJsonObject(value)) return Object.values(value).every(isAbsent) ? 'public' : 'internal';
    const word = comparable(value);
    return OF_EVERYONE.has(word) ? 'public' : OF_THE_TEAM.has(word) ? 'internal' : 'unknown';
  }
  if (isJsonObject(value)) return 'public';
  if (truth === undefined) return 'unknown';
  if (truth === (ask === 'public')) return 'public';
  return ask === 'gone' ? 'leave out' : 'internal';
}
