/** Whether every text was said once, by somebody, and to whom it was meant. */
import { Count, type Finding, many, type Places } from './finding.ts';
import type { SeenMessage, SeenTicket } from './seen-ticket.ts';

/** Shorter texts may well be said twice: "Thank you!" */
const LEAST_TEXT = 20;
/** So much of the longer text is the shorter one, where one stands in the other. */
const COVERED = 0.5;
/** `2024-05-31T14:30` */
const TO_THE_MINUTE = 16;
const NOTHING =
  /^(?:[-–—]+|\[\]|\{\}|\W?(?:n\/?a|null|none|nil|nan|undefined|empty|blank|no data|keine?|leer|ningun[oa]|vac[ií]o|aucune?|vide|nenhum|vazio)\W?)$/i;

/** A line with which somebody begins to speak: a time and a name, or a name and a time. */
const SPEAKER =
  /^\W{0,3}(?:\d[\d./:T, -]{5,30}(?:Z|[AP]M)?\W{1,3}\p{L}[\p{L}\p{N} .@'_-]{1,60}(?::|\([^()]{1,40}\):?$)|\p{L}[\p{L} .@'_-]{1,60} [([]\d[\d./:T, -]{5,30}(?:Z|[AP]M)?[)\]]:?)/u;

/** A line that begins with what may be a name: fields of a form do so too, but each once. */
const NAMED = /^\W{0,3}(\p{Lu}[\p{L}\p{N} .'_-]{1,40}):\s*\S/u;

/** Words by which people mark a text that is for the team alone. */
const FOR_TEAM =
  /^\W{0,4}(?:(?:internal|private|interne?[rs]?|privad[ao]|priv[ée]e?)\b[\p{L} ]{0,20}|(?:nota|notiz|note|comentario|commentaire)[ _-](?:interna|interno|interne|privada|privado|priv[ée]e)|(?:staff|team|agents?) only|nur intern|do not (?:share|send)[\p{L} ]{0,20}|not for (?:the )?(?:customer|client)s?)\s?[\])}:*>|–—-]/iu;

export class TextWatch {
  readonly #speakers = new Count();
  /** Messages of customers, and those of them that only the team may see. */
  #ofCustomers = 0;
  readonly #customerNotes = new Count();
  #tickets = 0;
  #talks = 0;
  #texts = 0;
  #repeated = 0;
  #repeatedIn: string | undefined;
  /** Tickets that begin with the same text of the same moment twice: a description, and the first message. */
  #begun = 0;
  /** Tickets with a message that holds later ones. */
  readonly #transcripts = new Count();
  /** Characters of what was looked at. */
  #characters = 0;
  /** Tickets with a public text that says that it is for the team alone. */
  readonly #forTeam = new Count();
  #published = 0;
  #publishedIn: string | undefined;
  #nothing = 0;
  #nothingIn: string | undefined;
  #example = '';
  #escaped = 0;
  #broken = 0;
  #escapedIn: string | undefined;

  see({ id, messages }: SeenTicket): void {
    this.#tickets++;
    if (messages.length > 1) this.#talks++;
    if (repeats(messages)) {
      this.#repeated++;
      this.#repeatedIn ??= id;
    }
    const [first, second] = messages;
    if (first !== undefined && second !== undefined && isBegunTwice(first, second)) {
      this.#begun++;
      this.#repeatedIn ??= id;
    }
    if (isTranscript(messages)) this.#transcripts.add(id);
    if (messages.some(({ raw }) => speakersIn(raw) > 1)) this.#speakers.add(id);
    for (const { role, isInternal } of messages) {
      if (role !== 'customer') continue;
      this.#ofCustomers++;
      if (isInternal) this.#customerNotes.add(id);
    }
    if (messages.some(({ raw, isInternal }) => !isInternal && FOR_TEAM.test(withoutTags(raw.slice(0, 300)))))
      this.#forTeam.add(id);
    if (publishes(messages)) {
      this.#published++;
      this.#publishedIn ??= id;
    }
    for (const { raw } of messages) {
      this.#texts++;
      this.#characters += raw.length;
      if (raw.length <= 12 && NOTHING.test(raw.trim())) {
        this.#nothing++;
        this.#nothingIn ??= id;
        this.#example ||= raw.trim();
      }
      if (raw.includes('\n')) this.#broken++;
      else if (/\S\\n\S|\\n\\n/.test(raw)) {
        this.#escaped++;
        this.#escapedIn ??= id;
      }
    }
  }

  get characters(): number {
    return this.#characters;
  }

