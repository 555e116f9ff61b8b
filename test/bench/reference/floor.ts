// The bare floor, in a process of its own: logs, transaction values, slicing, COPY into the index's
// own table. No figures, no frames, no reorg safety, no checks: what is left cannot be left out.
// Prints one JSON line. Arguments: RPC URL, connection string, last block.
import { once } from "node:events";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";

type RawLog = {
	address: string;
	topics: string[];
	data: string;
	blockNumber: string;
	blockHash: string;
	transactionHash: string;
	logIndex: string;
	blockTimestamp: string;
};

const [rpcUrl = "", connectionString = "", lastBlock = "0"] = process.argv.slice(2);
const BLOCKS_PER_QUERY = 125;
const CALLS_PER_REQUEST = 100;
const REQUESTS_AT_ONCE = 4;
const ZERO = `0x${"0".repeat(64)}`;
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const SINGLE = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
const BATCH = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";
const FULFILLED = "0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31";
const SEAPORT = "0x0000000000000068f116a894984e2db1123eb395";
const COLUMNS = `occurred_at, block_number, chain_id, collection_id, log_index, sub_index, kind,
	accepted, onchain_verified, block_hash, transaction_hash, from_address, to_address, token_id,
	quantity, currency, total_raw, total_native, venue, reason, payload`;

const spent = { requests: 0, calls: 0, bytes: 0 };
const collectionIds = new Map<string, number>();

async function ask(calls: { method: string; params: unknown[] }[]): Promise<unknown[]> {
	const body = calls.map((call, id) => ({ jsonrpc: "2.0", id, ...call }));
	const headers = { "content-type": "application/json" };
	const response = await fetch(rpcUrl, { method: "POST", headers, body: JSON.stringify(body) });
	const text = await response.text();
	spent.requests++;
	spent.calls += calls.length;
	spent.bytes += text.length;
	return (JSON.parse(text) as { result: unknown }[]).map(({ result }) => result);
}

async function readValues(hashes: readonly string[]): Promise<Map<string, bigint>> {
	const values = new Map<string, bigint>();
	let next = 0;
	const worker = async () => {
		while (next < hashes.length) {
			const chunk = hashes.slice(next, next + CALLS_PER_REQUEST);
			next += CALLS_PER_REQUEST;
			const found = await ask(
				chunk.map((hash) => ({ method: "eth_getTransactionByHash", params: [hash] })),
			);
			for (const [index, hash] of chunk.entries()) {
				values.set(hash, BigInt((found[index] as { value: string }).value));
			}
		}
	};
	await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, worker));
	return values;
}

type Row = { log: RawLog; sub: number; from: string; to: string; id: bigint; amount: bigint };

async function readWindow(from: number, to: number): Promise<{ text: string; rows: number }> {
	const span = { fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` };
	const [transfers, editions, sales] = (await ask([
		{ method: "eth_getLogs", params: [{ ...span, topics: [TRANSFER, ZERO, null, null] }] },
		{ method: "eth_getLogs", params: [{ ...span, topics: [[SINGLE, BATCH], null, ZERO] }] },
		{ method: "eth_getLogs", params: [{ ...span, address: SEAPORT, topics: [FULFILLED] }] },
	])) as [RawLog[], RawLog[], RawLog[]];
	const mints = [...transfers.flatMap(sliceTransfer), ...editions.flatMap(sliceEdition)];
	const values = await readValues([...new Set(mints.map(({ log }) => log.transactionHash))]);
	const units = new Map<string, bigint>();
	for (const { log, amount } of mints) {
		units.set(log.transactionHash, (units.get(log.transactionHash) ?? 0n) + amount);
	}
	let text = "";
	for (const mint of mints) {
		const hash = mint.log.transactionHash;
		const share = (values.get(hash) ?? 0n) / (units.get(hash) ?? 1n);
		text += line(mint, 2, share * mint.amount, "\\N");
	}
	for (const log of sales) text += line(sliceSale(log), 1, priceOf(log.data), "seaport");
	return { text, rows: mints.length + sales.length };
}

function sliceTransfer(log: RawLog): Row[] {
	const [, from, to, id] = log.topics;
	if (!from || !to || !id) return [];
	return [{ log, sub: 0, from: from.slice(26), to: to.slice(26), id: BigInt(id), amount: 1n }];
}

function sliceEdition(log: RawLog): Row[] {
	const [topic, , from = "", to = ""] = log.topics;
	const row = { log, from: from.slice(26), to: to.slice(26) };
	if (topic === SINGLE)
		return [{ ...row, sub: 0, id: word(log.data, 0), amount: word(log.data, 1) }];
	const count = Number(word(log.data, 2));
	return Array.from({ length: count }, (_, sub) => {
		const amount = word(log.data, 4 + count + sub);
		return { ...row, sub, id: word(log.data, 3 + sub), amount };
	});
}

/** Words: hash, recipient, two offsets, one item of four words, three payments of five. */
function sliceSale(log: RawLog): Row {
	const from = (log.topics[1] ?? "").slice(26);
	const to = log.data.slice(2 + 64 + 24, 2 + 128);
	return { log, sub: 0, from, to, id: word(log.data, 7), amount: word(log.data, 8) };
}

function tokenOf(data: string): string {
	return `0x${data.slice(2 + 6 * 64 + 24, 2 + 7 * 64)}`;
}

function priceOf(data: string): bigint {
	return word(data, 13) + word(data, 18) + word(data, 23);
}

function word(data: string, index: number): bigint {
	return BigInt(`0x${data.slice(2 + index * 64, 66 + index * 64)}`);
}

function line(row: Row, kind: 1 | 2, total: bigint, venue: string): string {
	const { log, sub, from, to, id, amount } = row;
	const collection = collectionId(kind === 1 ? tokenOf(log.data) : log.address);
	const at = new Date(Number(log.blockTimestamp) * 1_000).toISOString();
	return (
		`${at}\t${Number(log.blockNumber)}\t31337\t${collection}\t${Number(log.logIndex)}\t${sub}\t` +
		`${kind}\tt\tt\t\\\\x${log.blockHash.slice(2)}\t\\\\x${log.transactionHash.slice(2)}\t` +
		`\\\\x${from}\t\\\\x${to}\t${id}\t${amount}\t\\\\x${"0".repeat(40)}\t${total}\t${total}\t` +
		`${venue}\t\\N\t\\N\n`
	);
}

function collectionId(address: string): number {
	const known = collectionIds.get(address) ?? collectionIds.size + 1;
	collectionIds.set(address, known);
	return known;
}

async function store(client: pg.Client, text: string): Promise<void> {
	const stream = client.query(copyFrom(`copy market_index.event (${COLUMNS}) from stdin`));
	stream.end(text);
	await once(stream, "finish");
}

const client = new pg.Client({ connectionString, application_name: "bench floor" });
await client.connect();
const last = Number(lastBlock);
let rows = 0;
const beganMs = performance.now();
let ahead = readWindow(0, BLOCKS_PER_QUERY - 1);
for (let from = 0; from <= last; from += BLOCKS_PER_QUERY) {
	const window = await ahead;
	const next = from + BLOCKS_PER_QUERY;
	if (next <= last) ahead = readWindow(next, Math.min(next + BLOCKS_PER_QUERY - 1, last));
	await store(client, window.text);
	rows += window.rows;
}
const seconds = (performance.now() - beganMs) / 1_000;
const { user, system } = process.cpuUsage();
await client.end();
const cpuSeconds = (user + system) / 1e6;
process.stdout.write(`${JSON.stringify({ rows, seconds, cpuSeconds, ...spent })}\n`);
