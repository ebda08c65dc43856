/** What the table shows is what its settings import, and settings are read back into the same table. */
import { existsSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { Editor } from '../../src/commands/init/editor.ts';
import { openAny } from '../../src/commands/init/init.ts';
import { tableJson } from '../../src/commands/init/table.ts';
import { SPECS } from '../../src/discover/fields.ts';
import { inspectExport } from '../../src/discover/inspection.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { Conversation, ConversationMessage } from '../../src/view/conversation/conversation.ts';
import { contextFor, inProcess } from '../cli/in-process.ts';
import { temporaryFolder } from '../support/cli.ts';
import { CASES, generate, numbers } from './exports.ts';
import { plainChanges } from './support.ts';

const signal = new AbortController().signal;

/** A run needs a conversation, and customers where a column of addresses is unread. */
const STOPS = /^$|no-conversation|passed-over: No ticket has its customer's address/;

/** The export opened once, as `init` does for all changes. */
export async function editing(
  from: string | readonly string[],
  before?: string,
  flags: { readonly [name in 'from' | 'encoding']?: string } & { readonly propose?: true } = {
    propose: true,
  },
) {
  const files = [from].flat();
  const { context } = contextFor('init', files, {}, { cwd: '.' });
  const { opened, guessed } = await openAny(files, { encoding: flags.encoding }, context, signal);
  const inspection = await inspectExport(opened, { from: flags.from, signal });
  const editor = new Editor({ inspection, opened, guessed, flags, files, signal });
  if (before !== undefined) await editor.resume(before);
  const text = async () => editor.text(await editor.view(), 's.json', []);
  return {
    editor,
    opened,
    inspection,
    text,
    table: async () => tableJson(await editor.view(), editor.tables),
    async [Symbol.asyncDispose]() {
      inspection[Symbol.dispose]();
      await opened[Symbol.asyncDispose]();
    },
  };
}

/** Decides each line that is marked: a change may raise the next question. */
export async function settle(editor: Editor): Promise<void> {
  for (const done = new Set<string>(); ; ) {
    const more = plainChanges(tableJson(await editor.view(), editor.tables)).filter(
      (change) => !done.has(change),
    );
    if (more.length === 0) return;
    for (const change of more) {
      done.add(change);
      editor.change(change);
    }
  }
}

const KEYS = Object.keys(SPECS).filter((key) => /^(?:ticket|message)\./.test(key) && key !== 'ticket.rows');

/** Changes that somebody makes without knowing the export; what cannot be is refused in a sentence. */
export async function changeAnything(editor: Editor, next: (most: number) => number): Promise<void> {
  for (let n = 0; n < 4; n++) {
    const table = editor.tables[next(editor.tables.length)];
    const column = table?.columns[next(table.columns.length)]?.name ?? '';
    const name = `${table?.file.replace(/^.*\//, '')}:${column}`;
    const change = `${KEYS[next(KEYS.length)]}=${['', "'fixed'", name, name][next(4)]}`;
    try {
      editor.change(change);
      await editor.view();
    } catch (error) {
      expect(error).toBeInstanceOf(AppError);
      expect((error as AppError).code, change).toMatch(/^(?:usage|source|configuration)$/);
      editor.undo();
    }
  }
  await settle(editor);
}

interface Said {
  readonly content: string;
  readonly isInternal: boolean;
  readonly author: string;
}
const plainly = ({ content, isInternal, author }: Said) =>
  `${author} ${isInternal ? 'internal' : 'public'} ${content
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()}`;

function shownIn({ subject, status, entries }: Conversation): object {
  const said = entries.filter(
    (entry): entry is ConversationMessage =>
      entry.kind === 'message' && entry.name?.startsWith('Kept in') !== true,
  );
  return { subject: subject.slice(0, 190), status, messages: said.map(plainly).sort() };
}

/** Tickets of a sandbox, by the tag of their ID in the export. */
function sandboxTickets(path: string): Map<string, object> {
  const database = new Database(path, { readonly: true });
  const rows = database
    .prepare<[], { tags: string; subject: string; status: string; messages: string }>(
      `SELECT body -> 'tags' AS tags, subject, status, (SELECT json_group_array(json_object('content', content,
       'author', body ->> 'actorType', 'isInternal', body ->> 'isInternal')) FROM messages
       WHERE ticket_seq = tickets.seq AND content NOT LIKE '%Kept by helpdesk-import%') AS messages FROM tickets`,
    )
    .all();
  database.close();
  return new Map(
    rows.map(({ tags, subject, status, messages }) => {
      const said = (JSON.parse(messages) as Said[]).map(plainly);
      const tag = (JSON.parse(tags) as string[]).find((each) => /^import-/.test(each)) ?? '';
      return [tag, { subject: subject.slice(0, 190), status, messages: said.sort() }];
    }),
  );
}

/** Exports whose names are known, and those without names; a round is another seed. */
export const exportsOf = (rounds: readonly number[]) =>
  CASES.filter(([, language]) => language === 'en' || language === 'none').flatMap(
    ([shape, language, seed]) => rounds.map((round) => [shape, language, seed * 2 + round] as const),
  );

export function previewed(some: ReturnType<typeof exportsOf>): void {
  let compared = 0;

  it.each(some)(
    '%s, names in %s, seed %i: what the changed table shows is in the sandbox, or is rejected by name',
    async (shape, language, seed) => {
      using folder = temporaryFolder();
      using own = temporaryFolder();
      generate(folder.path, shape, language, seed);
      await using edited = await editing(folder.path);
      await changeAnything(edited.editor, numbers(seed));
      const changes = edited.editor.typed.join('\n');
      const { surveyed } = await edited.editor.view();
      const config = own.join('helpdesk-import.yaml');
      const text = await edited.text();
      writeFileSync(config, text);
      const flags = { config, sandbox: own.join('box'), yes: true, json: true, checkpoint: own.join('c') };
      const set = ['run.rate=100000/1', `run.rejects=${own.join('rejects')}`];
      const ended = await inProcess('run', [], { ...flags, set }, { cwd: own.path });
      expect(ended.code === 2 ? ended.stderr : '', `${changes}\n${text}`).toMatch(STOPS);
      const data = own.join('box/service.sqlite');
      const arrived = existsSync(data) ? sandboxTickets(data) : new Map<string, object>();
      const { problems = [] } = ended.stdout === '' ? {} : JSON.parse(ended.stdout);
      const refused = problems.filter(({ severity }: { severity: string }) => severity === 'error');
      expect(surveyed.conversations.length).toBeGreaterThan(0);
      compared += arrived.size > 0 ? 1 : 0;
      for (const shown of surveyed.conversations) {
        const ticket = arrived.get(`import-${shown.externalId}`);
        if (ticket !== undefined) expect(ticket, changes).toEqual(shownIn(shown));
        // an ID that is a text has a tag of its own
        else if (ended.code !== 2 && refused.length === 0)
          expect([...arrived.values()], changes).toContainEqual(shownIn(shown));
      }
      await sameAgain(folder.path, text);
    },
  );

  it('most of these exports arrived', () => {
    expect(compared).toBeGreaterThan(some.length / 2);
  });
}

/** Settings that are opened and saved without a change are the same to the letter. */
export async function sameAgain(folder: string, text: string): Promise<void> {
  await using again = await editing(folder, text);
  expect(await again.text()).toBe(text);
}
