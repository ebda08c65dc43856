/** Somebody as the export names them. */

export type Role = 'customer' | 'agent' | 'system';

export interface Person {
  readonly id?: string | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  /** What the source says about the role; undefined when it says nothing. */
  readonly role?: Role | undefined;
  /** The source's word for it, for the plan. */
  readonly roleFrom?: string | undefined;
  /** Of somebody with several addresses, as a file of people says: the first. */
  readonly known?: string | undefined;
}

/** People who stand in records of tickets, by the name of their table in the layout and by id. */
export type EmbeddedPeople = ReadonlyMap<string, ReadonlyMap<string, Person>>;
