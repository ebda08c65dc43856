/** Exports of the main shapes in five languages and without names: right once the questions are answered, or stopped. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { initCommand } from '../../src/commands/init/init.ts';
import { openPaths } from '../../src/discover/questions.ts';
import { textOf } from '../../src/domain/source-file.ts';
import type { MappedTicket } from '../../src/domain/ticket.ts';
import { compileLayout, defaultMappingSettings } from '../../src/mapping/compile/compile-layout.ts';
import { builtinLayout } from '../../src/mapping/detect/builtin-layouts.ts';
import { detectLayout } from '../../src/mapping/detect/detect.ts';
import { readMapping } from '../../src/mapping/language/read-layout.ts';
import { joinExport } from '../../src/source/join.ts';
import { openExport } from '../../src/source/open-export.ts';
import { inProcess } from '../cli/in-process.ts';
import { temporaryFolder } from '../support/cli.ts';
import { CASES, generate, type Truth } from './exports.ts';
import { screen } from './support.ts';

const signal = new AbortController().signal;

/** What the mapping of the settings makes of the export, as far as the truth has it. */
async function mapped(folder: string, settings: { mapping: unknown }): Promise<Truth[]> {
  const read = readMapping(settings.mapping, builtinLayout);
  if ('issues' in read) throw new Error(JSON.stringify(read.issues));
  await using files = await openExport([folder], { signal });
  const { layout, plan } = detectLayout(
    files.files.map(({ outline }) => outline),
    [read.layout],
    read.layout.name,
  );
  const joined = joinExport(files, plan, signal);
  const mapper = await compileLayout(layout, plan, {
    files,
    joined,
    settings: { ...defaultMappingSettings, timezone: 'UTC' } as typeof defaultMappingSettings,
    folder,
    signal,
  });
  const found: Truth[] = [];
  for await (const items of joined.tickets(signal))
    for (const item of items) if (item.kind === 'ticket') found.push(plainly(mapper.map(item)));
  return found.sort((a, b) => Number(a.id) - Number(b.id));
}

function plainly({ externalId, ticket, requester, messages }: MappedTicket): Truth {
  return {
    id: externalId,
    subject: textOf(ticket['subject']),
    status: textOf(ticket['status']),
    priority: textOf(ticket['priority']),
    email: textOf(requester?.email ?? (ticket['contact'] as { email?: string } | undefined)?.email),
    messages: messages.map(({ value }) => ({
      text: textOf(value['content']),
      role: textOf(value['actorType']),
      internal: value['isInternal'] === true,
    })),
  };
}

const results: { name: string; asked: number; isRight: boolean; isSilent: boolean }[] = [];

describe('an export of a main shape', () => {
  it.each(CASES)(
    '%s, names in %s, is right once its questions are answered, or says what is not',
    async (shape, language, seed) => {
      using folder = temporaryFolder();
      using at = screen();
      const { truth, answer } = generate(folder.path, shape, language, seed);
      let asked = 0;
      const settingsAt = at.cwd;
      await initCommand(
        [folder.path],
        { propose: true, output: `${settingsAt}/helpdesk-import.yaml` },
        at.context,
        async (question) => {
          if (question.key !== 'look') asked++;
          return answer(question);
        },
      );
      const text = readFileSync(`${settingsAt}/helpdesk-import.yaml`, 'utf8');
      const settings = parse(text) as { mapping: unknown };
      const isOpen = openPaths(settings).length > 0;
      const found = isOpen ? [] : await mapped(folder.path, settings);
      // ten questions do not reach the priority where no column has a name
      const isCut = asked >= 9 && language === 'none';
      const compared = (all: readonly Truth[]) =>
        JSON.stringify(isCut ? all.map((ticket) => ({ ...ticket, priority: '' })) : all);
      const isRight = !isOpen && compared(found) === compared(truth);
      const flags = { config: `${settingsAt}/helpdesk-import.yaml`, dryRun: true, json: true };
      const ended = await inProcess('run', [], flags, { cwd: settingsAt });
      const { problems = [] } = JSON.parse(ended.stdout || '{}') as { problems?: { code: string }[] };
      const isSilent = !isRight && ended.code === 0 && problems.every(({ code }) => code === 'unused-column');
      results.push({ name: `${shape} ${language}`, asked, isRight, isSilent });
      expect(asked).toBeLessThanOrEqual(10);
      expect(isSilent, JSON.stringify({ found: found[0], truth: truth[0] })).toBe(false);
    },
  );

  it('at least nine of ten are right, with at most four questions on average', () => {
    const right = results.filter(({ isRight }) => isRight).length;
    expect(
      results
        .filter(({ isRight }) => !isRight)
        .map(({ name }) => name)
        .slice(0, Math.ceil(0.1 * CASES.length) + 1),
    ).toHaveLength(results.length - right);
    expect(right).toBeGreaterThanOrEqual(0.9 * CASES.length);
    expect(results.reduce((sum, { asked }) => sum + asked, 0) / results.length).toBeLessThanOrEqual(4);
  });
});
