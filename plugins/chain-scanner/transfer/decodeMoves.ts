import type { Address, Hex } from "#core/chain/Hex.ts";
import type { RawLog } from "#core/chain/RawLog.ts";
import type { TokenMove, UndecodedLog } from "#plugins/chain-scanner/contract.ts";
import {
	TRANSFER_BATCH_TOPIC,
	TRANSFER_SINGLE_TOPIC,
	TRANSFER_TOPIC,
} from "#plugins/chain-scanner/mint/mintTopics.ts";
import { readUnits } from "#plugins/chain-scanner/mint/readUnits.ts";
import { CONSECUTIVE_TRANSFER_TOPIC } from "#plugins/chain-scanner/transfer/moveTopics.ts";

export type MovesOfLogs = {
	/** In chain order. */
	moves: TokenMove[];
	undecoded: (UndecodedLog & { log: RawLog })[];
};

const WORD = /^0x[0-9a-f]{64}$/;

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

function addressOf(topic: Hex): Address {
	return `0x${topic.slice(26)}`;
}
