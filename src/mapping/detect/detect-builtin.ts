/** Detection among the layouts that ship with the program, reading no more of them than it takes. */
import { AppError } from '../../domain/errors.ts';
import type { FileShape } from '../../domain/source-file.ts';
import { builtinLayout, builtinLayouts } from '../platforms/builtin-layouts.ts';
import { type Detection, detectLayout } from './detect.ts';

/** Surer than this, and with every file in use, the native layout needs no comparison with the others. */
const SURE = 0.85;

/** As `detectLayout` among all built-in layouts; reading them all costs some tenths of a second, which this mostly saves. */
export function detectBuiltin(shapes: readonly FileShape[], from?: string): Detection {
  if (from !== undefined) return detectLayout(shapes, [builtinLayout(from)], from);
  const native = tryNative(shapes);
  if (native !== undefined && native.confidence >= SURE && native.unused.length === 0) return native;
  return detectLayout(shapes, builtinLayouts());
}

function tryNative(shapes: readonly FileShape[]): Detection | undefined {
  try {
    return detectLayout(shapes, [builtinLayout('native')]);
  } catch (error) {
    if (error instanceof AppError && error.code === 'source') return undefined;
    throw error;
  }
}
