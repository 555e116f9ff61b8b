import type { Address, Hex, RawLog } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { ChainAccess } from "#core/plugin/Core.ts";
import { sleep } from "#core/time.ts";
import type { TokenMove, UndecodedLog } from "#plugins/chain-scanner/contract.ts";
import type { LaneOptions } from "#plugins/chain-scanner/lane/model.ts";
import { startLane } from "#plugins/chain-scanner/lane/startLane.ts";
import {
	ADDRESSES_PER_QUERY_MAX,
	LANE_TIMES,
	type LaneTimes,
	UNWATCHED_STRIDE_BLOCKS,
} from "#plugins/chain-scanner/limits.ts";
import {
	TRANSFER_BATCH_TOPIC,
	TRANSFER_SINGLE_TOPIC,
	TRANSFER_TOPIC,
} from "#plugins/chain-scanner/mint/mintSource.ts";
import { readUnits } from "#plugins/chain-scanner/mint/priceMints.ts";
import { createLogProof } from "#plugins/chain-scanner/range/createLogProof.ts";
import type { UndecodedReport } from "#plugins/chain-scanner/range/mergeLogs.ts";
import type { LaneSource } from "#plugins/chain-scanner/range/model.ts";
import { byDistance } from "#plugins/chain-scanner/range/readHeaders.ts";
import { readRange } from "#plugins/chain-scanner/range/readRange.ts";
import { startWalks, type WalkOptions } from "#plugins/chain-scanner/transfer/startWalks.ts";
import { bloomsTell } from "#plugins/chain-scanner/transfer/walkWindow.ts";

export type MovesOfLogs = {
	/** In chain order. */
	moves: TokenMove[];
	undecoded: (UndecodedLog & { log: RawLog })[];
};

export type TransferSource = LaneSource & {
	/** Reads the same for given contracts: a walk reads one. */
	readOf: (
		watched: readonly Address[],
		...asked: Parameters<LaneSource["read"]>
	) => ReturnType<LaneSource["read"]>;
};

export type Transfers = {
	/** Reads what is owed below the lane. */
	owed: TransferSource;
	offerHead(head: Head): void;
	/** Resolves when the signal aborted and nothing is under way any more. */
	done: Promise<unknown>;
};

export type TransfersOptions = Omit<LaneOptions, "source" | "scanFrom" | "times"> &
	Pick<WalkOptions, "ownership"> & {
		access: Pick<ChainAccess, "rpcFor">;
		report: UndecodedReport;
		times?: Partial<LaneTimes>;
		onWalkFailure(code: string): void;
	};

/** `ConsecutiveTransfer(uint256,uint256,address,address)` of ERC-2309: a whole range of ids. */
export const CONSECUTIVE_TRANSFER_TOPIC: Hex =
	"0xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d";

/** All topics by which a contract logs that its tokens moved. */
export const MOVE_TOPICS: readonly Hex[] = [
	TRANSFER_TOPIC,
	TRANSFER_SINGLE_TOPIC,
	TRANSFER_BATCH_TOPIC,
	CONSECUTIVE_TRANSFER_TOPIC,
];

const WORD = /^0x[0-9a-f]{64}$/;

/**
 * Starts everything that keeps a chain's owners: the transfer lane for present moves, walks for the
 * past. The lane begins at the head wherever other lanes begin: the rest is read by walks.
 *
 * While nothing is watched the lane gets a head only now and then: a lane without work must not
 * take the chain's lock at every block.
 */
export function startTransfers(options: TransfersOptions): Transfers {
	const { chainId, ownership, signal } = options;
	const times = { ...LANE_TIMES, ...options.times };
	let isWatching = true;
	let newest: Head | null = null;
	let offered: Head | null = null;
	const watchedNow = async () => {
		const watched = await ownership.watched(chainId);
		isWatching = watched.length > 0;
		return watched;
	};
	const make = (rpc: Rpc) => transferSource(rpc, options.report, watchedNow);
	const source = byDistance(options.access, make);
	const rpc = options.access.rpcFor("backfill");
	const owed = make(rpc);
	const lane = startLane({ ...options, source, scanFrom: null });
	const offer = () => {
		if (!newest || newest === offered) return;
		const strides = Math.abs(newest.number - (offered?.number ?? Number.NEGATIVE_INFINITY));
		if (!isWatching && strides < UNWATCHED_STRIDE_BLOCKS) return;
		offered = newest;
		lane.offerHead(newest);
	};
	/** Checks whether another process has begun to watch. */
	const look = async () => {
		while (!signal.aborted) {
			await sleep(times.walkChooseMs, signal);
			if (isWatching || signal.aborted) continue;
			await watchedNow().then(offer, () => {});
		}
	};
	const walks = startWalks({
		...options,
		rpc,
		source: owed,
		times,
		onWatched() {
			isWatching = true;
			offer();
		},
		onFailure: options.onWalkFailure,
	});
	return {
		owed,
		offerHead(head) {
			newest = head;
			offer();
		},
		done: Promise.all([lane.done, walks, look()]),
	};
}

