// Computes the blocks of a realistic day, and answers a node's calls from them.

import type { Hex } from "#core/chain/Hex.ts";
import type { Contents } from "#test/bench/chain/workload.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";
import { bloomOf } from "#test/sim/chain/createSimChain.ts";
import { fitsQuery, type LogQuery, type SentLog } from "#test/sim/node/answerCall.ts";

/**
 * A chain like most days: many sales and mints in transactions of their own, a few bulk mints, and
 * twenty times as many other transactions. Each block follows from its number alone, so a chain of
 * any length costs nothing to make.
 */
export type DayChain = {
	blocks: number;
	/** The time between two blocks; below 1 several blocks share a second. */
	blockSeconds: number;
	collections: number;
	salesPerDay: number;
	mintsPerDay: number;
	/** Transactions of `BULK_SIZE` mints. */
	bulkMintsPerDay: number;
	/** Transactions of ERC-20 tokens for each one of an NFT. */
	noise: number;
};

/** One NFT transaction: so many mints, or one sale, of a collection. */
export type DayDeal = {
	kind: "mint" | "sale";
	collection: number;
	count: number;
	valueWei: bigint;
};
export type DayBlock = { deals: readonly DayDeal[]; noise: number };

export type RenderedTransaction = {
	hash: Hex;
	value: Hex;
	input: Hex;
	blockHash: Hex;
	blockNumber: Hex;
	transactionIndex: Hex;
	from: Hex;
	to: Hex;
	nonce: Hex;
	gas: Hex;
	gasPrice: Hex;
	type: Hex;
};

/** A block as a node shows it; the logs are those of NFTs, others are in the bloom only. */
export type RenderedBlock = {
	number: Hex;
	hash: Hex;
	timestamp: Hex;
	transactions: readonly RenderedTransaction[];
	logs: readonly SentLog[];
};

export type DayNode = { chain: DayChain; head: number };
export type DayCall = { id: unknown; method: string; params?: readonly unknown[] };

export const BULK_SIZE = 40;
const DAY_SECONDS = 86_400;
const SEED = 20_261_123;

export const SEAPORT: Hex = "0x0000000000000068f116a894984e2db1123eb395";
const TRANSFER: Hex = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const FULFILLED: Hex = "0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31";
const COIN: Hex = "0x00000000000000000000000000000000000c0142";
const GENESIS_SECONDS = 1_700_000_000;
const IDS_PER_BLOCK = 1_000;
/** Entries of the bloom for each other log: the token's address is mostly there already. */
const ENTRIES_OF_OTHERS = 2;
const BITS_OF_ENTRY = 3;
const BLOOM_BITS = 2_048;
/** The input of a token transfer: a selector and two words. */
const COIN_INPUT: Hex = `0xa9059cbb${"0".repeat(24)}${"7".repeat(40)}${"0".repeat(48)}${"f".repeat(16)}`;

const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`;
const wordOf = (value: number | bigint) => value.toString(16).padStart(64, "0");
const accountOf = (value: number): Hex =>
	`0x${(0x7000_0000 + value).toString(16).padStart(40, "0")}`;
const topicOf = (address: Hex): Hex => `0x${"0".repeat(24)}${address.slice(2)}`;

const CHAIN_ID: Hex = "0x7a69";
/** `name()` of every contract: one word of text, as Solidity encodes it. */
const NAME = `0x${"20".padStart(64, "0")}${"3".padStart(64, "0")}${"446179".padEnd(64, "0")}`;
const TRUE = `0x${"1".padStart(64, "0")}`;

/** Answers one call as JSON: the whole response, with its id. */
export function answerDay(node: DayNode, { id, method, params = [] }: DayCall): string {
	const result = resultOf(node, method, params);
	const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id ?? null)},`;
	if (result !== null) return `${head}"result":${result}}`;
	return `${head}"error":{"code":-32601,"message":"${method} is not available"}}`;
}

export function dayChain(given: Pick<DayChain, "blocks" | "blockSeconds">): DayChain {
	const perDay = { salesPerDay: 40_000, mintsPerDay: 20_000, bulkMintsPerDay: 500 };
	return { ...given, collections: 300, noise: 20, ...perDay };
}

/** Returns the content of the blocks from `from` to the chain's last. */
export function dayContents(chain: DayChain, from = 1): Contents {
	let [mints, sales] = [0, 0];
	for (let number = from; number <= chain.blocks; number++) {
		for (const { kind, count } of planDayBlock(chain, number).deals) {
			if (kind === "mint") mints += count;
			else sales += count;
		}
	}
	return { tip: chain.blocks, mints, sales };
}

/** Returns block and index of a transaction; null for another hash. */
export function placeOf(hash: unknown): { block: number; index: number } | null {
	if (typeof hash !== "string" || !/^0x7a[0-9a-f]{62}$/.test(hash)) return null;
	return { block: Number(`0x${hash.slice(4, 58)}`), index: Number(`0x${hash.slice(58)}`) };
}

