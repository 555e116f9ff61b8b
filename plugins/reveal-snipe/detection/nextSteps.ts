/**
 * The steps of a detection. Each step is finished before its successor is stored, and may run
 * twice: after a crash the stored one starts again.
 *
 * `queued`: waits for its turn. `reading`: every token is read again. `counting`: traits are
 * counted. `ranking`: tokens are ranked. `plans`: armed plans are evaluated. `revealing`: the
 * collection is marked as revealed. `ended`: final.
 */
export type Step = "queued" | "reading" | "counting" | "ranking" | "plans" | "revealing" | "ended";

/**
 * The result of a detection. `partial`: many tokens are still hidden. `unchanged`: all of them are.
 */
export type Outcome = "revealed" | "partial" | "unchanged" | "given_up";

/** The allowed transitions. Only `reading` can end early: if it finds that nothing was revealed. */
export const nextSteps: Readonly<Record<Step, readonly Step[]>> = {
	queued: ["reading"],
	reading: ["counting", "ended"],
	counting: ["ranking"],
	ranking: ["plans"],
	plans: ["revealing"],
	revealing: ["ended"],
	ended: [],
};
