import type { Address, Hex } from "#core/chain/Hex.ts";
import type { RawLog } from "#core/chain/RawLog.ts";
import type { UndecodedLog } from "#plugins/chain-scanner/contract.ts";
import { BATCH_IDS_MAX } from "#plugins/chain-scanner/limits.ts";
import {
	TRANSFER_BATCH_TOPIC,
	TRANSFER_SINGLE_TOPIC,
	TRANSFER_TOPIC,
	ZERO_TOPIC,
} from "#plugins/chain-scanner/mint/mintTopics.ts";

/** Tokens that one log brought into being. A batch log gives one for each of its ids. */
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
	/** ERC-20 mints among the logs: they share the first topic and are not ours. */
	noise: number;
};

const WORD = 64;

/** Reads mints out of Transfer, TransferSingle and TransferBatch logs by slicing their words. */
export function decodeMints(logs: readonly RawLog[]): MintReading {
	const reading: MintReading = { mints: [], undecoded: [], noise: 0 };
	for (const log of logs) {
		const [topic] = log.topics;
		if (topic === TRANSFER_TOPIC) readTransfer(log, reading);
		else if (topic === TRANSFER_SINGLE_TOPIC) readSingle(log, reading);
		else if (topic === TRANSFER_BATCH_TOPIC) readBatch(log, reading);
	}
	return reading;
}

/** The fourth topic tells an ERC-721 from an ERC-20, which keeps its amount in the data. */
function readTransfer(log: RawLog, reading: MintReading): void {
	const [, from, to, tokenId] = log.topics;
	// The filter asked for it; a node or proxy that answers more must not make mints of transfers.
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

function readSingle(log: RawLog, reading: MintReading): void {
	if (log.topics[2] !== ZERO_TOPIC) return;
	const to = log.topics[3];
	const tokenId = wordAt(log.data, 0);
	const quantity = wordAt(log.data, 1);
	if (to === undefined || tokenId === null || quantity === null) {
		reading.undecoded.push(undecoded(log, "TransferSingle is cut short"));
		return;
	}
	pushUnits(log, 0, to, tokenId, quantity, reading);
}

function readBatch(log: RawLog, reading: MintReading): void {
	if (log.topics[2] !== ZERO_TOPIC) return;
	const to = log.topics[3];
	const ids = to === undefined ? null : listAt(log.data, 0);
	const amounts = listAt(log.data, 1);
	if (to === undefined || ids === null || amounts === null) {
		reading.undecoded.push(undecoded(log, "TransferBatch has a list outside its data"));
		return;
	}
	if (ids.length !== amounts.length) {
		const problem = `TransferBatch has ${ids.length} ids and ${amounts.length} amounts`;
		reading.undecoded.push(undecoded(log, problem));
		return;
	}
	const units: { tokenId: bigint; amount: bigint }[] = [];
	for (let index = 0; index < ids.length; index++) {
		const tokenId = wordAt(log.data, ids.firstWord + index);
		const amount = wordAt(log.data, amounts.firstWord + index);
		if (tokenId === null || amount === null) {
			reading.undecoded.push(undecoded(log, "TransferBatch holds what is not hex"));
			return;
		}
		units.push({ tokenId, amount });
	}
	// Only now: half a batch would be an invention too.
	for (const [index, { tokenId, amount }] of units.entries()) {
		pushUnits(log, index, to, tokenId, amount, reading);
	}
}

/** Zero units of a token are no mint: nothing came into being. */
function pushUnits(
	log: RawLog,
	subIndex: number,
	to: Hex,
	tokenId: bigint,
	quantity: bigint,
	reading: MintReading,
): void {
	if (quantity === 0n) return;
	const contract = log.address;
	const mint = { log, subIndex, contract, standard: "erc1155", tokenId, quantity } as const;
	reading.mints.push({ ...mint, to: addressOf(to) });
}

function undecoded(log: RawLog, problem: string) {
	return { log, logIndex: Number(log.logIndex), problem };
}

function addressOf(topic: Hex): Address {
	return `0x${topic.slice(26)}`;
}

/** The 32-byte word at a position, or null where the data ends before it or is not hex. */
function wordAt(data: Hex, index: number): bigint | null {
	const start = 2 + index * WORD;
	if (data.length < start + WORD) return null;
	try {
		return BigInt(`0x${data.slice(start, start + WORD)}`);
	} catch {
		return null;
	}
}

/**
 * Where the dynamic list lies whose offset is the `index`th word. Offset and length come from a
 * stranger: both must point inside the data, on a word boundary.
 */
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
