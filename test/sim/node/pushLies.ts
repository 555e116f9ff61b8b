import type { Prng } from "#test/sandbox/createPrng.ts";
import type { SentLog } from "#test/sim/node/renderBlock.ts";

export type PushAbout = {
	/** A log of a block that left the chain, where there is one. */
	orphan: SentLog | undefined;
	prng: Prng;
};

/** Changes one block's logs on their way to one subscription; there is one at least. */
type PushLie = (logs: readonly SentLog[], about: PushAbout) => readonly unknown[];

/** What subscriptions do to logs. None of it may be seen in the index once faults have ended. */
export const pushLies = {
	skipped_block: () => [],
	skipped_log: (logs, { prng }) => {
		const of = prng.pick(logs);
		return logs.filter((log) => log !== of);
	},
	repeated: (logs) => [...logs, ...logs],
	/** Logs of a fork that is left, before those of this one. */
	dead_fork: (logs, { orphan }) => (orphan ? [orphan, ...logs] : logs),
	removed: (logs, { prng }) => [...logs, { ...prng.pick(logs), removed: true }],
	/** A log that never was; its block's bloom speaks of ones like it. */
	invented: (logs, { prng }) => {
		const of = prng.pick(logs);
		const topics = of.topics.map((topic, at) => (at < 3 ? topic : flip(topic)));
		const twin = { ...of, topics, data: flip(of.data), logIndex: "0xff1" };
		return [...logs, twin];
	},
	/** Another word in a log that is there. */
	altered: (logs, { prng }) => {
		const of = prng.pick(logs);
		const topics = of.topics.map((topic, at) => (at < 3 ? topic : flip(topic)));
		return logs.map((log) => (log === of ? { ...of, topics, data: flip(of.data) } : log));
	},
	other_hash: (logs, { prng }) => {
		const of = prng.pick(logs);
		return logs.map((log) => (log === of ? { ...log, blockHash: `0x${"bad1".repeat(16)}` } : log));
	},
	other_number: (logs, { prng }) => {
		const of = prng.pick(logs);
		return logs.map((log) => (log === of ? { ...log, blockNumber: "0xfffff" } : log));
	},
	/** Of a contract that nobody asked about. */
	foreign: (logs, { prng }) => {
		const address = `0x${"f0".repeat(20)}`;
		return [...logs, { ...prng.pick(logs), address, logIndex: "0xff2" }];
	},
	half: (logs, { prng }) => {
		const of = prng.pick(logs);
		return logs.map((log) => (log === of ? { ...log, transactionHash: undefined } : log));
	},
	nonsense: (logs) => ["<html>502</html>", null, ...logs],
	flood: (logs, { prng }) => {
		const of = prng.pick(logs);
		const many = Array.from({ length: FLOOD_LOGS }, (_, at) => {
			return { ...of, logIndex: `0x${(0x1_000 + at).toString(16)}` };
		});
		return [...logs, ...many];
	},
} satisfies Record<string, PushLie>;

export type PushLieName = keyof typeof pushLies;

/** More than the product holds of one block. */
const FLOOD_LOGS = 2_100;

/** The same length, another last digit. */
function flip(hex: string): string {
	return `${hex.slice(0, -1)}${hex.endsWith("1") ? "2" : "1"}`;
}
