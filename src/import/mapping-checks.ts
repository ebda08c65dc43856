/** The mapping of a settings file, judged by the mapping language. */

import { readMapping } from '../mapping/language/read-layout.ts';
import { builtinLayout } from '../mapping/platforms/builtin-layouts.ts';
import type { MappingCheck } from '../settings/settings-file.ts';

/** `mapping`: tickets, messages and events. */
export const checkMapping: MappingCheck = (mapping) => {
  const read = readMapping(mapping, builtinLayout);
  return 'issues' in read ? read.issues : [];
};
