/** `--plan`: where a dry run keeps its plan. */
import { requireOutput } from '../../cli/output-file.ts';
import { keepingPlan } from '../../import/plan-settings.ts';
import { isPlan } from '../../plan/plan-file.ts';
import type { Settings } from '../../settings/settings.ts';

/** Throws AppError `usage` where the plan cannot be kept there. */
export function withKeptPlan(settings: Settings, path: string, force = false): Settings {
  const keeping = keepingPlan(settings, path);
  requireOutput({ path, name: `The plan ${path}`, isOurs: isPlan, isDatabase: true, force });
  return keeping;
}
