/** Walks zod schemas for what their errors do not tell: which keys are known where. */
import type { z } from 'zod';
import { nearest } from '../domain/nearest.ts';

type Path = readonly PropertyKey[];
type Schema = z.core.$ZodType;

/** The schemas behind optional, default, nullable, lazy, pipes and unions. */
function alternatives(schema: Schema, depth = 0): Schema[] {
  if (depth > 12) return [];
  const def: z.core.$ZodTypeDef & {
    innerType?: Schema;
    in?: Schema;
    options?: Schema[];
    getter?: () => Schema;
  } = schema._zod.def;
  const inner = def.innerType ?? def.in ?? (def.type === 'lazy' ? def.getter?.() : undefined);
  if (inner !== undefined) return alternatives(inner, depth + 1);
  if (def.type === 'union' && def.options !== undefined)
    return def.options.flatMap((option) => alternatives(option, depth + 1));
  return [schema];
}

function shapeOf(schema: Schema): Readonly<Record<string, Schema>> | undefined {
  const def: z.core.$ZodTypeDef & { shape?: Readonly<Record<string, Schema>> } = schema._zod.def;
  return def.type === 'object' ? def.shape : undefined;
}

/** The schemas that may stand at a path of the data. */
function schemasAt(root: Schema, path: Path): Schema[] {
  let found = alternatives(root);
  for (const part of path) {
    found = found.flatMap((schema) => {
      const def: z.core.$ZodTypeDef & { element?: Schema; valueType?: Schema } = schema._zod.def;
      const shape = shapeOf(schema);
      const next =
        shape === undefined
          ? (def.element ?? def.valueType)
          : Object.hasOwn(shape, part)
            ? shape[String(part)]
            : undefined;
      return next === undefined ? [] : alternatives(next);
    });
  }
  return found;
}

/** Keys that an object at this path may have. */
export function knownKeys(root: Schema, path: Path): string[] {
  const keys = schemasAt(root, path).flatMap((schema) => Object.keys(shapeOf(schema) ?? {}));
  return [...new Set(keys)];
}

/** ` Did you mean …?` for an unknown key: a near one at the same place, or the same key in a section of the file. */
export function keyHint(root: Schema, path: Path, key: string): string {
  const here = knownKeys(root, path);
  const near = nearest(key, here);
  if (near !== undefined) return ` Did you mean "${near}"?`;
  for (const section of knownKeys(root, [])) {
    const elsewhere = knownKeys(root, [section]);
    const match = elsewhere.includes(key) ? key : nearest(key, elsewhere);
    if (match !== undefined && section !== path[0]) return ` Did you mean "${section}.${match}"?`;
    if (key === section) return ` It belongs at the top of the file.`;
  }
  return here.length === 0 || here.length > 16 ? '' : ` Known here: ${here.join(', ')}.`;
}
