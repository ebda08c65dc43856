/** A known layout in the table of `init`: every field has its values, can be changed, and the person's word wins. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { CommandSpec } from '../../src/cli/command.ts';
import type { Flags } from '../../src/cli/context.ts';
import { command as inspectOf } from '../../src/commands/inspect.ts';
import { command as runOf } from '../../src/commands/run.ts';
import { type Choices, changeOf, SPECS, specOf } from '../../src/discover/fields.ts';
import { knownMapping } from '../../src/discover/known-layout.ts';
import type { Tree } from '../../src/discover/trees.ts';
import { AppError } from '../../src/domain/errors.ts';
import { isJsonObject } from '../../src/domain/source-file.ts';
import { builtinLayout } from '../../src/mapping/detect/builtin-layouts.ts';
import { messagesByPlace } from '../../src/mapping/language/layout.ts';
import { readMapping } from '../../src/mapping/language/read-layout.ts';
import { inProcess } from '../cli/in-process.ts';
import { folderOfTest } from '../support/folder-of-test.ts';
import { layoutExport, layoutNames } from '../support/layouts.ts';
import type { Truth } from './exports.ts';
import { mapped, mappedOf } from './mapped.ts';
import { editing } from './preview.ts';
import { init, SCREEN } from './support.ts';

/** Layouts of exports without messages. */
const SILENT = ['servicenow-log', 'zendesk-csv'];
const VIEW = [
  'id,Requester,Requester email,Subject,Status,Via,Created at,Assignee,Problem description',
  '1,Dan Lang,dan@mail.example,Lamp,Open,Web,2025-03-01T10:00:00Z,Tom Reed,My lamp arrived broken.',
  '2,Eve Petit,eve@mail.example,Parcel,Solved,Web,2025-03-02T10:00:00Z,Tom Reed,Where is my parcel?',
];

function view() {
  const folder = folderOfTest();
  const file = folder.join('view.csv');
  writeFileSync(file, `${VIEW.join('\n')}\n`);
  const run = async (...set: string[]) => {
    const { code, stderr } = await init(folder.path, [file], { yes: true, force: true, set });
    const settings = parse(readFileSync(folder.join('helpdesk-import.yaml'), 'utf8'));
    return { code, stderr, settings, tickets: () => mapped([file], settings) };
  };
  return { run, file, path: folder.path };
}

