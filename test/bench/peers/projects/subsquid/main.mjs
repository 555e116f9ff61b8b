// A processor of Subsquid's with a store of its own: rows in batches by one insert, figures
// by one statement a batch. BENCH_FIGURES=no leaves the figures out: inserts alone.
import { readFileSync } from "node:fs";
import { EvmBatchProcessor } from "@subsquid/evm-processor";
import pg from "pg";

const { BENCH_RPC_URL, BENCH_SEAPORT, BENCH_FIGURES, DATABASE_URL } = process.env;
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const SINGLE = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
const BATCH = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";
const FULFILLED = "0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31";
const ZERO = `0x${"0".repeat(64)}`;
const NOBODY = `0x${"0".repeat(40)}`;
const TOPICS_OF_NFT = 4;
const SECONDS_PER_MINUTE = 60;

const client = new pg.Client({ connectionString: DATABASE_URL });
await client.connect();
await client.query(readFileSync(new URL("tables.sql", import.meta.url), "utf8"));

const database = {
	async connect() {
		const { rows } = await client.query("select height, hash from bench.progress");
		return rows[0];
	},
	async transact({ nextHead }, act) {
		await client.query("begin");
		await act(client);
		await client.query("update bench.progress set height = $1, hash = $2", [
			nextHead.height,
			nextHead.hash,
		]);
		await client.query("commit");
	},
};

const transaction = true;
const processor = new EvmBatchProcessor()
	.setRpcEndpoint({ url: BENCH_RPC_URL, maxBatchCallSize: 100, capacity: 10 })
	// The bench's chain has no forks: what is read is final.
	.setFinalityConfirmation(0)
	.setBlockRange({ from: 0 })
	.setFields({
		log: { topics: true, data: true, transactionHash: true },
		transaction: { hash: true, value: true },
		block: { timestamp: true },
	})
	.addLog({ topic0: [TRANSFER], topic1: [ZERO], transaction })
	.addLog({ topic0: [SINGLE, BATCH], topic2: [ZERO], transaction })
	.addLog({ address: [BENCH_SEAPORT], topic0: [FULFILLED] });

processor.run(database, async ({ blocks, store }) => {
	const rows = [];
	for (const { header, logs } of blocks) {
		for (const log of logs) rows.push(...rowsOf(log, header));
	}
	await storeEvents(store, rows);
	if (BENCH_FIGURES !== "no") await storeFigures(store, rows);
});

function rowsOf(log, header) {
	const at = Math.floor(header.timestamp / 1_000);
	const row = (sub, of) => ({
		id: `${header.height}-${log.logIndex}-${sub}`,
		block: header.height,
		at,
		tx: log.transactionHash,
		...of,
	});
	const [topic, first, second, third] = log.topics;
	if (topic === FULFILLED) return [row(0, saleOf(log.data, addressOf(first)))];
	const mint = { kind: "mint", collection: log.address, sender: NOBODY };
	const wei = log.transaction.value;
	if (topic === TRANSFER) {
		if (log.topics.length !== TOPICS_OF_NFT) return [];
		const receiver = addressOf(second);
		return [row(0, { ...mint, receiver, token: BigInt(third), quantity: 1n, wei })];
	}
	const receiver = addressOf(third);
	if (topic === SINGLE) {
		const [token, quantity] = [word(log.data, 0), word(log.data, 1)];
		return [row(0, { ...mint, receiver, token, quantity, wei })];
	}
	const count = Number(word(log.data, 2));
	return Array.from({ length: count }, (_, n) => {
		const [token, quantity] = [word(log.data, 3 + n), word(log.data, 4 + count + n)];
		return row(n, { ...mint, receiver, token, quantity, wei });
	});
}

/** Words: hash, recipient, two places, one item of four words, payments of five words each. */
function saleOf(data, sender) {
	const payments = Number(word(data, 9));
	let wei = 0n;
	for (let n = 0; n < payments; n++) wei += word(data, 13 + n * 5);
	return {
		...{ kind: "sale", sender, receiver: addressOf(`0x${data.slice(66, 130)}`) },
		collection: addressOf(`0x${data.slice(2 + 6 * 64, 2 + 7 * 64)}`),
		...{ token: word(data, 7), quantity: word(data, 8), wei },
	};
}

function word(data, index) {
	return BigInt(`0x${data.slice(2 + index * 64, 66 + index * 64)}`);
}

function addressOf(topic) {
	return `0x${topic.slice(26)}`;
}

async function storeEvents(store, rows) {
	const column = (name) => rows.map((row) => String(row[name]));
	await store.query(
		`insert into bench.event
		select * from unnest($1::text[], $2::text[], $3::text[], $4::numeric[], $5::numeric[],
			$6::text[], $7::text[], $8::numeric[], $9::int[], $10::int[], $11::text[])`,
		["id", "kind", "collection", "token", "quantity", "sender", "receiver", "wei"]
			.concat(["block", "at", "tx"])
			.map(column),
	);
}

async function storeFigures(store, rows) {
	const collections = new Map();
	const candles = new Map();
	const seen = new Set();
	for (const { kind, collection: id, quantity, wei, at, tx } of rows) {
		const own = collections.get(id) ?? { id, mints: 0, units: 0n, paid: 0n, sales: 0, volume: 0n };
		collections.set(id, own);
		if (kind === "mint") {
			own.mints++;
			own.units += quantity;
			if (!seen.has(`${id}${tx}`)) own.paid += wei;
			seen.add(`${id}${tx}`);
			continue;
		}
		own.sales++;
		own.volume += wei;
		const minute = Math.floor(at / SECONDS_PER_MINUTE);
		const key = `${id}-${minute}`;
		const candle = candles.get(key);
		if (candle === undefined) {
			const all = { opened: wei, highest: wei, lowest: wei, closed: wei };
			candles.set(key, { collection: id, minute, ...all, volume: wei, sales: 1 });
			continue;
		}
		if (wei > candle.highest) candle.highest = wei;
		if (wei < candle.lowest) candle.lowest = wei;
		candle.closed = wei;
		candle.volume += wei;
		candle.sales++;
	}
	await storeCollections(store, [...collections.values()]);
	await storeCandles(store, [...candles.values()]);
}

async function storeCollections(store, rows) {
	const column = (name) => rows.map((row) => String(row[name]));
	await store.query(
		`insert into bench.collection as old
		select * from unnest($1::text[], $2::int[], $3::numeric[], $4::numeric[], $5::int[],
			$6::numeric[])
		on conflict (id) do update set
			mints = old.mints + excluded.mints, units = old.units + excluded.units,
			paid = old.paid + excluded.paid, sales = old.sales + excluded.sales,
			volume = old.volume + excluded.volume`,
		["id", "mints", "units", "paid", "sales", "volume"].map(column),
	);
}

async function storeCandles(store, rows) {
	const column = (name) => rows.map((row) => String(row[name]));
	await store.query(
		`insert into bench.candle as old
		select * from unnest($1::text[], $2::int[], $3::numeric[], $4::numeric[], $5::numeric[],
			$6::numeric[], $7::numeric[], $8::int[])
		on conflict (collection, minute) do update set
			highest = greatest(old.highest, excluded.highest),
			lowest = least(old.lowest, excluded.lowest), closed = excluded.closed,
			volume = old.volume + excluded.volume, sales = old.sales + excluded.sales`,
		["collection", "minute", "opened", "highest", "lowest", "closed", "volume", "sales"].map(
			column,
		),
	);
}
