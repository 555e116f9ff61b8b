// Makes the source of the transfer lane, and decodes moves from transfer logs.

import type { Address, Hex, RawLog } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { TokenMove, UndecodedLog } from "#plugins/chain-scanner/contract.ts";
import type { UndecodedReport } from "#plugins/chain-scanner/laneHealth.ts";
import { ADDRESSES_PER_QUERY_MAX } from "#plugins/chain-scanner/limits.ts";
import {
	CONSECUTIVE_TRANSFER_TOPIC,
	readConsecutive,
	readUnits,
	TRANSFER_BATCH_TOPIC,
	TRANSFER_SINGLE_TOPIC,
	TRANSFER_TOPIC,
} from "#plugins/chain-scanner/mint/decodeMints.ts";
import { createLogProof, readSoundly } from "#plugins/chain-scanner/range/createLogProof.ts";
import type { LaneSource } from "#plugins/chain-scanner/range/model.ts";

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

/** All topics by which a contract logs that its tokens moved. */
export const MOVE_TOPICS: readonly Hex[] = [
	TRANSFER_TOPIC,
	TRANSFER_SINGLE_TOPIC,
	TRANSFER_BATCH_TOPIC,
	CONSECUTIVE_TRANSFER_TOPIC,
];

/** Bits of a bloom that one address sets. */
const BITS_PER_ADDRESS = 3;
const BLOOM_BITS = 2_048;

/**
 * Trusts a bloom filter that matches falsely in at most one of so many blocks: each costs receipts.
 */
const FALSE_ALARM_EVERY = 20;

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
		const read = await readSoundly(rpc, filters, range, { ...options, untimed: true });
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

/**
 * Says whether a block's bloom is empty enough to be asked about so many contracts. A full one says
 * "maybe" for every contract, and each doubt costs a whole block's receipts.
 */
export function bloomsTell(bloom: Hex | null, contracts: number): boolean {
	if (bloom === null) return false;
	let ones = 0;
	for (let at = 2; at < bloom.length; at++) {
		for (let nibble = Number.parseInt(bloom.charAt(at), 16); nibble > 0; nibble >>= 1) {
			ones += nibble & 1;
		}
	}
	const falseAlarms = contracts * (ones / BLOOM_BITS) ** BITS_PER_ADDRESS;
	return falseAlarms * FALSE_ALARM_EVERY <= 1;
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
	const moved = readConsecutive(log);
	return typeof moved === "string" ? moved : [{ ...placeOf(log, 0), ...moved, quantity: 1n }];
}