  findings({ messages, description }: Places): Finding[] {
    const found: Finding[] = [];
    if (this.#transcripts.count >= Math.max(1, 0.05 * this.#talks))
      found.push({
        code: 'repeated-text',
        message: `In ${this.#transcripts.count} of ${many(this.#talks, 'ticket')} with several messages, one message holds the texts of later ones, as a transcript does.`,
        ticket: this.#transcripts.ticket,
        setting: description,
      });
    if (
      this.#begun >= Math.max(1, 0.05 * this.#talks) ||
      (this.#repeated >= 2 && this.#repeated >= 0.2 * this.#talks)
    )
      found.push({
        code: 'repeated-text',
        message: `In ${Math.max(this.#begun, this.#repeated)} of ${many(this.#talks, 'ticket')} with several messages, two of them have the same text.`,
        ticket: this.#repeatedIn,
        setting: description,
      });
    if (this.#speakers.count >= Math.max(2, 0.05 * this.#tickets))
      found.push({
        code: 'several-speakers',
        message: `In ${this.#speakers.count} of ${many(this.#tickets, 'ticket')} one message holds what several people said, each with a name and a time.`,
        ticket: this.#speakers.ticket,
        setting: messages,
      });
    if (this.#customerNotes.count >= 2 && this.#customerNotes.count >= 0.1 * this.#ofCustomers)
      found.push({
        code: 'customer-notes',
        message: `${many(this.#customerNotes.count, 'message')} of ${this.#ofCustomers} of customers ${this.#customerNotes.count === 1 ? 'is' : 'are'} internal, so customers could not see what they wrote.`,
        ticket: this.#customerNotes.ticket,
        setting: `${messages}.isInternal`,
      });
    if (this.#published > 0)
      found.push({
        code: 'note-published',
        message: `In ${many(this.#published, 'ticket')} a public message is a copy of an internal one.`,
        ticket: this.#publishedIn,
        setting: description,
      });
    if (this.#forTeam.count > 0)
      found.push({
        code: 'note-published',
        message: `In ${many(this.#forTeam.count, 'ticket')} a public message begins with words that mark it as internal.`,
        ticket: this.#forTeam.ticket,
        setting: `${messages}.isInternal`,
      });
    if (this.#nothing > 0)
      found.push({
        code: 'nothing-said',
        message: `${many(this.#nothing, 'message')} ${this.#nothing === 1 ? 'says' : 'say'} nothing but ${JSON.stringify(this.#example)}.`,
        ticket: this.#nothingIn,
        setting: 'mapping.nulls',
      });
    if (this.#escaped >= 0.2 * this.#texts && this.#escaped > this.#broken)
      found.push({
        code: 'line-breaks',
        message: `${many(this.#escaped, 'message')} of ${this.#texts} ${this.#escaped === 1 ? 'has' : 'have'} "\\n" where lines end, as two characters.`,
        ticket: this.#escapedIn,
        setting: `${messages}.content`,
      });
    return found;
  }
}

/** Lines at which somebody else begins to speak. */
function speakersIn(text: string): number {
  const lines = text
    .split(/\r\n|\r|\n|\\n|<\/?(?:br|p|div|li|tr)\b[^<>]{0,200}>/i)
    .map((line) => withoutTags(line.slice(0, 120)).trim());
  const timed = lines.filter((line) => SPEAKER.test(line)).length;
  const named = lines.flatMap((line) => NAMED.exec(line)?.[1] ?? []);
  const names = new Map<string, number>();
  for (const name of named) names.set(name, (names.get(name) ?? 0) + 1);
  const isTalk =
    names.size >= 2 && names.size <= MOST_SPEAKERS && [...names.values()].every((times) => times >= 2);
  return Math.max(timed, isTalk ? named.length : 0);
}

const MOST_SPEAKERS = 4;

function withoutTags(text: string): string {
  return text.replace(/<[^<>]*>/g, '');
}

/** One text in two messages of the same side: equal, or the longer one has more around it. */
function repeats(messages: readonly SeenMessage[]): boolean {
  const [first] = messages;
  if (messages.length > 2 && first?.said !== '' && messages.every(({ said }) => said === first?.said))
    return true;
  return messages.some((one, at) =>
    messages.slice(at + 1).some((other) => holds(one, other) && isOneSide(one, other)),
  );
}

/** A description, and the first message: of one moment and one side, and one holds the other. */
function isBegunTwice(first: SeenMessage, second: SeenMessage): boolean {
  if (first.at.slice(0, TO_THE_MINUTE) !== second.at.slice(0, TO_THE_MINUTE) || first.said === '')
    return false;
  return holds(first, second) || (first.role === second.role && first.said === second.said);
}

/** Answers quote what was said before; nobody quotes what is said later. */
function isTranscript(messages: readonly SeenMessage[]): boolean {
  const inTime = messages.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return inTime.some((one, at) => {
    const later = inTime.slice(at + 1).filter(({ said }) => said.length >= LEAST_TEXT && said !== one.said);
    return later.filter(({ said }) => one.said.includes(said)).length >= 2;
  });
}

/** Quoting an earlier message below an answer is no repetition. */
function holds(one: SeenMessage, other: SeenMessage): boolean {
  const [short, long] =
    one.said.length <= other.said.length ? [one.said, other.said] : [other.said, one.said];
  return short.length >= LEAST_TEXT && short.length >= COVERED * long.length && long.includes(short);
}

function isOneSide(one: SeenMessage, other: SeenMessage): boolean {
  return (
    one.role === other.role ||
    one.said === other.said ||
    one.said.startsWith(other.said) ||
    other.said.startsWith(one.said)
  );
}

function publishes(messages: readonly SeenMessage[]): boolean {
  return messages.some(
    (note) => note.isInternal && messages.some((other) => !other.isInternal && holds(note, other)),
  );
}
