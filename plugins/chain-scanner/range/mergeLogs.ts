import type { Hex, RawLog } from "#core/chain/Hex.ts";
import type { Rpc, RpcInconsistency } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";
import type { Log } from "#core/log.ts";
import type { Metrics } from "#core/metrics.ts";
import type { LaneKind } from "#plugins/chain-scanner/contract.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import type { LaneSource } from "#plugins/chain-scanner/range/model.ts";

/** Where a lane reports unreadable logs. */
export type UndecodedReport = {
	undecoded(lane: LaneKind, log: RawLog, problem: string): void;
	noise(lane: LaneKind, count: number): void;
};

/** A record, so that a kind that core adds must be decided here. */
const KINDS: Record<RpcInconsistency, true> = {
	missing_logs: true,
	hash_mismatch: true,
	duplicate_log: true,
	foreign_log: true,
	wrong_chain: true,
	head_jumped_back: true,
	head_too_far: true,
	disagreement: true,
	false_receipt: true,
	malformed: true,
};

/** Contracts remembered as already logged; one that emits garbage forever is one line. */
const NAMED_MAX = 10_000;

/**
 * Merges the answers to a range's queries into one list, in chain order, and checks that they are
 * of one chain: one hash for each block, that of its header where there is one, one block for each
 * transaction, one log at each place.
 *
 * A node that switches forks between two answers, or endpoints behind one balancer that disagree,
 * would otherwise give events of blocks that exclude each other. A log sent twice identically
 * counts once.
 */
export function mergeLogs(
	lists: readonly (readonly RawLog[])[],
	hashes: ReadonlyMap<number, Hex>,
): RawLog[] {
	const merged: RawLog[] = [];
	const blockOf = new Map<Hex, number>();
	let hash: Hex | null = null;
	let number = -1;
	for (const log of inOrder(lists)) {
		const before = merged.at(-1);
		const block = Number(log.blockNumber);
		if (block !== number) {
			number = block;
			hash = hashes.get(block) ?? log.blockHash;
		}
		if (log.blockHash !== hash)
			throw contradiction("hash_mismatch", `block ${block} has two hashes`);
		const isNext = before?.transactionHash === log.transactionHash && before.blockHash === hash;
		const home = isNext ? block : blockOf.get(log.transactionHash);
		if (home === undefined) blockOf.set(log.transactionHash, block);
		else if (home !== block) {
			const detail = `${log.transactionHash} is in the blocks ${home} and ${block}`;
			throw contradiction("hash_mismatch", detail);
		}
		const samePlace =
			before !== undefined &&
			Number(before.blockNumber) === block &&
			Number(before.logIndex) === Number(log.logIndex);
		if (!samePlace) merged.push(log);
		else if (!isSame(before, log)) {
			const detail = `block ${block} has two logs at ${Number(log.logIndex)}`;
			throw contradiction("duplicate_log", detail);
		}
	}
	return merged;
}

/**
 * Makes a source that reports lying endpoints to the pool: a contradiction of a known kind makes
 * the endpoint that served it the last to be asked for a while. A missing new block is no lie, and
 * has no such kind.
 */
export function distrustingSource(source: LaneSource, rpc: Rpc): LaneSource {
	const { steps } = source;
	const told = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
		try {
			return await answer;
		} catch (error) {
			const kind = error instanceof Fault ? error.meta["kind"] : undefined;
			if (isKind(kind)) rpc.distrust(kind);
			throw error;
		}
	};
	return {
		...source,
		read: (range, options) => told(source.read(range, options)),
		...(steps && {
			steps: {
				...steps,
				ask: (range, options) => told(steps.ask(range, options)),
				decode: (read, range, options) => told(steps.decode(read, range, options)),
			},
		}),
	};
}

/**
 * Makes a report that counts every log that does not decode, and logs each contract and problem
 * once.
 */
export function undecodedReport(options: {
	chain: string;
	metrics: Metrics;
	log: Log;
}): UndecodedReport {
	const { chain, metrics, log } = options;
	const named = new Set<string>();
	const undecoded = metrics.counter({
		name: "logs_undecoded_total",
		help: "Logs that had a known topic and could not be read.",
		labels: ["chain", "lane"],
	});
	const noise = metrics.counter({
		name: "logs_noise_total",
		help: "ERC-20 mints that share the mint lane's topic.",
		labels: ["chain", "lane"],
	});
	return {
		undecoded(lane, raw, problem) {
			undecoded.inc({ chain, lane });
			// Numbers differ from log to log, and would make each a line of its own.
			const key = `${raw.address} ${problem.replace(/\d+/g, "#")}`;
			if (named.has(key) || named.size >= NAMED_MAX) return;
			named.add(key);
			log.warn("a log does not decode", {
				lane,
				problem,
				contract: raw.address,
				block: Number(raw.blockNumber),
				logIndex: Number(raw.logIndex),
				transaction: raw.transactionHash,
			});
		},
		noise(lane, count) {
			if (count > 0) noise.inc({ chain, lane }, count);
		},
	};
}

/** Merges lists that are each in chain order. */
function inOrder(lists: readonly (readonly RawLog[])[]): readonly RawLog[] {
	return lists.reduce((all, list) => mergeTwo(all, list), []);
}

function mergeTwo(a: readonly RawLog[], b: readonly RawLog[]): readonly RawLog[] {
	if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a;
	const merged: RawLog[] = [];
	let [left, right] = [a[0], b[0]];
	let [atLeft, atRight] = [0, 0];
	while (left && right) {
		if (isBefore(right, left)) {
			merged.push(right);
			right = b[++atRight];
		} else {
			merged.push(left);
			left = a[++atLeft];
		}
	}
	for (; left; left = a[++atLeft]) merged.push(left);
	for (; right; right = b[++atRight]) merged.push(right);
	return merged;
}

function isBefore(a: RawLog, b: RawLog): boolean {
	if (a.blockNumber !== b.blockNumber) return Number(a.blockNumber) < Number(b.blockNumber);
	return Number(a.logIndex) < Number(b.logIndex);
}

function contradiction(kind: "hash_mismatch" | "duplicate_log", detail: string) {
	return scannerFault.inconsistent({ detail, meta: { kind } });
}

function isSame(a: RawLog, b: RawLog): boolean {
	return (
		a.transactionHash === b.transactionHash &&
		a.address === b.address &&
		a.data === b.data &&
		a.topics.join() === b.topics.join()
	);
}

function isKind(kind: unknown): kind is RpcInconsistency {
	return typeof kind === "string" && Object.hasOwn(KINDS, kind);
}
