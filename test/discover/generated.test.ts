import { CASES } from './exports.ts';
import { areRight, takeEveryChange } from './generated.ts';

const SAMPLE = CASES.filter(([, language], at) => language !== 'none' && at % 9 === 4);

// All of them: generated.long.test.ts.
areRight(SAMPLE, true);
takeEveryChange(SAMPLE, 40);
