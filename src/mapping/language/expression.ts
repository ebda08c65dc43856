/**
 * How a value comes about, as it is written in a layout: a source (a column, a constant, a lookup …) and what is done
 * with it (split, map, time …). The words are explained with examples in docs/mapping.md.
 */

export type Scalar = string | number | boolean;

/** A column (or dotted path); a list: the first that is not empty; an object: one source and modifiers. */
export type Expression = string | Expression[] | ExpressionObject;

export interface Case {
  if?: Condition | undefined;
  then?: Expression | undefined;
  else?: Expression | undefined;
}

export interface ExpressionObject {
  column?: string | undefined;
  const?: Scalar | Scalar[] | undefined;
  first?: Expression[] | undefined;
  template?: string | undefined;
  when?: Case[] | undefined;
  holds?: Condition | undefined;
  ticket?: Expression | undefined;
  row?: Expression | undefined;
  lookup?: string | undefined;
  by?: Expression | Expression[] | undefined;
  key?: string | string[] | undefined;
  rows?: string | undefined;
  each?: Expression | undefined;
  where?: Condition | undefined;
  take?: 'all' | 'first' | 'last' | undefined;
  get?: Expression | undefined;
  item?: Record<string, Expression> | undefined;
  of?: Expression | undefined;
  cell?: CellType | undefined;
  match?: string | undefined;
  split?: string | undefined;
  pick?: string[] | undefined;
  as?: TextForm | undefined;
  markup?: Markup | undefined;
  map?: string | Record<string, Scalar | null> | undefined;
  unlisted?: Unlisted | undefined;
  time?: string | string[] | undefined;
  zone?: string | undefined;
  join?: string | undefined;
}

export const CELL_TYPES = ['list', 'json', 'boolean', 'integer', 'number'] as const;
export type CellType = (typeof CELL_TYPES)[number];
export const TEXT_FORMS = ['text', 'lower', 'upper', 'email', 'name', 'integer', 'boolean'] as const;
export type TextForm = (typeof TEXT_FORMS)[number];
export const MARKUPS = ['adf', 'jira-wiki', 'jira'] as const;
export type Markup = (typeof MARKUPS)[number];

/** What becomes of a value that a value map does not list. */
export type Unlisted = 'error' | 'keep' | 'drop' | { value: Scalar };

/** A question about the source. Texts compare trimmed and without case; `true` equals `TRUE`. */
export interface Condition {
  column?: Expression | undefined;
  is?: Scalar | undefined;
  isNot?: Scalar | undefined;
  in?: Scalar[] | undefined;
  notIn?: Scalar[] | undefined;
  matches?: string | undefined;
  contains?: string | undefined;
  startsWith?: string | undefined;
  endsWith?: string | undefined;
  empty?: boolean | undefined;
  equals?: Expression | undefined;
  all?: Condition[] | undefined;
  any?: Condition[] | undefined;
  not?: Condition | undefined;
}

export const SOURCES = [
  'column',
  'const',
  'first',
  'template',
  'when',
  'holds',
  'ticket',
  'row',
  'lookup',
  'rows',
  'each',
  'of',
] as const;

export const TESTS = [
  'is',
  'isNot',
  'in',
  'notIn',
  'matches',
  'contains',
  'startsWith',
  'endsWith',
  'empty',
  'equals',
] as const;
