/**
 * What a detection goes through. Each step is done before its successor is stored, and may be done
 * twice: after a crash the stored one begins again.
 *
 * `queued`: it waits for its turn. `reading`: every token is read again. `counting`: traits are
 * counted. `ranking`: tokens are ranked. `plans`: armed plans are told. `revealing`: the collection
 * is called revealed. `ended`: nothing is left to do.
 */
export type Step = "queued" | "reading" | "counting" | "ranking" | "plans" | "revealing" | "ended";

/** How it ended. `partial`: many tokens are still hidden. `unchanged`: all of them are. */
export type Outcome = "revealed" | "partial" | "unchanged" | "given_up";

/** Which steps may follow which. Only `reading` can end early: it shows that nothing came out. */
export const nextSteps: Readonly<Record<Step, readonly Step[]>> = {
	queued: ["reading"],
	reading: ["counting", "ended"],
	counting: ["ranking"],
	ranking: ["plans"],
	plans: ["revealing"],
	revealing: ["ended"],
	ended: [],
};