/**
 * Makes the source of the transfer lane: every transfer log of the watched contracts, and of no
 * other. Without any it reads headers only. The answer names the contracts that were read, so that
 * missing moves of others are not taken for none.
 */
export function transferSource(
	rpc: Rpc,
	report: UndecodedReport,
	watchedNow: () => Promise<readonly Address[]>,
): TransferSource {
	const prove = createLogProof(rpc);
	const readOf: TransferSource["readOf"] = async (watched, range, options) => {
		const { signal, unsettledFrom } = options;
		const filters = chunksOf(watched).map((address) => ({ address, topics: [MOVE_TOPICS] }));
		const read = await readRange(rpc, filters, range, { ...options, untimed: true });
		const { logs, blocks, parentHash, logCount, answerBytes } = read;
		if (range.from >= unsettledFrom) {
			const headers = read.headers.filter(({ logsBloom }) => bloomsTell(logsBloom, watched.length));
			const own = watched.map((address) => ({ address: [address], topics: [MOVE_TOPICS] }));
			if (own.length > 0) await prove({ headers, logs, filters: own }, signal);
		}
		const { moves, undecoded } = decodeMoves(logs);
		return {
			range,
			events: [],
			moved: { watched, moves, unsettledFrom },
			blocks,
			parentHash,
			logCount,
			answerBytes,
			report() {
				for (const { log, problem } of undecoded) report.undecoded("transfer", log, problem);
			},
		};
	};
	return {
		kind: "transfer",
		inOrder: true,
		readOf,
		read: async (range, options) => readOf(await watchedNow(), range, options),
	};
}

/** Reads moves from the four kinds of transfer logs, by slicing their words. */
export function decodeMoves(logs: readonly RawLog[]): MovesOfLogs {
	const read: MovesOfLogs = { moves: [], undecoded: [] };
	for (const log of logs) {
		const moves = movesOf(log);
		if (typeof moves !== "string") read.moves.push(...moves);
		else read.undecoded.push({ log, logIndex: Number(log.logIndex), problem: moves });
	}
	return read;
}

function chunksOf(addresses: readonly Address[]): Address[][] {
	const chunks: Address[][] = [];
	for (let at = 0; at < addresses.length; at += ADDRESSES_PER_QUERY_MAX) {
		chunks.push(addresses.slice(at, at + ADDRESSES_PER_QUERY_MAX));
	}
	return chunks;
}

function movesOf(log: RawLog): TokenMove[] | string {
	const [topic] = log.topics;
	if (topic === TRANSFER_TOPIC) return moveOf721(log);
	if (topic === TRANSFER_SINGLE_TOPIC) return movesOf1155(log, "single");
	if (topic === TRANSFER_BATCH_TOPIC) return movesOf1155(log, "batch");
	if (topic === CONSECUTIVE_TRANSFER_TOPIC) return moveOfRange(log);
	return [];
}

/**
 * Reads an ERC-721 log. With three topics it is an ERC-20's: a token that is both has its amounts
 * there.
 */
function moveOf721(log: RawLog): TokenMove[] {
	const [, from, to, id] = log.topics;
	if (from === undefined || to === undefined || id === undefined) return [];
	const tokenId = BigInt(id);
	const parties = { from: addressOf(from), to: addressOf(to) };
	return [{ ...placeOf(log, 0), ...parties, tokenId, lastTokenId: tokenId, quantity: 1n }];
}

function addressOf(topic: Hex): Address {
	return `0x${topic.slice(26)}`;
}

function placeOf(log: RawLog, subIndex: number) {
	return {
		blockNumber: Number(log.blockNumber),
		blockHash: log.blockHash,
		logIndex: Number(log.logIndex),
		subIndex,
		contract: log.address,
		standard: "erc721" as const,
	};
}

/** Reads an ERC-1155 log; zero units of a token are no move. */
function movesOf1155(log: RawLog, shape: "single" | "batch"): TokenMove[] | string {
	const [, , from, to] = log.topics;
	if (from === undefined || to === undefined) return "an ERC-1155 transfer without its parties";
	const units = readUnits(log.data, shape);
	if (typeof units === "string") return units;
	const parties = { from: addressOf(from), to: addressOf(to) };
	return units.flatMap(({ tokenId, quantity }, index): TokenMove[] => {
		if (quantity === 0n) return [];
		const place = { ...placeOf(log, index), standard: "erc1155" as const };
		return [{ ...place, ...parties, tokenId, lastTokenId: tokenId, quantity }];
	});
}

function moveOfRange(log: RawLog): TokenMove[] | string {
	const [, first, from, to] = log.topics;
	if (first === undefined || from === undefined || to === undefined || !WORD.test(log.data)) {
		return "ConsecutiveTransfer is cut short";
	}
	const tokenId = BigInt(first);
	const lastTokenId = BigInt(log.data);
	if (lastTokenId < tokenId) return "ConsecutiveTransfer ends before it begins";
	const parties = { from: addressOf(from), to: addressOf(to) };
	return [{ ...placeOf(log, 0), ...parties, tokenId, lastTokenId, quantity: 1n }];
}
