// Defines the steps of a detection, and the reasons to check a collection.

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
 * `withdrawn`: its contract hid them again, or the reveal left the chain; it ends at any step.
 */
export type Outcome = "revealed" | "partial" | "unchanged" | "given_up" | "withdrawn";

/** Holds a reason to check a collection for a reveal. */
export type Trigger = {
	signal: TriggerSignal;
	/** The block in which it happened, or the newest one. */
	block: { number: number; atMs: number | null } | null;
	heardAtMs: number;
	/**
	 * The regular poll is among the reasons, perhaps beside a stronger one: documents are then read.
	 */
	isPolled: boolean;
};

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

/** Lists reasons to check a collection. Later ones are stronger evidence. */
const TRIGGERS = ["poll", "block", "log", "metadata_event"] as const;
export type TriggerSignal = (typeof TRIGGERS)[number];

/** Lists the evidence that a check can find: another URI, or traits where there were none. */
const EVIDENCE = ["uri_hash", "traits"] as const;
export type Evidence = (typeof EVIDENCE)[number];

/** All signals that can be switched on. */
export const SIGNALS = [...TRIGGERS, ...EVIDENCE] as const;
export type Signal = (typeof SIGNALS)[number];

/** `MetadataUpdate(uint256)` and `BatchMetadataUpdate(uint256,uint256)` of ERC-4906. */
const METADATA_TOPICS = new Set([
	"0xf8e1a15aba9398e019f0b49df1a4fde98ee17ae345cb5f6b5e2c27f5033e8ce7",
	"0x6bd5c950a8d8df17f772f5af37cb3655737899cbf903264b9795592da439661c",
]);

/** Joins two reasons: the stronger one, with the time of the earlier one. */
export function joinTriggers(first: Trigger | null, second: Trigger): Trigger {
	if (first === null) return second;
	const isMore = TRIGGERS.indexOf(second.signal) > TRIGGERS.indexOf(first.signal);
	const heardAtMs = Math.min(first.heardAtMs, second.heardAtMs);
	const isPolled = first.isPolled || second.isPolled;
	return { ...(isMore ? second : first), block: newerOf(first, second), heardAtMs, isPolled };
}

/** Returns whether a log is an ERC-4906 event or another one. */
export function signalOfLog(topic: string | undefined): "metadata_event" | "log" {
	return METADATA_TOPICS.has(topic?.toLowerCase() ?? "") ? "metadata_event" : "log";
}

function newerOf({ block: a }: Trigger, { block: b }: Trigger): Trigger["block"] {
	if (a === null || b === null) return a ?? b;
	if (a.number !== b.number) return a.number > b.number ? a : b;
	return { number: a.number, atMs: a.atMs ?? b.atMs };
}
