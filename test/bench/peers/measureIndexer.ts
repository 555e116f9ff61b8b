// Measures one indexer on a chain, and checks the sums of what it stored.

import { Client } from "pg";
import { socketUrl } from "#core/db/embedded/layout.ts";
import { EVENT_KIND } from "#plugins/market-index/event/MarketEvent.ts";
import type { Node } from "#test/bench/chain/model.ts";
import { treeCpuSeconds, watchPeakMemory } from "#test/bench/measure/processCost.ts";
import { type NodeLimits, startCountingProxy } from "#test/bench/measure/startCountingProxy.ts";
import {
	openDataDir,
	type Scope,
	startServiceProcess,
} from "#test/bench/measure/startServiceProcess.ts";
import type { PeerProcess } from "#test/bench/peers/startPeerProcess.ts";

/** The cost of reading a whole chain, from the process's start to the last row. */
export type Measured = {
	title: string;
	seconds: number;
	rowsPerSecond: number;
	/** The processes' own, and PostgreSQL's; the node's and the proxy's are in neither. */
	cpuSeconds: number;
	postgresCpuSeconds: number;
	requests: number;
	calls: number;
	/** Those of them that asked contracts for names: the rows are there without them. */
	nameCalls: number;
	refused: number;
	peakMb: number;
};

export type IndexerPlace = { rpcUrl: string; socketDir: string; database: string };

export type Indexer = {
	name: string;
	title: string;
	doneSql: string;
	figuresSql: string;
	/** Returns a function that starts the process; the work before that is not timed. */
	prepare(place: IndexerPlace): Promise<() => PeerProcess>;
};

export type IndexerServer = { socketDir: string; postmasterPid(): number | undefined };

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

/** Without these nothing is proven about a peer's rows. */
const REQUIRED = ["mints", "paid", "sales", "volume"] as const;

const POLL_MS = 25;
const TIMEOUT_MS = 400_000;

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const SINGLE = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
const BATCH = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";
const FULFILLED = "0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31";
const ZERO = `0x${"0".repeat(64)}`;
const TOPICS_OF_NFT = 4;
const SECONDS_PER_MINUTE = 60;

/**
 * Lets one indexer read the chain into a database of its own, through a counting proxy, and returns
 * the cost. Throws where it ends, is too late, or its rows differ from the chain's.
 */
export async function measureIndexer(
	scope: Scope,
	given: {
		indexer: Indexer;
		node: Node;
		chain: ChainFacts;
		limits: NodeLimits;
		server: IndexerServer;
	},
): Promise<Measured> {
	const { indexer, node, chain, limits, server } = given;
	const { socketDir } = server;
	const database = `bench_${indexer.name.replaceAll("-", "_")}`;
	await statement(socketDir, `drop database if exists ${database} with (force)`);
	await statement(socketDir, `create database ${database}`);
	const proxy = startCountingProxy(node.url, limits);
	const stopProxy = scope.defer(proxy.stop);
	const start = await indexer.prepare({ rpcUrl: proxy.url, socketDir, database });
	const client = new Client({ connectionString: socketUrl(socketDir, database) });
	client.on("error", () => {});
	await client.connect();
	const closeClient = scope.defer(() => client.end());
	const postgresCpu = () => treeCpuSeconds(server.postmasterPid() ?? 0);
	const postgresBefore = postgresCpu();
	const child = start();
	const stopChild = scope.defer(child.stop);
	const memory = watchPeakMemory(child.pid);
	try {
		await Promise.race([untilDone(client, indexer.doneSql, chain), child.failed]);
		const seconds = (Date.now() - child.startedAtMs) / 1_000;
		const cpuSeconds = treeCpuSeconds(child.pid);
		const postgresCpuSeconds = postgresCpu() - postgresBefore;
		const { requests, calls, refused, methods } = proxy.counts();
		const nameCalls = methods["eth_call"] ?? 0;
		const { rows } = await client.query(indexer.figuresSql);
		const differences = differencesOf(rows[0] ?? {}, chain.figures);
		if (differences.length > 0) throw new Error(`it is not right: ${differences.join("; ")}`);
		return {
			...{ title: indexer.title, seconds, rowsPerSecond: chain.rows / seconds },
			...{ cpuSeconds, postgresCpuSeconds, requests, calls, nameCalls, refused },
			peakMb: memory.stop(),
		};
	} finally {
		memory.stop();
		await stopChild();
		await closeClient();
		await stopProxy();
		await statement(socketDir, `drop database ${database} with (force)`);
	}
}

