/** Prints lines and reads one, so that a screen reader can follow. */
import type { Ask } from '../../cli/screen.ts';
import { canBe, chosenSource, type Field, numberOf, specOf } from '../../discover/fields.ts';
import { baseName } from '../../discover/staged-tables.ts';
import { AppError } from '../../domain/errors.ts';
import { countOf } from '../../domain/printable.ts';
import { type Block, paragraph } from '../../view/blocks.ts';
import type { Editor, View } from './editor.ts';
import { changedBlocks, columnBlocks, hasNumbers, tableBlocks, unreadLines, wordBlocks } from './table.ts';

type Say = (blocks: readonly Block[]) => void;

const MOST_COLUMNS = 30;
const PREVIEWED = 3;
/** Lines of a screen that holds no table with three tickets. */
const SMALL = 70;
/** Tickets that are mapped after a change; saving maps all. */
const LOOKED_AT = 500;

/** `false` if the person stopped. */
export async function editTable(
  editor: Editor,
  ask: Ask,
  say: Say,
  rows = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const isSmall = rows < SMALL;
  for (let before: View | undefined; ; ) {
    const view = await viewOrUndo(editor, say);
    // On a small screen the last lines are the table.
    if (before === undefined && isSmall) say(ticketBlocks(view));
    if (before !== undefined) say(changedBlocks(before, view, editor.tables));
    else say([...tableBlocks(view, editor.tables, isSmall), ...(isSmall ? [] : ticketBlocks(view))]);
    const next = await command(editor, view, ask, say);
    if (typeof next === 'boolean') return next;
    before = next === 'changed' ? view : undefined;
  }
}

/** A change after which the export cannot be read is taken back. */
async function viewOrUndo(editor: Editor, say: Say): Promise<View> {
  let view: View | undefined;
  const isRead = await attempt(say, async () => {
    view = await editor.view(LOOKED_AT);
  });
  if (view !== undefined) return view;
  if (isRead || !editor.undo()) throw new AppError('source', 'These files cannot be read as tickets.');
  return await editor.view(LOOKED_AT);
}

function ticketBlocks({ surveyed }: View): Block[] {
  return surveyed.conversations.map((ticket) => ({ kind: 'conversation', ticket }));
}

async function command(
  editor: Editor,
  view: View,
  ask: Ask,
  say: Say,
): Promise<boolean | 'changed' | 'whole'> {
  for (;;) {
    const typed = await ask(
      'Number to change, Enter the whole table, p other tickets, u undo, s save, q quit › ',
    );
    if (typed === undefined || typed === 'q') return false;
    const field = view.shown.find(({ key }) => String(numberOf(key)) === typed);
    if (typed === 's') {
      if (await maySave(editor, view, say)) return true;
    } else if (typed === 'p') {
      editor.skip = editor.skip + PREVIEWED < view.surveyed.needs.tickets ? editor.skip + PREVIEWED : 0;
      say(ticketBlocks(await editor.view(LOOKED_AT)));
    } else if (typed === 'u') {
      if (editor.undo()) return 'changed';
      tell(say, 'Nothing to undo.');
    } else if (field !== undefined) {
      await attempt(say, () => edit(editor, field, ask, say));
      return 'changed';
    } else if (typed.includes('=')) {
      if (await attempt(say, async () => editor.change(typed))) return 'changed';
    } else if (typed === '') return 'whole';
    else tell(say, `"${typed}" is no number of the table and no command.`);
  }
}

/** Each mark must be looked at once, and texts and files that are left out are named once. */
async function maySave(editor: Editor, view: View, say: Say): Promise<boolean> {
  const whole = view.surveyed.isPart ? await editor.view() : view;
  const open = whole.shown.flatMap(({ key, mark }) =>
    mark !== undefined && !editor.looked.has(key) ? [numberOf(key)] : [],
  );
  const undecided = whole.shown.flatMap((field) => {
    const [word, ...more] = openWords(field);
    const line = `"${word}"${more.length === 0 ? '' : ` and ${countOf(more.length, 'other word')}`} of ${numberOf(field.key)} ${field.label} has no meaning yet: it will be a TODO, and a run stops until it is decided.`;
    return word === undefined ? [] : [line];
  });
  const unread = [...undecided, ...unreadLines(whole)].filter((line) => !editor.looked.has(line));
  if (open.length > 0)
    tell(say, `Look at these first: ${open.join(', ')}. Type the number; Enter keeps the line.`);
  else if (unread.length > 0) tell(say, ...unread, 'Type s again to save all the same.');
  else return true;
  for (const line of open.length > 0 ? [] : unread) editor.looked.add(line);
  return false;
}

function tell(say: Say, ...lines: readonly string[]): void {
  say(lines.map((line) => paragraph(line)));
}

