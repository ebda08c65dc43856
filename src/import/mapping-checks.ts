/** The mapping of a settings file, judged by the mapping language. */

import { builtinLayout } from '../mapping/detect/builtin-layouts.ts';
import { readMapping } from '../mapping/language/read-layout.ts';
import type { MappingCheck } from '../settings/settings-file.ts';

/** `mapping`: tickets, messages and events. */
export const checkMapping: MappingCheck = (mapping) => {
  const read = readMapping(mapping, builtinLayout);
  return 'issues' in read ? read.issues : [];
};
