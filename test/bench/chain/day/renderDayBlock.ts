import type { Hex } from "#core/chain/Hex.ts";
import { type DayChain, type DayDeal, planDayBlock } from "#test/bench/chain/day/DayChain.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";
import { bloomOf } from "#test/sim/chain/bloomOf.ts";
import type { SentLog } from "#test/sim/node/renderBlock.ts";

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

/** Returns a hash that contains the number, so that a block is found by either. */
export function blockHashOf(number: number): Hex {
	if (number < 0) return `0x${wordOf(0)}`;
	return `0xb10c${number.toString(16).padStart(60, "0")}`;
}

export function transactionHashOf(block: number, index: number): Hex {
	return `0x7a${block.toString(16).padStart(54, "0")}${index.toString(16).padStart(8, "0")}`;
}

/** Returns block and index of a transaction; null for another hash. */
export function placeOf(hash: unknown): { block: number; index: number } | null {
	if (typeof hash !== "string" || !/^0x7a[0-9a-f]{62}$/.test(hash)) return null;
	return { block: Number(`0x${hash.slice(4, 58)}`), index: Number(`0x${hash.slice(58)}`) };
}

export function collectionAddress(index: number): Hex {
	return `0x${(0xc011_0000 + index).toString(16).padStart(40, "0")}`;
}

/** Returns a block's logs without its transactions: most requests are about those. */
export function renderDayLogs(chain: DayChain, number: number): SentLog[] {
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

/** Returns the number of other transactions between two NFT transactions. */
function gapOf(deals: number, noise: number): number {
	return deals === 0 ? 0 : Math.floor(noise / deals);
}

function timestampOf({ blockSeconds }: DayChain, number: number): Hex {
	return hex(GENESIS_SECONDS + Math.floor(number * blockSeconds));
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

function transactionsIn(deals: number, noise: number): number {
	return deals === 0 ? noise : deals * (gapOf(deals, noise) + 1);
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

/** Returns one transaction of either kind; null where the block has none at that index. */
export function renderDayTransaction(
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
