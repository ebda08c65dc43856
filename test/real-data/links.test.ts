/** No body of a real export has anything rewritten in it that is no link to a ticket: every rewriting is listed. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createChecker } from '../../src/check/check-ticket.ts';
import { type LoadedSettings, loadSettings } from '../../src/cli/load-settings.ts';
import type { CheckedTicket } from '../../src/domain/ticket.ts';
import { checkRules } from '../../src/import/check-rules.ts';
import { examineExport } from '../../src/import/examine.ts';
import { openSource } from '../../src/import/source.ts';
import { platformIn } from '../../src/import/source-name.ts';
import { linkForms, REFERENCES } from '../../src/links/link-forms.ts';
import { rewriteLinks } from '../../src/links/rewrite-links.ts';
import { systemClock } from '../../src/system-clock.ts';
import { inProcess } from '../cli/in-process.ts';
import { DATA, hasData, REAL_EXPORTS, type RealExport, settingsFile } from './exports.ts';

const ADDRESSES: Readonly<Record<string, string>> = {
  github: 'https://github.com/any/any/issues/{id}',
  jira: 'https://jira.example.com/browse/{id}',
};

async function settingsOf(real: RealExport): Promise<LoadedSettings> {
  let loaded: LoadedSettings | undefined;
  await inProcess(
    async (files, flags, context) => {
      loaded = await loadSettings(files, flags, ['files'], context);
      return 0;
    },
    [join(DATA, real.folder)],
    { config: settingsFile(real), dryRun: true },
    { cwd: DATA },
  );
  if (loaded === undefined) throw new Error(`${real.folder} has no settings.`);
  return loaded;
}

describe.runIf(hasData)('links in the bodies of a real export', () => {
  it.each(REAL_EXPORTS)('$folder: nothing is taken for a link to a ticket that is none', async (real) => {
    const { settings, folder } = await settingsOf(real);
    const signal = new AbortController().signal;
    await using source = await openSource(settings, {
      emit: () => undefined,
      problem: () => undefined,
      signal,
      folder,
      // So that nothing is rejected for an agent without an id.
      findAgent: async (email) => `agent:${email}`,
    });
    const check = createChecker(checkRules(settings, source, systemClock));
    const tickets: CheckedTicket[] = [];
    for await (const chunk of examineExport({ source, settings, check }, signal))
      for (const one of chunk)
        if (one.kind === 'ticket' && one.result.checked !== undefined) tickets.push(one.result.checked);
    const ids = new Set(tickets.map(({ externalId }) => externalId));
    const platform = platformIn(settings, source);
    const forms = linkForms({
      source: ADDRESSES[platform] ?? 'https://acme.zendesk.com/agent/tickets/{id}',
      // As wide as it gets: where the source has no form of its own, that of numbers.
      reference: REFERENCES.get(platform) ?? '#{id}',
      platform,
    });
    const found = tickets.flatMap(({ externalId, messages }) => {
      const rules = {
        forms,
        target: 'https://new.example.com/{id}',
        ticketOf: (id: string) => (ids.has(id) ? id : undefined),
      };
      return rewriteLinks(externalId, messages, rules).links.map(
        ({ message, written, oldId }) =>
          `ticket ${externalId}, message ${message + 1}: ${JSON.stringify(written)} for ${oldId}`,
      );
    });
    const bodies = tickets.reduce((sum, { messages }) => sum + messages.length, 0);
    process.stdout.write(
      `${real.folder}: ${bodies} bodies, ${found.length} rewritten${found.map((one) => `\n  ${one}`).join('')}\n`,
    );
    expect(found).toEqual([]);
  });
});
