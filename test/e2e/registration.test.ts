import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { encodeFunctionData } from "viem";
import { LACKING_AFTER_MS } from "#plugins/market-index/register/registerCollections.ts";
import { TRAITS_EVERY_MS } from "#plugins/market-index/tokens/model.ts";
import { type MarketLab, openMarketLab } from "#test/harness/openMarketLab.ts";
import { createRpc } from "#test/sandbox/createRpc.ts";
import { tokenAbi } from "#test/sandbox/knownContracts.ts";
import type { Collection } from "#test/sandbox/provider/market/Market.ts";

// Guarantee: however a collection is first met, it gets the same: its contract is read, its tokens
// are found and read, its traits counted, its tokens ranked. Missing parts are found and completed.

const ROOT = join(import.meta.dir, "../..");
/** The chain's history is not indexed until an operator asks for it. */
const HISTORY_BLOCKS = 40;
const HEAD = HISTORY_BLOCKS + 2;

/**
 * Which collection is first met by what. The first two are the provider's; it does not know the
 * others.
 */
const MET_BY = {
	request: "night-ferry",
	list: "kiln-folk",
	chain: "harbor-lights",
	operator: "paper-astronauts",
};

let lab: MarketLab;
const market = new Map<string, Collection>();

beforeAll(async () => {
	lab = await openMarketLab({
		only: [MET_BY.request, MET_BY.list],
		historyBlocks: HISTORY_BLOCKS,
		scanFrom: HEAD + 1,
		through: async (rpcUrl) => {
			await createRpc(rpcUrl).call("anvil_mine", ["0x1"]);
			return rpcUrl;
		},
		behind(provider) {
			for (const [slug, collection] of provider.market().collections) market.set(slug, collection);
			return provider;
		},
	});
});
afterAll(() => lab?.close());

function of(slug: string): Collection {
	const collection = market.get(slug);
	if (!collection) throw new Error(`the sandbox has no ${slug}`);
	return collection;
}

/** Makes the provider's lists contain this collection alone. */
function offer(slug: string): void {
	const { collections } = lab.emulator.market();
	collections.clear();
	collections.set(slug, of(slug));
}

const meet: Record<keyof typeof MET_BY, () => Promise<void>> = {
	async request() {
		offer(MET_BY.request);
		await lab.read("/collections?chain=anvil&mode=new&limit=20");
	},
	async list() {
		offer(MET_BY.list);
		await lab.runJob("discovery");
		for (const slug of [MET_BY.request, MET_BY.list]) {
			lab.emulator.market().collections.set(slug, of(slug));
		}
	},
	async chain() {
		const { address, owner } = of(MET_BY.chain).facts;
		if (!owner) throw new Error("nobody can mint");
		const data = encodeFunctionData({ abi: tokenAbi, functionName: "reserve", args: [owner, 1n] });
		await lab.send(owner, { to: address, data });
		await lab.caughtUp();
	},
	async operator() {
		const asked = ["--chain", "anvil", "--from", "1", "--to", String(HEAD)];
		const child = Bun.spawn([process.execPath, "api/cli/svc.ts", "backfill", ...asked], {
			cwd: ROOT,
			stdout: "ignore",
			stderr: "pipe",
			env: {
				...process.env,
				DATABASE_URL: lab.service.database.connectionString,
				CHAINS: "anvil",
				CHAIN_RPC_URLS_JSON: JSON.stringify({ anvil: [lab.sandbox.httpUrl] }),
				LOG_LEVEL: "error",
			},
		});
		const notes = await new Response(child.stderr).text();
		expect({ notes, code: await child.exited }).toMatchObject({ code: 0 });
		// Collections that existed before have more tokens now, which a job of the worker notices.
		await lab.runJob("supply-catch-up");
	},
};

type Had = { tokens: number; traited: number; ranked: number; counted: boolean };

/** Returns which parts of its registration a collection has; null if it is not registered. */
async function had(slug: string): Promise<(Had & { lacks: string[] }) | null> {
	const [row] = await lab.service.core.db.query<Had & { lacks: string[] }>(
		`select array_remove(array[
				case when c.metadata_at is null then 'metadata' end,
				case when c.learned_at is null then 'tokens' end,
				case when s.traits_at is null then 'traits' end,
				case when s.ranked_at is null then 'ranks' end
			], null) as lacks,
			count(t)::int4 as tokens, count(t.traits)::int4 as traited, count(t.rank)::int4 as ranked,
			exists (select from market_index.trait_count where collection_id = c.id) as counted
		from market_index.collection as c
		left join market_index.sync as s on s.collection_id = c.id
		left join market_index.token as t on t.collection_id = c.id
		where c.address = $1
		group by c.id, s.collection_id`,
		[Buffer.from(of(slug).facts.address.slice(2), "hex")],
	);
	return row ?? null;
}

async function expectWhole(slug: string): Promise<void> {
	const tokens = (await had(slug))?.tokens ?? 0;
	expect(tokens).toBeGreaterThan(0);
	const whole = { lacks: [], tokens, traited: tokens, ranked: tokens, counted: true };
	expect({ slug, ...(await had(slug)) }).toEqual({ slug, ...whole });
}

/**
 * Runs the queue, with the traits, which are counted again for one collection only after a pause.
 */
async function drainWithTraits(): Promise<void> {
	await lab.drainQueue();
	lab.advance(TRAITS_EVERY_MS);
	await lab.drainQueue();
}

/** Checks that a collection is new, and that no call for it is made while a request waits. */
async function meets(who: keyof typeof MET_BY): Promise<void> {
	expect(await had(MET_BY[who])).toBeNull();
	await meet[who]();
	expect((await had(MET_BY[who]))?.lacks).toContain("ranks");
	await drainWithTraits();
}

for (const who of ["request", "list"] as const) {
	test(`a collection that is first found in a ${who} gets metadata, tokens, traits and ranks`, async () => {
		await meets(who);
		await expectWhole(MET_BY[who]);
	});
}

test("collections from blocks and backfills have all parts too, and ranks once most tokens are known", async () => {
	await meets("chain");
	// A single token of many: all but its rank is there.
	const alone = { lacks: ["ranks"], tokens: 1, traited: 1, ranked: 0, counted: true };
	expect(await had(MET_BY.chain)).toEqual(alone);
	await meets("operator");
	for (const slug of [MET_BY.operator, MET_BY.chain]) await expectWhole(slug);
});

test("the missing parts of collections are completed after all their jobs were lost", async () => {
	const { db } = lab.service.core;
	const ids = Object.values(MET_BY).map((slug) => of(slug).facts.address.slice(2));
	await db.execute("delete from graphile_worker._private_jobs");
	await db.execute(
		`with lost as (
				update market_index.collection set metadata_at = null, learned_at = null,
					registered_at = $2
				where encode(address, 'hex') = any($1::text[]) returning id
			), asked as (
				update market_index.sync set traits_at = null, ranked_at = null, nfts_at = null
				where collection_id in (select id from lost)
			), counted as (
				delete from market_index.trait_count where collection_id in (select id from lost)
			)
			delete from market_index.token where collection_id in (select id from lost)`,
		[ids, new Date(lab.nowMs() - LACKING_AFTER_MS - 1)],
	);
	for (const slug of Object.values(MET_BY)) expect((await had(slug))?.tokens).toBe(0);
	await lab.runJob("repair");
	await drainWithTraits();
	for (const slug of Object.values(MET_BY)) await expectWhole(slug);
});
