/** Puts the user's meanings of words into the conditions that ask for them. */
import { type Condition, mainColumn, type Scalar } from './expression.ts';
import type { Layout, Visibility } from './layout.ts';

/** The first meaning is that the condition holds. */
const MEANINGS = { public: ['public', 'internal'], exclude: ['leave out', 'keep'] } as const;
type Question = keyof typeof MEANINGS;

type Words = NonNullable<Layout['words']>;

export function withWords(layout: Layout): Layout {
  const { words } = layout;
  if (words === undefined) return layout;
  const asked = new Set<string>();
  const of = (column: string, question: Question) => {
    const own = Object.hasOwn(words, column) ? words[column] : undefined;
    if (own === undefined) return undefined;
    asked.add(column);
    return typeof own === 'string' ? own : meaningsFor(own, question);
  };
  /** `place`: what is called by its list, as an item of texts has no name. */
  const changed = (condition: Condition, question: Question, place = ''): Condition => {
    const { column, all, any, not } = condition;
    const inner = (parts: Condition[] | undefined) => parts?.map((part) => changed(part, question, place));
    if (column === undefined)
      return { ...condition, all: inner(all), any: inner(any), not: not && changed(not, question, place) };
    const name = mainColumn(column);
    const own = of(name === '.' ? place : name, question);
    return own === undefined || typeof own === 'string' ? condition : withMeanings(condition, own);
  };
  const messages = layout.messages?.map((rule) => {
    const { public: visible, leaveOut } = rule;
    const place = mainColumn(rule.each ?? rule.from ?? rule.content);
    const said: Visibility | undefined =
      visible === 'unknown'
        ? of(place, 'public') === 'public' || visible
        : typeof visible === 'object'
          ? (changed(visible, 'public', place) as Visibility)
          : visible;
    return { ...rule, public: said, leaveOut: leaveOut && changed(leaveOut, 'exclude') };
  });
  const exclude = layout.exclude?.map((rule) => ({ ...rule, when: changed(rule.when, 'exclude') }));
  return { ...layout, messages, exclude, unasked: Object.keys(words).filter((column) => !asked.has(column)) };
}

interface Meanings {
  readonly yes: readonly Scalar[];
  readonly no: readonly Scalar[];
}

function meaningsFor(words: Exclude<Words[string], string>, question: Question): Meanings {
  const [yes, no] = MEANINGS[question];
  const saying = (meaning: string) =>
    Object.entries(words).flatMap(([word, own]) => (own === meaning ? [word] : []));
  return { yes: saying(yes), no: saying(no) };
}

/** A word without text is an empty cell. */
function withMeanings(condition: Condition & { internal?: Scalar[] }, { yes, no }: Meanings): Condition {
  const { internal, known = internal, ...rest } = condition;
  const { column, in: words, is } = condition;
  if (words === undefined && typeof is !== 'boolean') return condition;
  const held = yes.filter((word) => word !== '');
  const all = [...(known ?? []), ...no.filter((word) => word !== ''), ...(words === undefined ? held : [])];
  return {
    any: [
      { ...rest, ...(words === undefined ? {} : { in: [...words, ...held] }), known: all },
      ...(words === undefined ? [{ column, in: held }] : []),
      ...(yes.includes('') ? [{ column, empty: true }] : []),
    ],
  };
}
