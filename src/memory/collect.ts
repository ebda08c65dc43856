/** Garbage, collected when we say: V8 looks for it when it is asked for memory, and what lies outside of its heap it hardly counts. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collector: ((how: { type: 'minor' | 'major' }) => void) | undefined;

/** `minor`: of what is young, about a millisecond; `major`: of everything, some tens of milliseconds. Nothing else runs meanwhile. */
export function collectGarbage(type: 'minor' | 'major'): void {
  if (collector === undefined) {
    setFlagsFromString('--expose-gc');
    collector = runInNewContext('gc') as typeof collector;
  }
  collector?.({ type });
}
