/** The files of docs/examples that run elsewhere, judged by what they promise. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from '../support/cli.ts';

const text = (name: string) => readFileSync(join(root, 'docs/examples', name), 'utf8');
interface Step {
  uses?: string;
  run?: string;
  if?: string;
  with?: Record<string, unknown>;
}
const jobsOf = (yaml: string) => (parse(yaml) as { jobs: Record<string, { steps: Step[] }> }).jobs;

describe.each(['github-action.yml'])('the workflow %s', (name) => {
  it('keeps checkpoint and rejects for every exit code of the import', () => {
    for (const { steps } of Object.values(jobsOf(text(name)))) {
      const at = steps.findIndex(({ run }) => /run export.zip .*--checkpoint/.test(run ?? ''));
      if (at < 0) continue;
      const kept = steps.slice(at + 1);
      expect(kept.length).toBeGreaterThan(1);
      for (const step of kept) expect(step.if).toBe('always()');
      const paths = kept.map((step) => String(step.with?.['path'])).join('\n');
      expect(paths).toMatch(/sqlite|checkpoints/);
      expect(paths).toContain('helpdesk-import.rejects');
    }
  });

  it('fetches the export, and hides no exit code', () => {
    for (const { steps } of Object.values(jobsOf(text(name)))) {
      const runs = steps.map(({ run }) => run ?? '');
      if (runs.some((run) => run.includes('export.zip')))
        expect(runs.findIndex((run) => run.startsWith('curl '))).toBeGreaterThan(0);
      for (const run of runs) expect(run).not.toMatch(/\|\| (true|:|exit 0|\[)| export\/ /);
      for (const step of steps) expect(step).not.toHaveProperty('continue-on-error');
    }
  });
});

it('the pipeline for GitLab does what the workflow for GitHub does, with the same commands', () => {
  const {
    check,
    smoke,
    '.export': before,
  } = parse(text('gitlab-ci.yml')) as Record<
    string,
    {
      script: string[];
      before_script: string[];
      artifacts: { when: string; paths: string[] };
      cache: object;
    } & Step
  >;
  const there = jobsOf(text('github-action.yml'));
  const runsOf = (job: string) => (there[job]?.steps ?? []).flatMap(({ run }) => run ?? []);
  expect([...(before?.before_script ?? []), ...(check?.script ?? [])]).toEqual(runsOf('check'));
  expect([...(before?.before_script ?? []), ...(smoke?.script ?? [])]).toEqual(runsOf('smoke'));
  expect(smoke).toMatchObject({
    resource_group: 'staging-import',
    cache: { when: 'always', paths: ['staging.sqlite*'] },
    artifacts: { when: 'always', paths: ['helpdesk-import.rejects/', 'smoke.json'] },
  });
  expect(check?.artifacts.paths).toEqual(['plan.html']);
});

describe.each(['ci.yml', 'release.yml'])('the workflow %s of this repository', (name) => {
  const written = readFileSync(join(root, '.github/workflows', name), 'utf8');
  interface Job {
    readonly permissions?: Record<string, string>;
    readonly steps: readonly Step[];
  }
  const flow = parse(written) as { permissions: object; on: object; jobs: Record<string, Job> };

  it('takes actions by their commit, reads the repository alone, and keeps no credential', () => {
    expect(flow.permissions).toEqual({ contents: 'read' });
    expect(Object.keys(flow.on)).not.toContain('pull_request_target');
    expect(written).not.toContain('secrets.');
    for (const { steps, permissions } of Object.values(flow.jobs)) {
      expect(permissions ?? {}).toEqual(
        name === 'release.yml' ? { contents: 'write', 'id-token': 'write' } : {},
      );
      for (const { uses, with: given } of steps) {
        if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[\da-f]{40}$/);
        if (uses?.startsWith('actions/checkout@')) expect(given).toEqual({ 'persist-credentials': false });
      }
    }
  });

  it('runs all that CI runs', () => {
    const runs = Object.values(flow.jobs).flatMap(({ steps }) => steps.map(({ run }) => run));
    expect(runs).toContain('.ci/run');
  });
});
