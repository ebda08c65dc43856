/** YAML that the program writes. Text from outside is a value of it or a comment, never syntax. */
import { Document, type ToStringOptions, visit } from 'yaml';
import { isSteering, printableJson } from '../printable.ts';

/** Characters that end a line or steer a terminal are escaped, in values and in comments. */
export function yamlText(document: Document, options: ToStringOptions = {}): string {
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value !== 'string' || !isSteering(node.value)) return;
      const isOwnBlock = node.type?.startsWith('BLOCK') && !isSteering(node.value.replaceAll('\n', ''));
      // The library folds white space around line ends into another text.
      if (!isOwnBlock || !/^\S/.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return printableJson(document.toString({ doubleQuotedAsJSON: true, ...options }));
}

/** One line: `public: { column: type, is: false }` */
export function yamlLine(value: object): string {
  const line = yamlText(new Document(value), { lineWidth: 0, collectionStyle: 'flow' });
  return line.trim().slice(1, -1).trim();
}
