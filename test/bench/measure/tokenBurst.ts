// Reads all tokens of one collection, counts and ranks them, and prints the time and the memory of
// this process, as one JSON line. Arguments: the database, the gateway, the number of tokens.

import { toFunctionSelector } from "viem";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { systemClock } from "#core/clock.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { createForeignFetch } from "#core/foreign/createForeignFetch.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import type { NewJob } from "#core/queue.ts";
import { createDocumentReader } from "#plugins/market-index/metadata/createDocumentReader.ts";
import { createTokens } from "#plugins/market-index/tokens/createTokens.ts";
import { readTokensJob } from "#plugins/market-index/tokens/tokenJobs.ts";
import { peakMemoryMb } from "#test/bench/measure/processCost.ts";
import { createFakeProvider, fakePrices } from "#test/harness/fakes.ts";

const [connectionString = "", gateway = "", tokens = ""] = process.argv.slice(2);
const CID = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";
const SELECTOR = toFunctionSelector("tokenURI(uint256)");

const chain = createChainRegistry(builtinChains).bySlug("ethereum");
if (!chain) throw new Error("there is no chain");
const db = openDatabase({
	connectionString,
	connectionsMax: 4,
	applicationName: "tapeline bench",
	log: silentLog,
});
const [collection] = await db.query<{ id: number }>(
	`insert into market_index.collection (chain_id, address, slug, standard)
	values ($1, decode(repeat('ca', 20), 'hex'), 'cats', 'erc721') returning id`,
	[chain.id],
);
const collectionId = collection?.id ?? 0;
await db.execute(
	`insert into market_index.token (collection_id, token_id, next_at)
	select $1, n, now() - interval '1 minute' from generate_series(0, $2::int4 - 1) as n`,
	[collectionId, Number(tokens)],
);

/**
 * Encodes a text by hand: the measured process makes its own answers, which must cost it little.
 */
function abiText(ascii: string): string {
	const word = (value: number) => value.toString(16).padStart(64, "0");
	const words = Math.ceil(ascii.length / 32);
	const hex = Buffer.from(ascii)
		.toString("hex")
		.padEnd(words * 64, "0");
	return `0x${word(32)}${word(ascii.length)}${hex}`;
}

/** A contract whose tokens are all under one CID. */
const rpc: Pick<Rpc, "settle"> = {
	settle: async (calls) =>
		calls.map(({ params }) => {
			const [{ data }] = params as [{ data: string }];
			const id = BigInt(`0x${data.slice(SELECTOR.length)}`);
			return { kind: "result", result: abiText(`ipfs://${CID}/${id}`) };
		}),
};
const line: NewJob[] = [readTokensJob(collectionId)];
const { tasks } = createTokens({
	core: {
		db,
		indexed: [{ chain, rpcFor: () => rpc as Rpc, headUrls: [] }],
		queue: { add: async (_tx, jobs) => void line.push(...jobs) },
		clock: systemClock,
		log: silentLog,
		metrics: createMetrics({ processMetrics: false }),
	},
	readUri: createDocumentReader({
		clock: systemClock,
		foreignFetch: createForeignFetch(),
		gateways: { ipfs: [gateway], arweave: gateway },
		allowedOrigins: [],
	}),
	provider: createFakeProvider({ isOn: false }).provider,
	prices: fakePrices(),
});

const idleMb = process.memoryUsage.rss() / 1_048_576;
const beganMs = performance.now();
const { signal } = new AbortController();
for (let job = line.shift(); job; job = line.shift()) {
	const task = tasks.find(({ name }) => name === job?.task);
	await task?.run(task.payload.parse(job.payload), { signal });
}
const seconds = (performance.now() - beganMs) / 1_000;
await db.close();
const peakMb = peakMemoryMb(process.pid);
process.stdout.write(`${JSON.stringify({ seconds, peakMb, idleMb })}\n`);
