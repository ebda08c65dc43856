/**
 * Stores of the payloads' fields by name. Written out because a store under a computed key is several times slower, and
 * it happens for every field of every message.
 */
export type SetField = (target: Record<string, unknown>, value: unknown) => void;

const SETTERS: Readonly<Record<string, SetField>> = {
  subject: (target, value) => {
    target['subject'] = value;
  },
  status: (target, value) => {
    target['status'] = value;
  },
  priority: (target, value) => {
    target['priority'] = value;
  },
  tags: (target, value) => {
    target['tags'] = value;
  },
  createdAt: (target, value) => {
    target['createdAt'] = value;
  },
  actorType: (target, value) => {
    target['actorType'] = value;
  },
  content: (target, value) => {
    target['content'] = value;
  },
  contentType: (target, value) => {
    target['contentType'] = value;
  },
  occurredAt: (target, value) => {
    target['occurredAt'] = value;
  },
  agentId: (target, value) => {
    target['agentId'] = value;
  },
  isInternal: (target, value) => {
    target['isInternal'] = value;
  },
  type: (target, value) => {
    target['type'] = value;
  },
};

export function setterOf(name: string): SetField {
  const setter = Object.hasOwn(SETTERS, name) ? SETTERS[name] : undefined;
  return (
    setter ??
    ((target, value) => {
      target[name] = value;
    })
  );
}