/** Returns a block's header as JSON, with its whole transactions or their hashes. */
export function renderDayHeader(chain: DayChain, number: number, isFull: boolean): string {
	const { deals, noise } = planDayBlock(chain, number);
	const count = transactionsIn(deals.length, noise);
	const transactions = Array.from({ length: count }, (_, index) => {
		if (!isFull) return `"${transactionHashOf(number, index)}"`;
		return JSON.stringify(renderDayTransaction(chain, { block: number, index }));
	});
	return (
		`{"number":"${hex(number)}","hash":"${blockHashOf(number)}",` +
		`"parentHash":"${blockHashOf(number - 1)}","timestamp":"${timestampOf(chain, number)}",` +
		`"logsBloom":"${bloomWithOthers(chain, number, noise)}","transactions":[${transactions.join()}]}`
	);
}

/** Returns a block's logs without its transactions: most requests are about those. */
function renderDayLogs(chain: DayChain, number: number): SentLog[] {
	const { deals, noise } = planDayBlock(chain, number);
	const gap = gapOf(deals.length, noise);
	const logs: SentLog[] = [];
	const block = { blockNumber: hex(number), blockHash: blockHashOf(number) };
	const blockTimestamp = timestampOf(chain, number);
	for (const [place, deal] of deals.entries()) {
		const index = place * (gap + 1);
		const at = { transactionHash: transactionHashOf(number, index), transactionIndex: hex(index) };
		const firstId = number * IDS_PER_BLOCK + place * 50;
		for (let nth = 0; nth < deal.count; nth++) {
			logs.push({
				...(deal.kind === "mint" ? mintLog(deal, firstId + nth) : saleLog(deal, firstId)),
				...{ ...block, ...at, blockTimestamp },
				// Other logs are between these.
				logIndex: hex(logs.length + place * gap),
				removed: false,
			});
		}
	}
	return logs;
}

/** Returns one transaction of either kind; null where the block has none at that index. */
function renderDayTransaction(
	chain: DayChain,
	{ block, index }: { block: number; index: number },
): RenderedTransaction | null {
	const { deals, noise } = planDayBlock(chain, block);
	if (index >= transactionsIn(deals.length, noise)) return null;
	const gap = gapOf(deals.length, noise);
	const deal = index % (gap + 1) === 0 ? deals[index / (gap + 1)] : undefined;
	const to =
		deal === undefined ? COIN : deal.kind === "sale" ? SEAPORT : collectionAddress(deal.collection);
	return {
		hash: transactionHashOf(block, index),
		value: hex(deal?.valueWei ?? 0n),
		input: COIN_INPUT,
		blockHash: blockHashOf(block),
		blockNumber: hex(block),
		transactionIndex: hex(index),
		from: accountOf(index),
		to,
		...{ nonce: hex(index), gas: "0x30d40", gasPrice: "0x3b9aca00", type: "0x2" },
	};
}

/** Returns the content of a block, by its number. */
export function planDayBlock(chain: DayChain, number: number): DayBlock {
	const random = createPrng(Math.imul(number, 2_654_435_761) ^ SEED);
	const share = chain.blockSeconds / DAY_SECONDS;
	const drawn = (perDay: number) => {
		const mean = perDay * share;
		return Math.floor(mean) + (random.chance(mean % 1) ? 1 : 0);
	};
	// The square of a uniform number: a few collections have most of the trade.
	const collection = () => Math.floor(random.next() ** 2 * chain.collections);
	const mint = (count: number): DayDeal => {
		const valueWei = random.chance(0.5) ? BigInt(count) * 10n ** 15n : 0n;
		return { kind: "mint", collection: collection(), count, valueWei };
	};
	const deals: DayDeal[] = [];
	for (let left = drawn(chain.bulkMintsPerDay); left > 0; left--) deals.push(mint(BULK_SIZE));
	for (let left = drawn(chain.mintsPerDay); left > 0; left--) deals.push(mint(1));
	for (let left = drawn(chain.salesPerDay); left > 0; left--) {
		const valueWei = 10n ** 16n + BigInt(random.int(1_000_000)) * 40n;
		deals.push({ kind: "sale", collection: collection(), count: 1, valueWei });
	}
	return { deals, noise: drawn((dealsPerDay(chain) || 1) * chain.noise) };
}

/** Returns a hash that contains the number, so that a block is found by either. */
function blockHashOf(number: number): Hex {
	if (number < 0) return `0x${wordOf(0)}`;
	return `0xb10c${number.toString(16).padStart(60, "0")}`;
}

function transactionHashOf(block: number, index: number): Hex {
	return `0x7a${block.toString(16).padStart(54, "0")}${index.toString(16).padStart(8, "0")}`;
}