/**
 * Returns a line for each sum of an index that differs from the chain's; none means it is right. A
 * column's name may begin with where it was counted: `counted_sales` is compared with `sales`.
 */
export function differencesOf(found: Record<string, unknown>, chain: ChainFigures): string[] {
	const missing = REQUIRED.filter((name) => found[name] === undefined);
	const differences = missing.map((name) => `${name} was not added up`);
	for (const [column, value] of Object.entries(found)) {
		const name = column.slice(column.lastIndexOf("_") + 1);
		const expected = (chain as Record<string, string>)[name];
		if (String(value) !== expected) {
			differences.push(`${column} is ${value}, on the chain ${expected}`);
		}
	}
	return differences;
}

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

/** Makes our own service one of the indexers: everything on, its database on the common server. */
export function tapelineIndexer(scope: Scope, title: string): Indexer {
	return {
		name: "tapeline",
		title,
		doneSql: `select count(*) = 2 and coalesce(min(block_number), -1) >= $1::bigint
			and $2::bigint > 0 as done
			from chain_scanner.cursor where lane in ('mint', 'sale')`,
		figuresSql: `select
			count(*) filter (where kind = ${EVENT_KIND.mint}) as mints,
			sum(total_raw) filter (where kind = ${EVENT_KIND.mint}) as paid,
			sum(quantity) filter (where kind = ${EVENT_KIND.mint}) as units,
			count(*) filter (where kind = ${EVENT_KIND.sale} and accepted) as sales,
			sum(total_raw) filter (where kind = ${EVENT_KIND.sale} and accepted) as volume,
			count(distinct collection_id) as collections,
			(select sum(mints) from market_index.rollup_day) as counted_mints,
			(select sum(sales) from market_index.rollup_day) as counted_sales
			from market_index.event`,
		async prepare({ rpcUrl, socketDir, database }) {
			const data = await openDataDir(scope);
			return () => {
				const databaseUrl = socketUrl(socketDir, database);
				const given = { rpcUrls: [rpcUrl], dataDir: data.path, databaseUrl, runtimeArgs: [] };
				const service = startServiceProcess(given);
				return { ...service, stop: () => service.stop().finally(data.remove) };
			};
		},
	};
}

async function statement(socketDir: string, text: string): Promise<void> {
	const client = new Client({ connectionString: socketUrl(socketDir) });
	await client.connect();
	await client.query(text).finally(() => client.end());
}

async function untilDone(client: Client, doneSql: string, chain: ChainFacts): Promise<void> {
	const deadlineMs = performance.now() + TIMEOUT_MS;
	while (performance.now() < deadlineMs) {
		// Tables come late: until then there is nothing to count.
		const found = await client.query(doneSql, [chain.tip, chain.rows]).catch(() => null);
		if (found?.rows[0]?.done === true) return;
		await Bun.sleep(POLL_MS);
	}
	throw new Error(`it had not read the chain after ${TIMEOUT_MS / 1_000} s`);
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

function word(data: string, index: number): bigint {
	return BigInt(`0x${data.slice(2 + index * 64, 66 + index * 64)}`);
}

/**
 * Returns the amounts of a TransferBatch: two places, then ids with their count, then amounts with
 * theirs.
 */
function amountsOf(data: string): bigint[] {
	const count = Number(word(data, 2));
	return Array.from({ length: count }, (_, n) => word(data, 4 + count + n));
}
