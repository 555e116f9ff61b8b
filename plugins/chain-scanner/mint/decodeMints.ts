// Decodes mints from transfer logs by slicing their words.

import { type Address, type Hex, isWord, type RawLog } from "#core/chain/Hex.ts";
import type { UndecodedLog } from "#plugins/chain-scanner/contract.ts";
import {
	BATCH_IDS_MAX,
	CONSECUTIVE_IDS_MAX,
	CONSECUTIVE_IDS_PER_BLOCK_MAX,
} from "#plugins/chain-scanner/limits.ts";

/** Tokens that one log minted. A batch log gives one for each of its ids. */
export type Mint = {
	log: RawLog;
	subIndex: number;
	contract: Address;
	standard: "erc721" | "erc1155";
	tokenId: bigint;
	quantity: bigint;
	to: Address;
};

export type MintReading = {
	mints: Mint[];
	undecoded: (UndecodedLog & { log: RawLog })[];
	/** ERC-20 mints among the logs: they share the first topic and are left out. */
	noise: number;
	/** Ids of consecutive mints beyond those that `mints` has. */
	unlisted: { log: RawLog; ids: bigint }[];
};

export type Units = { tokenId: bigint; quantity: bigint };

/** `Transfer(address,address,uint256)`: ERC-721 with four topics, ERC-20 with three. */
export const TRANSFER_TOPIC: Hex =
	"0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** `TransferSingle(address,address,address,uint256,uint256)` of ERC-1155. */
export const TRANSFER_SINGLE_TOPIC: Hex =
	"0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";

/** `TransferBatch(address,address,address,uint256[],uint256[])` of ERC-1155. */
export const TRANSFER_BATCH_TOPIC: Hex =
	"0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";

/** `ConsecutiveTransfer(uint256,uint256,address,address)` of ERC-2309: a whole range of ids. */
export const CONSECUTIVE_TRANSFER_TOPIC: Hex =
	"0xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d";

/** The zero address as an indexed argument. */
export const ZERO_TOPIC: Hex = `0x${"0".repeat(64)}`;

const WORD = 64;

/**
 * Reads mints from the logs of transfers by slicing their words.
 *
 * One log of consecutive ids may claim 2^256 of them for the price of any other log: its first
 * 5,000 are listed (no library mints more in one), and 10,000 of all such logs of a block, which is
 * about what its gas would mint in the other ways.
 */
export function decodeMints(logs: readonly RawLog[]): MintReading {
	const reading: MintReading = { mints: [], undecoded: [], noise: 0, unlisted: [] };
	const room = { block: "", left: 0 };
	for (const log of logs) {
		if (log.blockHash !== room.block) {
			room.block = log.blockHash;
			room.left = CONSECUTIVE_IDS_PER_BLOCK_MAX;
		}
		const [topic] = log.topics;
		if (topic === TRANSFER_TOPIC) readTransfer(log, reading);
		else if (topic === TRANSFER_SINGLE_TOPIC) readUnitsLog(log, "single", reading);
		else if (topic === TRANSFER_BATCH_TOPIC) readUnitsLog(log, "batch", reading);
		else if (topic === CONSECUTIVE_TRANSFER_TOPIC) readRangeLog(log, reading, room);
	}
	return reading;
}

/** Returns what a ConsecutiveTransfer log moved, or what is wrong with it. */
export function readConsecutive(log: Pick<RawLog, "topics" | "data">) {
	const [, first, from, to] = log.topics;
	if (first === undefined || from === undefined || to === undefined || !isWord(log.data)) {
		return "ConsecutiveTransfer is cut short";
	}
	const tokenId = BigInt(first);
	const lastTokenId = BigInt(log.data);
	if (lastTokenId < tokenId) return "ConsecutiveTransfer ends before it begins";
	return { from: addressOf(from), to: addressOf(to), tokenId, lastTokenId };
}

/**
 * Returns the ids and amounts in the data of a TransferSingle or a TransferBatch, or what is wrong
 * with them. Offsets and lengths come from a stranger: all must be inside the data. Half a batch
 * would be an invention, so one bad entry makes all of it invalid.
 */
