// Parses and checks the logs that a node answers, and merges those of several queries.

import { type Hex, PLACE_MAX, type RawLog } from "#core/chain/Hex.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";

/** A log as the node sent it, and as parsed. */
type Parsed = { value: Record<string, unknown>; log: RawLog };

/** A log's fields without its data and topics, as nodes write them; measured on anvil. */
const LOG_BYTES = 420;
const TOPIC_BYTES = 69;

const ADDRESS = /^0x[0-9a-f]{40}$/;
const WORD = /^0x[0-9a-f]{64}$/;
const CAPITAL = /[A-Z]/;
const QUANTITY = /^0x[0-9a-f]{1,13}$/i;
const ZERO_WORD: Hex = `0x${"0".repeat(64)}`;
const TOPICS_MAX = 4;
/** Limits a place to `0x` and seven digits, which stay below 2^28. */
const PLACE_LENGTH = 9;
/** The last second that PostgreSQL and JavaScript both support without trouble: year 9999. */
const TIMESTAMP_MAX = 253_402_300_799;

/**
 * Checks an `eth_getLogs` answer, log by log, and puts it in chain order.
 *
 * Written by hand: a schema library takes longer for ten thousand logs than fetching them. What a
 * log shares with the one before it (block, transaction, contract, topics) is checked once and
 * stored once. Logs that a reorg took back (`removed`) are left out.
 */
export function parseLogs(answer: unknown, range: { from: number; to: number }): RawLog[] {
	if (!Array.isArray(answer)) throw malformed("logs are not a list");
	const logs: RawLog[] = [];
	let last: Parsed | null = null;
	let block = -1;
	let index = -1;
	let isSorted = true;
	for (const value of answer) {
		if (!isRecord(value)) throw malformed("a log is not an object");
		const log = parseLog(value, last);
		if (log.blockNumber !== last?.log.blockNumber) {
			const number = Number(log.blockNumber);
			if (!(number >= range.from && number <= range.to)) {
				const detail = `a log of block ${log.blockNumber} in ${range.from}..${range.to}`;
				throw scannerFault.inconsistent({ detail, meta: { kind: "foreign_log" } });
			}
			if (number < block) isSorted = false;
			if (number !== block) index = -1;
			block = number;
		}
		last = { value, log };
		if (log.removed === true) continue;
		const logIndex = Number(log.logIndex);
		if (logIndex < index) isSorted = false;
		index = logIndex;
		logs.push(log);
	}
	return isSorted ? logs : logs.sort(byPosition);
}

/** Estimates the bytes of these logs in a node's answer. */
export function logBytes(logs: readonly Pick<RawLog, "data" | "topics">[]): number {
	let bytes = 0;
	for (const { data, topics } of logs) {
		bytes += LOG_BYTES + data.length + topics.length * TOPIC_BYTES;
	}
	return bytes;
}

/**
 * Returns the parts of logs that honest nodes agree on; some send times with them and some do not.
 */
export function logsDigest(logs: readonly RawLog[]): string {
	return logs
		.map((log): readonly (Hex | number)[] => {
			const place = [Number(log.blockNumber), Number(log.logIndex)];
			return [...place, log.blockHash, log.transactionHash, log.address, ...log.topics, log.data];
		})
		.sort(([a = 0, i = 0], [b = 0, j = 0]) => Number(a) - Number(b) || Number(i) - Number(j))
		.join("\n");
}

function malformed(detail: string) {
	return scannerFault.inconsistent({ detail, meta: { kind: "malformed" } });
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null;
}

function parseLog(value: Record<string, unknown>, last: Parsed | null): RawLog {
	const { address, data, blockNumber, blockHash, transactionHash, transactionIndex } = value;
	const before = last?.value;
	const known = last?.log;
	const topics = topicsOf(value["topics"], known?.topics);
	const isSameBlock = known !== undefined && before?.["blockHash"] === blockHash;
	return {
		address:
			known !== undefined && before?.["address"] === address
				? known.address
				: hexOf(address, "address", ADDRESS),
		topics,
		data: dataOf(data),
		blockNumber:
			known !== undefined && before?.["blockNumber"] === blockNumber
				? known.blockNumber
				: quantityOf(blockNumber, "blockNumber"),
		blockHash: isSameBlock ? known.blockHash : hexOf(blockHash, "blockHash", WORD),
		transactionHash:
			known !== undefined && before?.["transactionHash"] === transactionHash
				? known.transactionHash
				: hexOf(transactionHash, "transactionHash", WORD),
		transactionIndex: placeOf(transactionIndex, "transactionIndex"),
		logIndex: placeOf(value["logIndex"], "logIndex"),
		blockTimestamp:
			isSameBlock && before?.["blockTimestamp"] === value["blockTimestamp"]
				? known.blockTimestamp
				: timestampOf(value["blockTimestamp"]),
		removed: value["removed"] === true,
	};
}

function topicsOf(value: unknown, known: readonly Hex[] = []): Hex[] {
	if (!Array.isArray(value) || value.length > TOPICS_MAX) throw bad("topics");
	const topics: Hex[] = [];
	for (let index = 0; index < value.length; index++) {
		const topic: unknown = value[index];
		const same = known[index];
		topics.push(same !== undefined && same === topic ? same : hexOf(topic, "topic", WORD));
	}
	return topics;
}

