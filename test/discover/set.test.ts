/** What `--set` takes in one command, it takes in all three, and with the same result. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { changedMapping } from '../../src/commands/init/changed-mapping.ts';
import { SPECS, specOf } from '../../src/discover/fields.ts';
import { setAt } from '../../src/discover/trees.ts';
import { AppError } from '../../src/domain/errors.ts';
import { valueAt } from '../../src/domain/source-file.ts';
import { resolveSettings, settingIn } from '../../src/settings/resolve-settings.ts';
import type { SettingsFile } from '../../src/settings/settings-file.ts';
import { ALL_SETTINGS } from '../../src/settings/table/table.ts';
import { folderOfTest } from '../support/folder-of-test.ts';
import { editing } from './preview.ts';

const ROWS = [
  'id,subject,status,email,name,created,text,kind',
  '1,Broken lamp,open,pat@mail.example,Pat Jones,2025-03-01T10:00:00Z,My lamp arrived broken today.,x',
  '2,Late parcel,closed,eve@mail.example,Eve Marsh,2025-03-02T10:00:00Z,Where is my parcel at last?,y',
  '3,Wrong size,open,kay@mail.example,Kay Long,2025-03-03T10:00:00Z,The chair is much too small.,x',
];

function desk() {
  const { path, join } = folderOfTest();
  writeFileSync(join('tickets.csv'), `${ROWS.join('\n')}\n`);
  return path;
}

const VALUES = [
  ...['', 'x', '5', '0.5', 'true', 'false', 'no such thing', "'quoted'", '[a, b]', '{a: b}', 'a,b'],
  ...['agt_1', 'kim@mail.example', 'mail.example', 'Europe/Berlin', '2020-01-01', '100/60', '10s', '1MiB'],
  ...['https://desk.example', 'https://desk.example/{id}', 'windows-1252', 'semicolon', 'note', 'reject'],
];
/** Those of the app API are read by its commands alone. */
const SETTINGS = ALL_SETTINGS.filter(
  ({ description, section }) => description !== undefined && section !== 'appApi',
);

/** Undefined: refused in a sentence. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError && ['usage', 'configuration'].includes(error.code)) return undefined;
    throw error;
  }
}

/** How its value is read, from the command line or from a file. */
function resolved(section: string, key: string, from: { set: string } | { file: unknown }): unknown {
  const file: SettingsFile | undefined =
    'set' in from
      ? undefined
      : {
          ...{ name: 'f.yaml', value: from.file as SettingsFile['value'], complaints: [] },
          ...{ resolve: (path) => path, complain: (_path, _part, message) => ({ message }) },
        };
  const flags = 'set' in from ? { set: [from.set] } : {};
  const { settings } = resolveSettings({ flags, env: {}, file, files: ['export/'], needs: [] });
  const held = section === 'task' ? settings : settings[section as 'run'];
  return held[key as never];
}

/** What came of it, or why it was refused. */
async function outcome(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.code !== 'internal') return error.message;
    throw error;
  }
}

const OPEN = 'The mapping needs a decision; nothing was sent.';

describe('--set', () => {
  it.each(SETTINGS.map(({ name, section, key }) => [name, section, key] as const))(
    '%s: a value is taken by run and by init alike, and read the same',
    (name, section, key) => {
      for (const value of VALUES) {
        const set = `${name}=${value}`;
        const run = attempt(() => ({ is: resolved(section, key, { set }) }));
        const written = attempt(() => settingIn(set));
        expect(written === undefined, set).toBe(run === undefined);
        if (written === undefined) continue;
        const file = {};
        setAt(file, written.path, written.value);
        expect(resolved(section, key, { file }), set).toEqual(run?.is);
      }
    },
  );

  // The files are open when a change comes, so their encoding is typed when `init` starts.
  it.each(Object.keys(SPECS).filter((key) => key !== 'source.encoding'))(
    '%s: a run maps as the settings that init writes',
    async (key) => {
      const path = desk();
      const isSetting = SETTINGS.some(({ name }) => key.startsWith(name));
      // An empty agent is none, however it is written.
      const values = VALUES.filter((value) => value !== '' || key !== 'fallbackAgent');
      await using edited = await editing(path);
      const { editor } = edited;
      for (const value of isSetting ? values : ['', 'kind', "'fixed'", 'first line', 'each row']) {
        const set = `${key}=${value}`;
        const init = await outcome(async () => {
          editor.change(set);
          const { shown, settings } = await editor.view();
          const isOpen = shown.some(
            ({ key: own, mark }) => mark !== undefined && specOf(own).of !== 'setting',
          );
          if (isSetting) return valueAt(settings.settings, key.split('.'));
          return isOpen ? OPEN : settings.settings['mapping'];
        });
        const run = await outcome(async () =>
          isSetting
            ? settingIn(set)?.value
            : await changedMapping({ files: [path], mapping: undefined, changes: [set] }),
        );
        expect(init, set).toEqual(run);
        if (editor.typed.length > 0) editor.undo();
      }
    },
  );
});
