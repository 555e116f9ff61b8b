// Keeps the logs that nodes push over their sockets, until a lane takes them.

import { z } from "zod";
import type { Hex, LogFilter, RawLog } from "#core/chain/Hex.ts";
import type { Head, LogListener } from "#core/chain/heads/Head.ts";
import { type Wakeable, wakeable } from "#core/time.ts";
import {
	PUSHED_BLOCKS_MAX,
	PUSHED_CHARACTERS_MAX,
	PUSHED_LOGS_MAX,
	PUSHED_QUIET_MS,
	PUSHED_QUIET_PART_MS,
	PUSHED_WAIT_MS_MAX,
} from "#plugins/chain-scanner/limits.ts";
import { bloomMayHold } from "#plugins/chain-scanner/range/createLogProof.ts";
import { mergeLogs, parseLogs } from "#plugins/chain-scanner/range/parseLogs.ts";
import { fitsFilter } from "#plugins/chain-scanner/range/readRange.ts";

/**
 * What happened to logs that a node pushed.
 *
 * - `repeated`: the same log again, from the same socket or another.
 * - `malformed`: no log, or one without a place.
 * - `removed`: a log that was taken back, so its block left the chain.
 * - `flooded`: more logs of one block than are kept.
 * - `unfit`: of another block than its hash says, not asked for, ruled out by the block's bloom, or
 *   contradicting another one.
 * - `unused`: of a block that never became the newest one here: a dead fork's, or too late.
 * - `missed`: the node answered with logs before any that it pushed could be used.
 * - `same`: the node answered the same, stored early or not: nothing was decoded twice.
 * - `taken`: stored before the node was asked; `agreed`: it then answered the same; `added`: it
 *   answered more; `retracted`: it answered otherwise, or could not be asked.
 */
export type PushedFate =
	| "repeated"
	| "malformed"
	| "removed"
	| "flooded"
	| "unfit"
	| "unused"
	| "missed"
	| "same"
	| "taken"
	| "agreed"
	| "added"
	| "retracted";

export type PushedLogs = {
	listener: LogListener;
	/** Counts what happened to logs. */
	note(fate: PushedFate): void;
	/**
	 * Returns the logs of a block once no more of them arrive, in chain order. Null where none are
	 * worth waiting for, where they cannot be of that block, and when the signal aborts.
	 */
	of(head: Head, signal: AbortSignal): Promise<RawLog[] | null>;
};

type PushedBlock = {
	logs: Map<number, HeldLog>;
	/** The size of their data. */
	characters: number;
	isSpoiled: boolean;
	isUsed: boolean;
	/** Rings at each of its logs. */
	bell: Wakeable;
};

const placeSchema = z.object({
	blockHash: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
	logIndex: z.string().regex(/^0x[0-9a-fA-F]{1,8}$/),
	data: z.string(),
	removed: z.boolean().optional().catch(undefined),
});

const word = z.string().max(66);

/**
 * Parses the part of a log that is kept: its members, of bounded length except for the data, which
 * is counted. Others are dropped, so that no node decides how much is kept. `parseLogs` checks
 * their content.
 */
const heldSchema = placeSchema.extend({
	address: word,
	topics: z.array(word).max(4),
	blockNumber: word,
	blockTimestamp: word.optional().catch(undefined),
	transactionHash: word,
	transactionIndex: word,
});
type HeldLog = z.infer<typeof heldSchema>;

/**
 * Keeps one lane's logs that nodes push, by block, until the lane takes them. Bounded in blocks and
 * logs. Nothing states that a block's logs are complete: the bloom says what must be there at
 * least, and a short silence is taken for the end. So this is early data, and only the node's
 * answer about the block counts.
 */
export function createPushedLogs(
	filters: readonly LogFilter[],
	note: (fate: PushedFate) => void,
): PushedLogs {
	const blocks = new Map<string, PushedBlock>();

	return { listener: { filters, onLog }, note, of };

	function onLog(value: unknown) {
		const place = placeSchema.safeParse(value).data;
		if (!place) return note("malformed");
		const log = heldSchema.safeParse(value).data;
		const block = blockAt(place.blockHash.toLowerCase());
		const known = block.logs.get(Number(place.logIndex));
		if (known !== undefined) {
			note("repeated");
			if (Bun.deepEquals(known, log)) return;
		}
		if (place.removed) spoil(block, "removed");
		else if (known !== undefined || !log) spoil(block, "unfit");
		else if (!block.isSpoiled) hold(block, log);
		block.bell.ring();
	}

	function hold(block: PushedBlock, log: HeldLog) {
		block.characters += log.data.length;
		const isFull = block.logs.size >= PUSHED_LOGS_MAX;
		if (isFull || block.characters > PUSHED_CHARACTERS_MAX) spoil(block, "flooded");
		else block.logs.set(Number(log.logIndex), log);
	}

	function blockAt(hash: string): PushedBlock {
		const known = blocks.get(hash);
		if (known) return known;
		const block = {
			logs: new Map(),
			characters: 0,
			isSpoiled: false,
			isUsed: false,
			bell: wakeable(),
		};
		blocks.set(hash, block);
		for (const [oldest, { isUsed, logs }] of blocks) {
			if (blocks.size <= PUSHED_BLOCKS_MAX) break;
			blocks.delete(oldest);
			if (!isUsed && logs.size > 0) note("unused");
		}
		return block;
	}

	function spoil(block: PushedBlock, fate: PushedFate) {
		if (!block.isSpoiled) note(fate);
		block.isSpoiled = true;
		block.logs.clear();
	}

	async function of(head: Head, signal: AbortSignal): Promise<RawLog[] | null> {
		const { logsBloom } = head;
		// Without a bloom it is not known what must be there.
		if (logsBloom === null) return null;
		const due = filters.filter((filter) => bloomMayHold(logsBloom, filter));
		if (due.length === 0) return null;
		const late = AbortSignal.any([signal, AbortSignal.timeout(PUSHED_WAIT_MS_MAX)]);
		const block = blockAt(head.hash);
		block.isUsed = true;
		// What came before now says nothing about whether more comes.
		await block.bell.wait(0, late);
		for (let seen = -1; !late.aborted && !block.isSpoiled; ) {
			const { size } = block.logs;
			if (size > 0 && size === seen) {
				const logs = readLogs([...block.logs.values()], { head, bloom: logsBloom, filters });
				if (!logs) spoil(block, "unfit");
				return logs;
			}
			seen = size;
			await block.bell.wait(quietMs(size, due.length), late);
		}
		return null;
	}
}

/** Returns how long nothing must arrive, in ms: longer where some expected logs are missing. */
function quietMs(logs: number, due: number): number {
	if (logs === 0) return PUSHED_WAIT_MS_MAX;
	return logs >= due ? PUSHED_QUIET_MS : PUSHED_QUIET_PART_MS;
}

/** Returns logs in chain order; null where some cannot be of that block, or were not asked for. */
function readLogs(
	values: readonly unknown[],
	of: { head: Head; bloom: Hex; filters: readonly LogFilter[] },
): RawLog[] | null {
	const { number, hash } = of.head;
	try {
		const parsed = parseLogs(values, { from: number, to: number });
		const logs = mergeLogs([parsed], new Map([[number, hash]]));
		const isOurs = ({ address, topics }: RawLog) =>
			of.filters.some((filter) => fitsFilter({ address, topics }, filter)) &&
			bloomMayHold(of.bloom, { address: [address], topics: topics.slice(0, 1) });
		return logs.every(isOurs) ? logs : null;
	} catch {
		return null;
	}
}
