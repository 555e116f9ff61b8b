import type { Node } from "#test/bench/chain/startNode.ts";

/**
 * What an index of the chain must contain, as sums, in decimals. `paid` and `volume` are in wei; a
 * candle is a collection's minute with sales; the last four are sums over all candles.
 */
export type ChainFigures = {
	mints: string;
	units: string;
	paid: string;
	sales: string;
	volume: string;
	collections: string;
	candles: string;
	opened: string;
	highest: string;
	lowest: string;
	closed: string;
};

/** A chain's newest block, the contracts to read on it, and what an index of it must contain. */
export type ChainFacts = {
	tip: number;
	rows: number;
	tokens: readonly string[];
	editions: readonly string[];
	figures: ChainFigures;
};

type RawLog = {
	address: string;
	topics: string[];
	data: string;
	transactionHash: string;
	blockTimestamp: string;
};
type Block = { transactions: { hash: string; value: string }[] };
type Candle = { opened: bigint; highest: bigint; lowest: bigint; closed: bigint };
type Tally = ReturnType<typeof emptyTally>;

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const SINGLE = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
const BATCH = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";
const FULFILLED = "0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31";
const ZERO = `0x${"0".repeat(64)}`;
const TOPICS_OF_NFT = 4;
const SECONDS_PER_MINUTE = 60;

/** Reads a chain block by block and adds up what an index of it must contain. */
export async function readChain(node: Pick<Node, "call">): Promise<ChainFacts> {
	const tip = Number(await node.call("eth_blockNumber"));
	const tally = emptyTally();
	for (let number = 1; number <= tip; number++) {
		const at = `0x${number.toString(16)}`;
		const [logs, block] = await Promise.all([
			node.call<RawLog[]>("eth_getLogs", [{ fromBlock: at, toBlock: at }]),
			node.call<Block>("eth_getBlockByNumber", [at, true]),
		]);
		addBlock(tally, logs, block);
	}
	const { mints, units, paid, sales, volume, tokens, editions, candles } = tally;
	const bars = [...candles.values()];
	const sum = (name: keyof Candle) => bars.reduce((all, bar) => all + bar[name], 0n).toString();
	return {
		tip,
		rows: mints + sales,
		tokens: [...tokens],
		editions: [...editions],
		figures: {
			...{ mints: String(mints), units: String(units), paid: String(paid) },
			...{ sales: String(sales), volume: String(volume) },
			...{ collections: String(tally.collections.size), candles: String(bars.length) },
			...{ opened: sum("opened"), highest: sum("highest") },
			...{ lowest: sum("lowest"), closed: sum("closed") },
		},
	};
}

function emptyTally() {
	return {
		...{ mints: 0, units: 0n, paid: 0n, sales: 0, volume: 0n },
		tokens: new Set<string>(),
		editions: new Set<string>(),
		collections: new Set<string>(),
		candles: new Map<string, Candle>(),
	};
}

function addBlock(tally: Tally, logs: readonly RawLog[], block: Block): void {
	const paying = new Set<string>();
	for (const log of logs) {
		const [topic, first, second] = log.topics;
		if (topic === FULFILLED) addSale(tally, log);
		const isToken = topic === TRANSFER && log.topics.length === TOPICS_OF_NFT && first === ZERO;
		const isEdition = (topic === SINGLE || topic === BATCH) && second === ZERO;
		if (!isToken && !isEdition) continue;
		(isToken ? tally.tokens : tally.editions).add(log.address);
		tally.collections.add(log.address);
		paying.add(log.transactionHash);
		const amounts = topic === BATCH ? amountsOf(log.data) : [isToken ? 1n : word(log.data, 1)];
		tally.mints += amounts.length;
		for (const amount of amounts) tally.units += amount;
	}
	for (const { hash, value } of block.transactions) {
		if (paying.has(hash)) tally.paid += BigInt(value);
	}
}

/**
 * Adds a sale. Words: hash, recipient, two places, how many items, one of four words, payments of
 * five.
 */
function addSale(tally: Tally, { data, blockTimestamp }: RawLog): void {
	const collection = `0x${data.slice(2 + 6 * 64 + 24, 2 + 7 * 64)}`;
	const payments = Number(word(data, 9));
	let wei = 0n;
	for (let n = 0; n < payments; n++) wei += word(data, 13 + n * 5);
	tally.sales++;
	tally.volume += wei;
	tally.collections.add(collection);
	const key = `${collection}-${Math.floor(Number(blockTimestamp) / SECONDS_PER_MINUTE)}`;
	const { opened = wei, highest = wei, lowest = wei } = tally.candles.get(key) ?? {};
	tally.candles.set(key, {
		...{ opened, closed: wei },
		highest: wei > highest ? wei : highest,
		lowest: wei < lowest ? wei : lowest,
	});
}

/**
 * Returns the amounts of a TransferBatch: two places, then ids with their count, then amounts with
 * theirs.
 */
function amountsOf(data: string): bigint[] {
	const count = Number(word(data, 2));
	return Array.from({ length: count }, (_, n) => word(data, 4 + count + n));
}

function word(data: string, index: number): bigint {
	return BigInt(`0x${data.slice(2 + index * 64, 66 + index * 64)}`);
}
