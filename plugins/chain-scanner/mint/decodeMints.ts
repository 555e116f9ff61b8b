import type { Address, Hex } from "#core/chain/Hex.ts";
import type { RawLog } from "#core/chain/RawLog.ts";
import type { UndecodedLog } from "#plugins/chain-scanner/contract.ts";
import {
	TRANSFER_BATCH_TOPIC,
	TRANSFER_SINGLE_TOPIC,
	TRANSFER_TOPIC,
	ZERO_TOPIC,
} from "#plugins/chain-scanner/mint/mintTopics.ts";
import { readUnits } from "#plugins/chain-scanner/mint/readUnits.ts";

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
};

/** Reads mints from Transfer, TransferSingle and TransferBatch logs by slicing their words. */
export function decodeMints(logs: readonly RawLog[]): MintReading {
	const reading: MintReading = { mints: [], undecoded: [], noise: 0 };
	for (const log of logs) {
		const [topic] = log.topics;
		if (topic === TRANSFER_TOPIC) readTransfer(log, reading);
		else if (topic === TRANSFER_SINGLE_TOPIC) readUnitsLog(log, "single", reading);
		else if (topic === TRANSFER_BATCH_TOPIC) readUnitsLog(log, "batch", reading);
	}
	return reading;
}

/**
 * Reads a Transfer log. The fourth topic tells an ERC-721 from an ERC-20, which has its amount in
 * the data.
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

function addressOf(topic: Hex): Address {
	return `0x${topic.slice(26)}`;
}
