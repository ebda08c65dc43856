/** Deltas keep what people change in the target. */
import { describe, expect, it } from 'vitest';
import { answered, textsOf, ticketOf } from './people.ts';

describe('what people do in the target', () => {
  it('a redaction and a deletion made in the target stand', async () => {
    await answered({}, 3, async (run) => {
      const [redacted, shortened] = [ticketOf(run.target, 1), ticketOf(run.target, 2)];
      redacted.messages[0] = {
        ...redacted.messages[0],
        id: redacted.messages[0]?.id ?? '',
        content: '[redacted]',
      };
      shortened.messages.splice(1, 1);
      await run.run(['--delta']);
      await run.run(['--delta']);
      expect(textsOf(redacted)).toContain('[redacted]');
      expect(textsOf(redacted)).not.toContain('Message 1 of ticket 1');
      expect(textsOf(shortened)).not.toContain('Message 2 of ticket 2');
    });
  });
});
