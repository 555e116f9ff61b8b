import type { Hex } from "#core/chain/Hex.ts";
import { BATCH_IDS_MAX } from "#plugins/chain-scanner/limits.ts";

export type Units = { tokenId: bigint; quantity: bigint };

const WORD = 64;

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
