/** An export as `doctor` sees it: whether its layout is known, and whether the hosts of its attachments answer. */
import { createChecker } from '../../check/check-ticket.ts';
import { AppError } from '../../domain/errors.ts';
import { checkRules } from '../../import/check-rules.ts';
import { examineExport } from '../../import/examine.ts';
import type { ImportPorts } from '../../import/import-job.ts';
import { type OpenedSource, openSource } from '../../import/source.ts';
import type { Settings } from '../../settings/settings.ts';
import { namedHosts } from '../../settings/settings.ts';
import { createAttachmentProbe, type ProbeResult } from '../../verify/attachment-probe.ts';
import { countOf, formatBytes } from '../../view/format.ts';
import { type DoctorCheck, failed, fine, warning } from './doctor-view.ts';

export interface ExportChecks {
  readonly checks: readonly DoctorCheck[];
  /** Size of the files once they are unpacked, bytes. */
  readonly bytes: number;
}

/** Reads the export; asks for attachments only `withAttachments`, one address on each host. */
export async function checkExport(
  settings: Settings,
  withAttachments: boolean,
  ports: Omit<ImportPorts, 'random' | 'confirm'>,
): Promise<ExportChecks> {
  try {
    await using source = await openSource(settings, {
      ...ports,
      problem: () => undefined,
      signal: ports.soft,
      folder: ports.settingsFolder,
    });
    const { files, detection } = source;
    const bytes = files.files.reduce((sum, file) => sum + file.bytes, 0);
    const export_ = fine(
      'export',
      `${countOf(files.files.length, 'file')}, ${formatBytes(bytes)}: the layout is ${detection.layout.name}.`,
    );
    const checks = withAttachments
      ? [export_, await checkAttachmentHosts(source, settings, ports)]
      : [export_];
    return { checks, bytes };
  } catch (error) {
    if (!(error instanceof AppError) || (error.code !== 'source' && error.code !== 'configuration'))
      throw error;
    return { checks: [failed('export', 2, error.message, error.hint, { lines: error.lines })], bytes: 0 };
  }
}

/** Hosts that are told apart. */
const MOST_HOSTS = 100;
/** Hosts that are listed. */
const SHOWN_HOSTS = 10;

async function checkAttachmentHosts(
  source: OpenedSource,
  settings: Settings,
  { clock, env, soft }: Pick<ImportPorts, 'clock' | 'env' | 'soft'>,
): Promise<DoctorCheck> {
  const name = 'attachments';
  const hosts = new Map<string, { url: string; count: number }>();
  let attachments = 0;
  let elsewhere = 0;
  const check = createChecker(checkRules(settings, source, clock));
  for await (const chunk of examineExport({ source, settings, check }, soft)) {
    for (const examined of chunk) {
      const messages = examined.kind === 'ticket' ? (examined.result.checked?.messages ?? []) : [];
      for (const { url } of messages.flatMap(({ attachments: all = [] }) => all)) {
        attachments++;
        const host = URL.parse(url)?.host ?? '';
        const known = hosts.get(host);
        if (known !== undefined) known.count++;
        else if (hosts.size < MOST_HOSTS) hosts.set(host, { url, count: 1 });
        else elsewhere++;
      }
    }
  }
  if (attachments === 0) return fine(name, 'The export has no attachments.');
  await using probe = createAttachmentProbe(clock, {
    timeoutMs: Math.min(10, settings.run.timeout) * 1000,
    privateHosts: namedHosts(settings.files),
    env,
  });
  const urls = [...hosts.values()].map(({ url }) => url);
  const results = await probe.probe(urls, soft);
  return judgeHosts([...hosts], results, attachments, elsewhere);
}

/** One sentence on all hosts, and a line on each of those that do not answer as they should. Pure. */
export function judgeHosts(
  hosts: readonly (readonly [host: string, of: { url: string; count: number }])[],
  results: ReadonlyMap<string, ProbeResult>,
  attachments: number,
  elsewhere = 0,
): DoctorCheck {
  const name = 'attachments';
  const bad = hosts.filter(([, { url }]) => results.get(url)?.outcome !== 'reachable');
  const left = elsewhere > 0 ? ` and others, which were not asked (${countOf(elsewhere, 'attachment')})` : '';
  const all = `${countOf(attachments, 'attachment')} on ${countOf(hosts.length, 'host')}${left}`;
  if (bad.length === 0) return fine(name, `${all}: each of them hands out a file.`);
  const lines = bad
    .toSorted(([, a], [, b]) => b.count - a.count)
    .slice(0, SHOWN_HOSTS)
    .map(([, { url, count }]) => `${countOf(count, 'attachment')}: ${results.get(url)?.detail ?? url}`);
  return warning(
    name,
    `${all}; ${countOf(bad.length, 'host')} would not hand out the file that was asked for.`,
    'The target shows links to these files: make them open to everybody who has the address, or move them, before the old helpdesk is closed.',
    { lines },
  );
}