export function collectionAddress(index: number): Hex {
	return `0x${(0xc011_0000 + index).toString(16).padStart(40, "0")}`;
}

/** Returns the result as JSON; null for an unknown method. */
function resultOf(node: DayNode, method: string, params: readonly unknown[]): string | null {
	const { chain, head } = node;
	const [first, second] = params;
	switch (method) {
		case "eth_chainId":
			return `"${CHAIN_ID}"`;
		case "eth_blockNumber":
			return `"0x${head.toString(16)}"`;
		case "eth_getBlockByNumber":
		case "eth_getBlockByHash": {
			const number = numberOf(node, first);
			return number === null ? "null" : renderDayHeader(chain, number, second === true);
		}
		case "eth_getTransactionByHash": {
			const place = placeOf(first);
			const isKnown = place !== null && place.block <= head;
			return JSON.stringify(isKnown ? renderDayTransaction(chain, place) : null);
		}
		case "eth_getLogs":
			return JSON.stringify(logsOf(node, first as LogQuery));
		case "eth_call":
			return callOf(first as { data?: string; input?: string });
		case "eth_getCode":
			return '"0x60"';
		default:
			return null;
	}
}

function numberOf({ head }: DayNode, asked: unknown): number | null {
	if (asked === "latest") return head;
	if (typeof asked !== "string") return 0;
	const isHash = asked.length === 66;
	const number = Number(isHash ? `0x${asked.slice(6)}` : asked);
	if (isHash && blockHashOf(number) !== asked) return null;
	return number >= 0 && number <= head ? number : null;
}

function logsOf(node: DayNode, query: LogQuery): SentLog[] {
	const at = query.blockHash === undefined ? null : numberOf(node, query.blockHash);
	const from = at ?? Number(query.fromBlock ?? 0);
	const to = Math.min(at ?? Number(query.toBlock ?? node.head), node.head);
	const logs: SentLog[] = [];
	for (let number = Math.max(from, 1); number <= to; number++) {
		for (const log of renderDayLogs(node.chain, number)) if (fitsQuery(log, query)) logs.push(log);
	}
	return logs;
}

function callOf({ data, input }: { data?: string; input?: string }): string {
	const selector = (data ?? input ?? "").slice(0, 10);
	return selector === "0x06fdde03" || selector === "0x95d89b41" ? `"${NAME}"` : `"${TRUE}"`;
}

function transactionsIn(deals: number, noise: number): number {
	return deals === 0 ? noise : deals * (gapOf(deals, noise) + 1);
}

/** Returns the number of other transactions between two NFT transactions. */
function gapOf(deals: number, noise: number): number {
	return deals === 0 ? 0 : Math.floor(noise / deals);
}

function timestampOf({ blockSeconds }: DayChain, number: number): Hex {
	return hex(GENESIS_SECONDS + Math.floor(number * blockSeconds));
}

function bloomWithOthers(chain: DayChain, number: number, noise: number): Hex {
	const bytes = Buffer.from(bloomOf(renderDayLogs(chain, number)).slice(2), "hex");
	const random = createPrng(number);
	for (let bit = noise * ENTRIES_OF_OTHERS * BITS_OF_ENTRY; bit > 0; bit--) {
		const at = random.int(BLOOM_BITS);
		bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (1 << (at & 7));
	}
	return `0x${bytes.toString("hex")}`;
}

function mintLog({ collection }: DayDeal, id: number) {
	const topics = [
		TRANSFER,
		`0x${wordOf(0)}`,
		topicOf(accountOf(id % 997)),
		`0x${wordOf(id)}`,
	] as const;
	return { address: collectionAddress(collection), topics, data: "0x" as Hex };
}

/** Returns Seaport's log of one NFT that is paid in three parts: the seller, a fee, the creator. */
function saleLog({ collection, valueWei }: DayDeal, id: number) {
	const [seller, buyer] = [accountOf(id % 991), accountOf(1_000 + (id % 983))];
	const [fee, royalty] = [valueWei / 40n, valueWei / 20n];
	const paid = (amount: bigint, to: Hex) => [0, 0, 0, amount, BigInt(to)];
	const words = [
		...[BigInt(id), BigInt(buyer), 0x80, 0x120],
		...[1, 2, BigInt(collectionAddress(collection)), id, 1],
		...[3, ...paid(valueWei - fee - royalty, seller)],
		...[...paid(fee, accountOf(5_001)), ...paid(royalty, accountOf(5_002))],
	];
	const topics = [FULFILLED, topicOf(seller), `0x${wordOf(0)}`] as const;
	return { address: SEAPORT, topics, data: `0x${words.map(wordOf).join("")}` as Hex };
}

function dealsPerDay({ salesPerDay, mintsPerDay, bulkMintsPerDay }: DayChain): number {
	return salesPerDay + mintsPerDay + bulkMintsPerDay;
}
