import type { Hex } from "#core/chain/Hex.ts";
import type { RawLog } from "#core/chain/RawLog.ts";
import { hexByteLength } from "#plugins/chain-scanner/venues/seaport/hexByteLength.ts";
import { readSmallUint } from "#plugins/chain-scanner/venues/seaport/readSmallUint.ts";

export type OrdersMatchedReading =
	| { kind: "matched"; orderHashes: Hex[] }
	| { kind: "undecoded"; problem: string };

const WORD_BYTES = 32;

/** Reads which orders one match call settled together, in the order of the call. */
export function readOrdersMatched(log: Pick<RawLog, "data">): OrdersMatchedReading {
	const byteLength = hexByteLength(log.data);
	if (byteLength === null) return { kind: "undecoded", problem: "data is not hex" };
	const offset = readSmallUint(log.data, 0);
	const count = offset === null ? null : readSmallUint(log.data, offset);
	if (offset === null || count === null) {
		return { kind: "undecoded", problem: "order hashes lie outside the data" };
	}
	const firstByte = offset + WORD_BYTES;
	if (count > (byteLength - firstByte) / WORD_BYTES) {
		return { kind: "undecoded", problem: "order hashes lie outside the data" };
	}
	const orderHashes: Hex[] = [];
	for (let index = 0; index < count; index++) {
		const start = 2 + (firstByte + index * WORD_BYTES) * 2;
		orderHashes.push(`0x${log.data.slice(start, start + 2 * WORD_BYTES).toLowerCase()}`);
	}
	return { kind: "matched", orderHashes };
}
