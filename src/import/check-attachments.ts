/** Asks for the headers of every attachment of the export, within the probe's bounds (`run.checkAttachments`). */

import { namedHosts } from '../settings/settings.ts';
import { createAttachmentProbe } from '../verify/attachment-probe.ts';
import { examineExport } from './examine.ts';
import type { ImportJob } from './import-job.ts';

/** Addresses that are asked for at a time: bounds the memory of the pass. */
const TOGETHER = 1000;

export async function checkAllAttachments(job: ImportJob): Promise<{ checked: number; unreachable: number }> {
  const { source, settings, ports, problem } = job;
  const counts = { checked: 0, unreachable: 0 };
  await using probe = createAttachmentProbe(ports.clock, {
    timeoutMs: settings.run.timeout * 1000,
    maxUrls: Number.POSITIVE_INFINITY,
    privateHosts: namedHosts(settings.files),
    env: ports.env,
  });
  const waiting = new Map<string, { ticket: string; file: string; line: number; field: string }>();
  const ask = async () => {
    const results = await probe.probe(waiting.keys(), ports.soft);
    for (const [url, { outcome, detail }] of results) {
      counts.checked++;
      if (outcome === 'reachable') continue;
      counts.unreachable++;
      const place = waiting.get(url);
      problem({
        severity: 'warning',
        code: 'attachment-unreachable',
        ...place,
        message: `The attachment cannot be opened (${detail}); the helpdesk will show a link that leads nowhere.`,
        count: 1,
      });
    }
    waiting.clear();
  };
  for await (const chunk of examineExport(job, ports.soft)) {
    for (const examined of chunk) {
      if (examined.kind !== 'ticket' || examined.skippedBecause !== undefined) continue;
      const { checked } = examined.result;
      for (const [message, { attachments = [] }] of checked?.messages.entries() ?? [])
        for (const [index, { url }] of attachments.entries())
          waiting.set(url, {
            ticket: examined.externalId,
            file: source.files.files[examined.ref.file]?.name ?? '',
            line: examined.ref.line,
            field: `messages[${message}].attachments[${index}].url`,
          });
    }
    if (waiting.size >= TOGETHER) await ask();
  }
  if (waiting.size > 0) await ask();
  return counts;
}
