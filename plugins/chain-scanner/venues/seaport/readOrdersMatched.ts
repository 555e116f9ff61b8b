import { hexBytes } from "#core/chain/abi/hexBytes.ts";
import { readSmallUint } from "#core/chain/abi/readSmallUint.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { RawLog } from "#core/chain/RawLog.ts";

export type OrdersMatchedReading =
	| { kind: "matched"; orderHashes: Hex[] }
	| { kind: "undecoded"; problem: string };

const WORD_BYTES = 32;

/** Reads which orders one match call settled together, in the order of the call. */
export function readOrdersMatched(log: Pick<RawLog, "data">): OrdersMatchedReading {
	const bytes = hexBytes(log.data);
	if (bytes === null) return { kind: "undecoded", problem: "data is not hex" };
	const offset = readSmallUint(bytes, 0);
	const count = offset === null ? null : readSmallUint(bytes, offset);
	if (offset === null || count === null) {
		return { kind: "undecoded", problem: "order hashes lie outside the data" };
	}
	const firstByte = offset + WORD_BYTES;
	if (count > (bytes.length - firstByte) / WORD_BYTES) {
		return { kind: "undecoded", problem: "order hashes lie outside the data" };
	}
	const orderHashes: Hex[] = [];
	for (let index = 0; index < count; index++) {
		const start = firstByte + index * WORD_BYTES;
		orderHashes.push(`0x${bytes.toString("hex", start, start + WORD_BYTES)}`);
	}
	return { kind: "matched", orderHashes };
}
