// Lists the lies of a node, in answers and in subscriptions.

import type { RpcCall } from "#core/chain/rpc/Rpc.ts";
import type { Prng } from "#test/sandbox/createPrng.ts";
import type { SentLog } from "#test/sim/node/answerCall.ts";

export type LieAbout = {
	call: RpcCall;
	answer: unknown;
	prng: Prng;
	/** Blocks above this one may still leave the chain: there the product looks closely. */
	settledAt: number;
};

export type PushAbout = {
	/** A log of a block that left the chain, where there is one. */
	orphan: SentLog | undefined;
	prng: Prng;
};

/** Changes an answer; undefined where there is nothing in it to lie about. */
type Lie = (about: LieAbout) => unknown;

/** Changes one block's logs on their way to one subscription; there is one at least. */
type PushLie = (logs: readonly SentLog[], about: PushAbout) => readonly unknown[];

/** How often things go wrong at one node, for each request. */
export type NodeKnobs = {
	errorRate: number;
	delayRate: number;
	lieRate: number;
	lies: readonly LieName[];
	/** The node's picture may change between the calls of one batch. */
	splitRate: number;
	rangeMax: number;
	/** What every request takes at least; unset: nothing. */
	roundTripMs?: number;
	/** How often a block's logs come wrong, or late, over a subscription. */
	pushLieRate?: number;
	/** Answers by hash for blocks that left the chain, as geth does and anvil does not. */
	keepsOrphans: boolean;
};

/** A node with which nothing is ever wrong. */
export const calmNode: NodeKnobs = {
	errorRate: 0,
	delayRate: 0,
	lieRate: 0,
	lies: [],
	splitRate: 0,
	rangeMax: Number.POSITIVE_INFINITY,
	keepsOrphans: false,
};

/** Every lie leaves a trace that a careful reader can see; without one nobody could. */
export const lies = {
	/**
	 * All logs of one block are left out, while its header says that there are some. Only near the
	 * head: below the reach of reorgs the product does not read each block's header.
	 */
	missing_logs: onLogs((logs, { prng, settledAt }) => {
		const near = logs.filter(({ blockNumber }) => Number(blockNumber) > settledAt);
		if (near.length === 0) return undefined;
		const { blockHash } = prng.pick(near);
		return logs.filter((log) => log.blockHash !== blockHash);
	}),
	/** One log claims to be of a block that nobody has. Only near the head, as above. */
	altered_hash: onLogs((logs, { prng, settledAt }) => {
		const near = logs.filter(({ blockNumber }) => Number(blockNumber) > settledAt);
		if (near.length === 0) return undefined;
		const of = prng.pick(near);
		const blockHash = `0x${"bad0".repeat(16)}`;
		return logs.map((log) => (log === of ? { ...log, blockHash } : log));
	}),
	/** Two logs at one place. */
	duplicate_index: onLogs((logs, { prng }) => {
		const of = prng.pick(logs);
		const twin = { ...of, data: `${of.data}${"00".repeat(32)}` };
		return logs.flatMap((log) => (log === of ? [log, twin] : [log]));
	}),
	/** One log twice, to the letter. */
	doubled_log: onLogs((logs, { prng }) => {
		const of = prng.pick(logs);
		return logs.flatMap((log) => (log === of ? [log, log] : [log]));
	}),
	/** A log that a reorg took back, marked as such: no lie, and easily taken for a mint. */
	removed_log: onLogs((logs, { prng }) => {
		const of = prng.pick(logs);
		const gone = { ...of, logIndex: "0xfff", removed: true };
		return logs.flatMap((log) => (log === of ? [log, gone] : [log]));
	}),
	/** A log without a field: the answer is half there. */
	half_log: onLogs((logs, { prng }) => {
		const of = prng.pick(logs);
		return logs.map((log) => (log === of ? { ...log, transactionHash: undefined } : log));
	}),
	/** A log of a block that was not asked about. */
	other_range: onLogs((logs, { prng }) => {
		const of = prng.pick(logs);
		return logs.map((log) => (log === of ? { ...log, blockNumber: "0xfffff" } : log));
	}),
	/** Nothing where a block, a transaction or a receipt is. */
	null_answer: ({ answer }) => (typeof answer === "object" && answer !== null ? null : undefined),
	/** Text where an object should be. */
	nonsense: ({ call }) => (call.method === "eth_chainId" ? undefined : "<html>502</html>"),
} satisfies Record<string, Lie>;

export type LieName = keyof typeof lies;

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

function onLogs(change: (logs: readonly SentLog[], about: LieAbout) => unknown): Lie {
	return (about) => {
		const { call, answer } = about;
		if (call.method !== "eth_getLogs" || !Array.isArray(answer) || answer.length === 0) return;
		return change(answer, about);
	};
}

/** The same length, another last digit. */
function flip(hex: string): string {
	return `${hex.slice(0, -1)}${hex.endsWith("1") ? "2" : "1"}`;
}
