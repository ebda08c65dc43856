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
  /** The first address of a person with several. */
  readonly known?: string | undefined;
}

/** People embedded in tickets, by table of the layout and by ID. */
export type EmbeddedPeople = ReadonlyMap<string, ReadonlyMap<string, Person>>;