async function attempt(say: Say, change: () => Promise<void>): Promise<boolean> {
  try {
    await change();
    return true;
  } catch (error) {
    if (!(error instanceof AppError) || !['usage', 'source', 'configuration'].includes(error.code))
      throw error;
    tell(say, error.message, ...(error.hint === undefined ? [] : [error.hint]));
    return false;
  }
}

const AUDIENCES: ReadonlyMap<string, string> = new Map([
  ['public', 'everyone'],
  ['internal', 'the team only'],
]);

async function edit(editor: Editor, field: Field, ask: Ask, say: Say): Promise<void> {
  editor.looked.add(field.key);
  if (field.mark !== undefined) tell(say, `${field.label}: ${field.mark}`);
  if (field.words === undefined) return await editSource(editor, field, ask, say);
  const words = [...field.words.keys()];
  const isPlain = hasNumbers(field);
  const open = new Set(openWords(field));
  const { meanings = [] } = specOf(field.key);
  const choices = meanings.map((meaning, at) => `${at + 1} ${AUDIENCES.get(meaning) ?? meaning}`).join(', ');
  say(wordBlocks(field, editor.tables));
  for (;;) {
    const typed = await ask(
      `${isPlain ? 'Word to decide' : 'Number of a word'}, c for another column, Enter when done › `,
    );
    if (typed === undefined) return;
    if (typed === 'c') return await editSource(editor, field, ask, say);
    const [next] = open;
    if (typed === '' && next === undefined) return;
    const word = typed === '' ? next : isPlain || words.includes(typed) ? typed : words[Number(typed) - 1];
    const isWord = word !== undefined && words.includes(word);
    const answer = isWord ? await ask(`"${word}" is: ${choices}, 0 nothing › `) : undefined;
    if (!isWord) tell(say, `There is no word ${typed}.`);
    else if (!answer && typed === '') return tell(say, `"${word}" has no meaning yet.`);
    if (!isWord || !answer) continue;
    const meaning = answer === '0' ? '' : (meanings[Number(answer) - 1] ?? answer);
    if (!(await attempt(say, async () => editor.change(`${field.key}:${word}=${meaning}`)))) continue;
    if (open.delete(word) && open.size === 0) return;
  }
}

const openWords = ({ words = new Map() }: Field): string[] =>
  [...words].flatMap(([word, meaning]) => (meaning === undefined ? [word] : []));

const OTHER_SOURCES: ReadonlyMap<string, string> = new Map([
  ['ticket.subject', 'first line'],
  ['ticket.id', 'each row'],
]);

async function editSource(editor: Editor, field: Field, ask: Ask, say: Say): Promise<void> {
  const { key, label, likely = [] } = field;
  const { isValue, meanings } = specOf(key);
  if (isValue === true) {
    const words = meanings === undefined ? '' : ` (${meanings.join(', ')})`;
    const typed = await ask(`${label}${words}, - for nothing, Enter keeps it › `);
    return typed ? editor.change(`${key}=${typed === '-' ? '' : typed}`) : undefined;
  }
  const every = editor.tables.flatMap((table) => table.columns.map((column) => ({ table, column })));
  const all = every.filter(({ column }) => column.filled > 0 && canBe(key, column) === true);
  const first = all.filter(({ column }) => likely.includes(column));
  const other = OTHER_SOURCES.get(key);
  const more = other === undefined ? '' : `, "${other}"`;
  let found = [...first, ...all.filter((each) => !first.includes(each))];
  for (;;) {
    say(columnBlocks(found, MOST_COLUMNS));
    const typed = await ask(
      `Number or name of a column, letters to filter, 'text' for a fixed value, - for nothing${more}, Enter keeps it › `,
    );
    if (!typed) return;
    const chosen = /^\d+$/.test(typed) ? found[Number(typed) - 1] : undefined;
    const isNamed = ({ table, column }: (typeof all)[number]) =>
      [column.name, `${baseName(table.file)}:${column.name}`].some(
        (name) => name.toLowerCase() === typed.toLowerCase(),
      );
    if (chosen !== undefined) {
      const { table, column } = chosen;
      return editor.set(
        key,
        chosenSource(key, table, column),
        `${key}=${baseName(table.file)}:${column.name}`,
      );
    }
    if (/^(?:'.*'|-)$/.test(typed) || typed === other || every.some(isNamed))
      return editor.change(`${key}=${typed === '-' ? '' : typed}`);
    const filtered = all.filter(({ table, column }) =>
      `${baseName(table.file)}: ${column.name}`.toLowerCase().includes(typed.toLowerCase()),
    );
    if (filtered.length === 0) tell(say, `No column has "${typed}" in its name.`);
    else found = filtered;
  }
}
