/** Who stands behind a step of a thread, in the columns of messages.csv. */
import type { Seeded } from '../seeded.ts';
import { colleagueOf, EXPERTS, type Person } from './people.ts';
import type { Step } from './thread.ts';

export function author(step: Step, person: Person, agentId: string, random: Seeded) {
  switch (step.by) {
    case 'customer':
      return { actorType: 'customer', 'contact.email': asTyped(person.email, random) };
    case 'colleague':
      return { actorType: 'customer', 'contact.email': colleagueOf(person).email };
    case 'system':
      return { actorType: 'system' };
    case 'agent':
      return { actorType: 'agent', agentId };
    case 'note':
      return { actorType: 'agent', agentId: signerOf(step)?.id ?? agentId };
    case 'expert':
      return { actorType: 'agent', agentId: expertOf(step).id };
  }
}

function signerOf(note: Step) {
  return EXPERTS.find(({ name }) => note.texts.some((text) => text.endsWith(`– ${name}`)));
}

/** Experts sign, or introduce themselves. */
export function expertOf(step: Step) {
  const named = EXPERTS.find(({ name }) => step.texts.some((text) => text.includes(name)));
  // Mei goes on in threads in which she has introduced herself.
  return named ?? { id: 'agt_09', name: 'Mei' };
}

/** Old desks kept addresses as people typed them; the service compares them trimmed and in lower case. */
export function asTyped(email: string, random: Seeded): string {
  if (random.chance(3)) return email.replace(/(^|\.)[a-z]/g, (letter) => letter.toUpperCase());
  return random.chance(1) ? `${email} ` : email;
}
