// The bare floor, in a process of its own: logs, transaction values, slicing, COPY into the index's
// own table, three windows ahead. No figures, no frames, no reorg safety, no checks: the rest
// cannot be left out. Values come by transaction, in batches of 250, or with whole blocks where
// those are fewer calls. Prints one JSON line. Arguments: RPC URL, connection string, last block.
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
const CALLS_PER_REQUEST = 250;
const BLOCKS_PER_REQUEST = 25;
const REQUESTS_AT_ONCE = 4;
const WINDOWS_AHEAD = 3;
/** From so many mint transactions on, the whole block is requested. */
const WHOLE_BLOCK_FROM = 4;
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
	spent.requests++;
	spent.calls += calls.length;
	spent.bytes += Number(response.headers.get("content-length") ?? 0);
	return ((await response.json()) as { result: unknown }[]).map(({ result }) => result);
}

type Valued = { hash: string; value: string };

async function readValues(logs: readonly RawLog[]): Promise<Map<string, bigint>> {
	const hashes = [...new Set(logs.map(({ transactionHash }) => transactionHash))];
	const blocks = [...new Set(logs.map(({ blockNumber }) => blockNumber))];
	const values = new Map<string, bigint>();
	const keep = ({ hash, value }: Valued) => values.set(hash, BigInt(value));
	if (hashes.length < blocks.length * WHOLE_BLOCK_FROM) {
		await inChunks(hashes, CALLS_PER_REQUEST, async (chunk) => {
			const calls = chunk.map((hash) => ({ method: "eth_getTransactionByHash", params: [hash] }));
			for (const found of (await ask(calls)) as Valued[]) keep(found);
		});
	} else {
		await inChunks(blocks, BLOCKS_PER_REQUEST, async (chunk) => {
			const calls = chunk.map((at) => ({ method: "eth_getBlockByNumber", params: [at, true] }));
			for (const found of (await ask(calls)) as { transactions: Valued[] }[]) {
				found.transactions.forEach(keep);
			}
		});
	}
	return values;
}

async function inChunks(
	items: readonly string[],
	size: number,
	read: (chunk: readonly string[]) => Promise<void>,
): Promise<void> {
	let next = 0;
	const worker = async () => {
		while (next < items.length) {
			const chunk = items.slice(next, next + size);
			next += size;
			await read(chunk);
		}
	};
	await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, worker));
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
	const values = await readValues(mints.map(({ log }) => log));
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

/**
 * Slices a sale. Words: hash, recipient, two offsets, one item of four words, three payments of
 * five.
 */
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

/** What many lines in a row share, made once: `key` shows whether it is still the same. */
const ofBlock = { key: "", text: "" };
const ofTransaction = { key: "", text: "" };
const NATIVE = `\\\\x${"0".repeat(40)}`;

function line(row: Row, kind: 1 | 2, total: bigint, venue: string): string {
	const { log, sub, from, to, id, amount } = row;
	const collection = collectionId(kind === 1 ? tokenOf(log.data) : log.address);
	if (ofBlock.key !== log.blockNumber) {
		ofBlock.key = log.blockNumber;
		const at = new Date(Number(log.blockTimestamp) * 1_000).toISOString();
		ofBlock.text = `${at}\t${Number(log.blockNumber)}\t31337`;
	}
	if (ofTransaction.key !== log.transactionHash) {
		ofTransaction.key = log.transactionHash;
		const [block, transaction] = [log.blockHash.slice(2), log.transactionHash.slice(2)];
		ofTransaction.text = `t\tt\t\\\\x${block}\t\\\\x${transaction}`;
	}
	return (
		`${ofBlock.text}\t${collection}\t${Number(log.logIndex)}\t${sub}\t${kind}\t` +
		`${ofTransaction.text}\t\\\\x${from}\t\\\\x${to}\t${id}\t${amount}\t${NATIVE}\t` +
		`${total}\t${total}\t${venue}\t\\N\t\\N\n`
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
const ahead: ReturnType<typeof readWindow>[] = [];
let next = 0;
const askAhead = () => {
	while (ahead.length < WINDOWS_AHEAD && next <= last) {
		ahead.push(readWindow(next, Math.min(next + BLOCKS_PER_QUERY - 1, last)));
		next += BLOCKS_PER_QUERY;
	}
};
askAhead();
for (let reading = ahead.shift(); reading; reading = ahead.shift()) {
	const window = await reading;
	askAhead();
	await store(client, window.text);
	rows += window.rows;
}
const seconds = (performance.now() - beganMs) / 1_000;
const { user, system } = process.cpuUsage();
await client.end();
const cpuSeconds = (user + system) / 1e6;
process.stdout.write(`${JSON.stringify({ rows, seconds, cpuSeconds, ...spent })}\n`);
