// Runs the service in a process of its own, which itself commits what it publishes: the bus is in
// it. Prints its URL as one JSON line; then takes orders as JSON lines, each of transactions with
// so many frames, and prints the begin and end of each. Configured by the environment alone.
import { createInterface } from "node:readline";
import { startService } from "#api/service/startService.ts";
import { collectionTopic } from "#plugins/market-index/contract.ts";
import { benchFrame } from "#test/bench/reference/benchFrame.ts";

/** `padBytes` makes each frame so much larger. */
type Order = { transactions: number; frames: number; padBytes?: number };

const ADDRESS = "0x00000000000000000000000000000000000000aa";
/** Concurrent, so that PostgreSQL works while sockets are written. */
const WRITERS = 4;

const service = await startService({ env: process.env });
const { db, outbox, indexed } = service.core;
const [first] = indexed;
if (!first) throw new Error("the service indexes no chain");
const { slug, id } = first.chain;
const topic = collectionTopic(slug, ADDRESS);
await db.execute(
	`insert into market_index.collection (chain_id, address, standard, slug)
	values ($1, decode($2, 'hex'), 'erc721', 'bench')`,
	[id, ADDRESS.slice(2)],
);

async function publish({ transactions, frames, padBytes = 0 }: Order): Promise<void> {
	let left = transactions;
	const pad = "x".repeat(padBytes);
	const frame = () => {
		const { type, data } = benchFrame();
		return { type, data: padBytes === 0 ? data : { ...data, pad } };
	};
	const write = async () => {
		while (left-- > 0) {
			await db.transaction(async (tx) => {
				outbox.append(tx, topic, Array.from({ length: frames }, frame));
			});
		}
	};
	await Promise.all(Array.from({ length: WRITERS }, write));
}

const path = `/v1/nft-market/collections/bench/stream?chain=${slug}`;
const say = (line: object) => void process.stdout.write(`${JSON.stringify(line)}\n`);
say({ url: `${service.url}${path}` });
process.once("SIGTERM", async () => {
	await service.stop();
	process.exit(0);
});
for await (const line of createInterface({ input: process.stdin })) {
	say({ beganAtMs: Date.now() });
	await publish(JSON.parse(line));
	say({ committedAtMs: Date.now(), residentBytes: process.memoryUsage.rss() });
}
