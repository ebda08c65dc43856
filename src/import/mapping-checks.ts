/** The sections of a settings file that are written in the mapping language, judged by it. */

import { readUsageMapping } from '../billing/usage-mapping-language.ts';
import { readMapping } from '../mapping/language/read-layout.ts';
import { builtinLayout } from '../mapping/platforms/builtin-layouts.ts';
import type { MappingCheck } from '../settings/settings-file.ts';

/** `mapping`: tickets, messages and events. */
export const checkMapping: MappingCheck = (mapping) => {
  const read = readMapping(mapping, builtinLayout);
  return 'issues' in read ? read.issues : [];
};

/** `appApi.usageEvents`. */
export const checkUsageEvents: MappingCheck = (mapping) => {
  const read = readUsageMapping(mapping);
  return 'issues' in read ? read.issues : [];
};