describe('a known layout', () => {
  it('takes a text from a column of its own, and writes nothing else', async () => {
    const { settings, tickets } = await view().run('message.text.customer=Problem description');
    expect(Object.keys(settings.mapping)).toEqual(['extends', 'messages']);
    expect((await tickets()).map(({ email, messages }) => [email, messages])).toEqual([
      ['dan@mail.example', [{ text: 'My lamp arrived broken.', role: 'customer', internal: false }]],
      ['eve@mail.example', [{ text: 'Where is my parcel?', role: 'customer', internal: false }]],
    ]);
  });

  it('reads a word as the person says, not as its own map does', async () => {
    const { settings, tickets } = await view().run(
      'ticket.status:Solved=closed',
      'message.text=Problem description',
    );
    expect(settings.mapping.maps).toEqual({ status: { values: { Solved: 'closed' } } });
    expect((await tickets()).map(({ status }) => status)).toEqual(['open', 'closed']);
  });

  it('asks about a word that is not in its map, also if the map has a name of its own', async () => {
    const folder = folderOfTest();
    const file = folder.join('task.csv');
    const { 'task.csv': text = '' } = layoutExport('servicenow').texts;
    writeFileSync(file, text.replace(',3,2,', ',triage by Bob,2,'));
    const { stdout } = await init(folder.path, [file], { from: 'servicenow', json: true });
    const { fields } = JSON.parse(stdout) as { fields: { key: string; words?: object }[] };
    expect(fields.find(({ key }) => key === 'ticket.status')?.words).toMatchObject({ 'triage by Bob': null });
  });

  it('takes another requester, and the first words where a person wants no subject', async () => {
    const other = await view().run('ticket.requester.name=Assignee', 'message.text=Problem description');
    expect(other.settings.mapping.ticket).toEqual({
      contact: { email: ['Requester email', { column: 'Requester', as: 'email' }], name: 'Assignee' },
    });
    const none = await view().run('ticket.subject=', 'message.text=Problem description');
    expect((await none.tickets()).map(({ subject }) => subject)).toEqual([
      'My lamp arrived broken.',
      'Where is my parcel?',
    ]);
  });

  it('has the same fields and settings in run, inspect and init', async () => {
    const { run, file, path } = view();
    const set = [
      'message.text=Problem description',
      'ticket.status:Solved=closed',
      'ignore=Via',
      'customersWithoutEmail.synthesize=x.example.com',
    ];
    const { settings } = await run(...set, 'run.rate=100/60');
    expect(settings).toMatchObject({
      customersWithoutEmail: { synthesize: 'x.example.com' },
      run: { rate: '100/60' },
    });
    const typed = (name: string, command: CommandSpec, flags: Flags) =>
      inProcess(name, [file], { set, ...flags }, { cwd: path, env: SCREEN }, command.run);
    const dry = await typed('run', runOf, { dryRun: true, json: true });
    expect(JSON.parse(dry.stdout)).toMatchObject({ messages: { read: 2 } });
    expect((await typed('inspect', inspectOf, { ticket: '2' })).stdout).toMatch(
      /closed.*Where is my parcel/s,
    );
    const wrong = await typed('run', runOf, { dryRun: true, set: ['ticket.subjet=Subject'] });
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('Did you mean "ticket.subject"?'),
    ]);
  });

  it('shows the values of its columns', async () => {
    const { stderr } = await view().run();
    expect(stderr).toMatch(/7 +status +Status +Open 1 → open · Solved 1 → resol/);
    expect(stderr).toMatch(/6 +customer: name +Requester +Dan Lang · Eve Petit/);
    expect(stderr).not.toContain('{');
  });

  it.each(layoutNames)(
    '%s: a field changes what it names, or one sentence says why it cannot',
    async (name) => {
      await using edited = await editing(layoutExport(name).paths, undefined, { from: name });
      const { tables, detection: known } = edited.inspection;
      if (known === undefined) throw new Error(`${name} is not known.`);
      const changed = new Set<string>();
      const read = new Set<string>();
      const places = messagesByPlace(known.layout);
      for (const key of Object.keys(SPECS).filter((each) => specOf(each).of !== 'setting'))
        for (const table of tables.slice(0, 2))
          for (const column of ['', table.columns[1]?.name ?? '']) {
            const choice = `${key}=${column}`;
            try {
              const choices: Choices = new Map(
                [changeOf(choice, [table], {})].map(([of, source]) => [
                  of,
                  source.kind === 'column' ? { ...source, table: tables.indexOf(table) } : source,
                ]),
              );
              const mapping: Tree = {
                extends: name,
                ...knownMapping({ known, tables, choices, fields: undefined }),
              };
              const text = JSON.stringify(mapping);
              changed.add(key);
              if (read.has(text)) continue;
              read.add(text);
              expect(readMapping(JSON.parse(text), builtinLayout), choice).not.toHaveProperty('issues');
              const written = Object.entries((mapping['messages'] ?? {}) as Tree);
              for (const [place, rule] of written)
                if (places.has(place) && isJsonObject(rule))
                  expect(Object.keys(rule), choice).toHaveLength(1);
            } catch (error) {
              if (!(error instanceof AppError) || error.code !== 'usage') throw error;
            }
          }
      const never = Object.keys(SPECS).filter(
        (key) => key.startsWith('ticket.') && key !== 'ticket.rows' && !changed.has(key),
      );
      expect(never).toEqual([]);
      if (SILENT.includes(name)) return;
      const tickets = async () => {
        const { mapping } = parse((await edited.text()).replace(/TODO .*$/gm, 'customer'));
        return await mappedOf(edited.opened, { mapping: { extends: name, ...mapping } });
      };
      const before = await tickets();
      expect(before.some(({ messages }) => messages.length > 0)).toBe(true);
      edited.editor.change("message.visibility='internal'");
      const hidden = (of: Truth) => ({
        ...of,
        messages: of.messages.map((each) => ({ ...each, internal: true })),
      });
      expect(await tickets()).toEqual(before.map(hidden));
    },
  );
});
