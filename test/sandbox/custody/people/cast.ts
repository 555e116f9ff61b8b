import type { PersonPlan } from "./Person.ts";

/** The users that exist from the start: one for each case that differs. */
export const cast: readonly PersonPlan[] = [
	{ username: "ada", embedded: "delegated", external: null },
	{ username: "ben", embedded: "manual", external: null },
	{ username: "cleo", embedded: "delegated", external: 9 },
	{ username: null, embedded: "delegated", external: null },
	{ username: "emil", embedded: "archived", external: null },
	{ username: "fay", embedded: "none", external: 8 },
	{ username: "gil", embedded: "delegated", external: null },
];