export function readUnits(data: Hex, shape: "single" | "batch"): Units[] | string {
	if (shape === "single") {
		const units = unitsAt(data, 0, 1);
		return units ? [units] : "TransferSingle is cut short";
	}
	const ids = listAt(data, 0);
	const amounts = listAt(data, 1);
	if (!ids || !amounts) return "TransferBatch has a list outside its data";
	if (ids.length !== amounts.length) {
		return `TransferBatch has ${ids.length} ids and ${amounts.length} amounts`;
	}
	const all: Units[] = [];
	for (let index = 0; index < ids.length; index++) {
		const units = unitsAt(data, ids.firstWord + index, amounts.firstWord + index);
		if (!units) return "TransferBatch holds what is not hex";
		all.push(units);
	}
	return all;
}

/**
 * Reads a Transfer log. The fourth topic distinguishes an ERC-721 from an ERC-20, which has its
 * amount in the data.
 */
function readTransfer(log: RawLog, reading: MintReading): void {
	const [, from, to, tokenId] = log.topics;
	// The filter excludes others; a node or proxy that returns more must not make mints of transfers.
	if (from !== ZERO_TOPIC) return;
	if (to === undefined || tokenId === undefined) {
		reading.noise++;
		return;
	}
	reading.mints.push({
		log,
		subIndex: 0,
		contract: log.address,
		standard: "erc721",
		tokenId: BigInt(tokenId),
		quantity: 1n,
		to: addressOf(to),
	});
}

function addressOf(topic: Hex): Address {
	return `0x${topic.slice(26)}`;
}

function readUnitsLog(log: RawLog, shape: "single" | "batch", reading: MintReading): void {
	const [, , from, to] = log.topics;
	if (from !== ZERO_TOPIC) return;
	const units =
		to === undefined ? "an ERC-1155 mint names no recipient" : readUnits(log.data, shape);
	if (to === undefined || typeof units === "string") {
		reading.undecoded.push({ log, logIndex: Number(log.logIndex), problem: String(units) });
		return;
	}
	for (const [subIndex, { tokenId, quantity }] of units.entries()) {
		// Zero units are no mint.
		if (quantity === 0n) continue;
		const mint = { log, subIndex, contract: log.address, standard: "erc1155" } as const;
		reading.mints.push({ ...mint, tokenId, quantity, to: addressOf(to) });
	}
}

function readRangeLog(log: RawLog, reading: MintReading, room: { left: number }): void {
	if (log.topics[2] !== ZERO_TOPIC) return;
	const moved = readConsecutive(log);
	if (typeof moved === "string") {
		reading.undecoded.push({ log, logIndex: Number(log.logIndex), problem: moved });
		return;
	}
	const { tokenId, lastTokenId, to } = moved;
	const ids = lastTokenId - tokenId + 1n;
	const most = BigInt(Math.min(room.left, CONSECUTIVE_IDS_MAX));
	const listed = Number(ids < most ? ids : most);
	room.left -= listed;
	const mint = { log, contract: log.address, standard: "erc721", quantity: 1n, to } as const;
	for (let subIndex = 0; subIndex < listed; subIndex++) {
		reading.mints.push({ ...mint, subIndex, tokenId: tokenId + BigInt(subIndex) });
	}
	if (ids > BigInt(listed)) reading.unlisted.push({ log, ids: ids - BigInt(listed) });
}

function unitsAt(data: Hex, idWord: number, amountWord: number): Units | null {
	const tokenId = wordAt(data, idWord);
	const quantity = wordAt(data, amountWord);
	return tokenId === null || quantity === null ? null : { tokenId, quantity };
}

/** Returns the 32-byte word at a position, or null where the data ends before it or is not hex. */
function wordAt(data: Hex, index: number): bigint | null {
	const start = 2 + index * WORD;
	if (data.length < start + WORD) return null;
	try {
		return BigInt(`0x${data.slice(start, start + WORD)}`);
	} catch {
		return null;
	}
}

function listAt(data: Hex, index: number): { firstWord: number; length: number } | null {
	const offset = wordAt(data, index);
	if (offset === null || offset % 32n !== 0n || offset > BigInt(data.length)) return null;
	const lengthWord = Number(offset / 32n);
	const length = wordAt(data, lengthWord);
	if (length === null || length > BigInt(BATCH_IDS_MAX)) return null;
	const firstWord = lengthWord + 1;
	const end = 2 + (firstWord + Number(length)) * WORD;
	return data.length < end ? null : { firstWord, length: Number(length) };
}