function bad(field: string) {
	return malformed(`a log's ${field} is malformed`);
}

function hexOf(value: unknown, field: string, pattern: RegExp): Hex {
	if (!isHex(value)) throw bad(field);
	if (pattern.test(value)) return value;
	const lower = lowerCase(value);
	if (!pattern.test(lower)) throw bad(field);
	return lower;
}

function isHex(value: unknown): value is Hex {
	return typeof value === "string" && value.startsWith("0x");
}

function lowerCase(value: Hex): Hex {
	return value.toLowerCase() as Hex;
}

function dataOf(value: unknown): Hex {
	if (!isHex(value) || value.length % 2 !== 0) throw bad("data");
	// Nodes write lower case; looking for capitals first takes a third of the time.
	return CAPITAL.test(value) ? lowerCase(value) : value;
}

function quantityOf(value: unknown, field: string): Hex {
	if (!isHex(value) || !QUANTITY.test(value)) throw bad(field);
	return value;
}

/** Returns a quantity; one of few digits is in range, others are rare enough to be checked. */
function placeOf(value: unknown, field: string): Hex {
	const place = quantityOf(value, field);
	if (place.length > PLACE_LENGTH && Number(place) > PLACE_MAX) throw bad(field);
	return place;
}

/**
 * Returns the time; some nodes send none, and some send 0 where they do not know: then the header
 * is read.
 */
function timestampOf(value: unknown): Hex | undefined {
	if (!isHex(value) || !QUANTITY.test(value)) return undefined;
	const seconds = Number(value);
	return seconds > 0 && seconds <= TIMESTAMP_MAX ? value : undefined;
}

function byPosition(a: RawLog, b: RawLog): number {
	return Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex);
}

/**
 * Merges the answers to a range's queries into one list, in chain order, and checks that they are
 * of one chain: one hash for each block, that of its header where there is one, one block for each
 * transaction, a transaction for each log, one log at each place.
 *
 * A node that switches forks between two answers, or endpoints behind one balancer that disagree,
 * would otherwise give events of blocks that exclude each other. A log sent twice identically
 * counts once.
 */
export function mergeLogs(
	lists: readonly (readonly RawLog[])[],
	hashes: ReadonlyMap<number, Hex>,
): RawLog[] {
	const merged: RawLog[] = [];
	const blockOf = new Map<Hex, number>();
	let hash: Hex | null = null;
	let number = -1;
	for (const log of inOrder(lists)) {
		const before = merged.at(-1);
		const block = Number(log.blockNumber);
		if (block !== number) {
			number = block;
			hash = hashes.get(block) ?? log.blockHash;
		}
		if (log.blockHash !== hash)
			throw contradiction("hash_mismatch", `block ${block} has two hashes`);
		if (log.transactionHash === ZERO_WORD)
			throw contradiction("malformed", `block ${block} has a log of no transaction`);
		const isNext = before?.transactionHash === log.transactionHash && before.blockHash === hash;
		const home = isNext ? block : blockOf.get(log.transactionHash);
		if (home === undefined) blockOf.set(log.transactionHash, block);
		else if (home !== block) {
			const detail = `${log.transactionHash} is in the blocks ${home} and ${block}`;
			throw contradiction("hash_mismatch", detail);
		}
		const samePlace =
			before !== undefined &&
			Number(before.blockNumber) === block &&
			Number(before.logIndex) === Number(log.logIndex);
		if (!samePlace) merged.push(log);
		else if (!isSame(before, log)) {
			const detail = `block ${block} has two logs at ${Number(log.logIndex)}`;
			throw contradiction("duplicate_log", detail);
		}
	}
	return merged;
}

/** Merges lists that are each in chain order. */
function inOrder(lists: readonly (readonly RawLog[])[]): readonly RawLog[] {
	return lists.reduce((all, list) => mergeTwo(all, list), []);
}

function mergeTwo(a: readonly RawLog[], b: readonly RawLog[]): readonly RawLog[] {
	if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a;
	const merged: RawLog[] = [];
	let [left, right] = [a[0], b[0]];
	let [atLeft, atRight] = [0, 0];
	while (left && right) {
		if (isBefore(right, left)) {
			merged.push(right);
			right = b[++atRight];
		} else {
			merged.push(left);
			left = a[++atLeft];
		}
	}
	for (; left; left = a[++atLeft]) merged.push(left);
	for (; right; right = b[++atRight]) merged.push(right);
	return merged;
}

function isBefore(a: RawLog, b: RawLog): boolean {
	if (a.blockNumber !== b.blockNumber) return Number(a.blockNumber) < Number(b.blockNumber);
	return Number(a.logIndex) < Number(b.logIndex);
}

function contradiction(kind: "hash_mismatch" | "duplicate_log" | "malformed", detail: string) {
	return scannerFault.inconsistent({ detail, meta: { kind } });
}

function isSame(a: RawLog, b: RawLog): boolean {
	return (
		a.transactionHash === b.transactionHash &&
		a.address === b.address &&
		a.data === b.data &&
		a.topics.join() === b.topics.join()
	);
}
