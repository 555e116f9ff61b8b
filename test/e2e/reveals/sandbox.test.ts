import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { until } from "#test/harness/until.ts";
import { type Sandbox, startSandbox } from "../../sandbox/startSandbox.ts";
import { dueNow } from "./openRevealLab.ts";
import {
	type Ada,
	judgeShows,
	openShows,
	racesLeft,
	type Show,
	sandboxEnvironment,
	signInAda,
	spoilHosts,
} from "./sandboxShows.ts";

// Guarantee: in the sandbox a collection's reveal is noticed at once and ranked, and an armed plan
// buys what it wants: from the chain's event to the marketplace's fill, by every kind of reveal,
// whatever servers and sellers do.

const dataDir = mkdtempSync(join(tmpdir(), "tapeline-reveals-"));
let sandbox: Sandbox;
let service: TestService;
let ada: Ada;
let shows: Show[];
/** The plan for the collection that reveals itself. */
let armed: any;

const SHOW_TERMS = { ceiling: 0.2, budget: 0.3, items: 1 };

beforeAll(async () => {
	sandbox = await startSandbox({ dataDir, seed: 7, paceMs: 600, historyBlocks: 40 });
	shows = await openShows(sandbox);
	service = await startTestService({
		env: {
			...sandboxEnvironment(sandbox),
			METADATA_ALLOWED_ORIGINS: sandbox.studioUrl,
			NFT_REVEAL_WATCH: sandbox.reveals.map((one) => `anvil/${one}`).join(),
		},
	});
	ada = await signInAda(sandbox, () => service.url);
	armed = await arm(sandbox.reveals[0] ?? "", {
		...{ maxRank: 200, maxPricePerItemNative: 1, budgetNative: 2, maxItems: 3 },
	});
});

afterAll(async () => {
	await service?.stop();
	await service?.database.drop();
	await sandbox?.stop();
	rmSync(dataDir, { recursive: true, force: true });
});

/** Arms a plan once the collection is indexed. */
async function arm(contract: string, terms: Record<string, number>): Promise<any> {
	let answer: any;
	await until(async () => {
		answer = await ada.ask("/v1/nft-market/snipes", {
			...{ collectionSlug: contract, chain: "anvil", trigger: "on_reveal" },
			...terms,
		});
		return answer.status !== 404;
	}, `${contract} is indexed`);
	return answer;
}

const read = async (id: string) => (await ada.ask(`/v1/nft-market/snipes/${id}`)).body;

test(
	"plans buy what they may among reveals of every kind, with failing servers and faster buyers",
	async () => {
		const { ceiling, budget, items } = SHOW_TERMS;
		const plans: { id: string; show: Show }[] = [];
		for (const show of shows) {
			const terms = { maxPricePerItemNative: ceiling, budgetNative: budget, maxItems: items };
			const { body } = await arm(show.contract, { maxRank: 1_000, ...terms });
			plans.push({ id: body.id, show });
		}
		await dueNow(service, async () => {
			const seen = await service.core.db.query(
				`select from reveal_snipe.seen as s
			join market_index.collection as c on c.id = s.collection_id
			where s.reading = 'hidden' and '0x' || encode(c.address, 'hex') = any($1::text[])`,
				[shows.map(({ contract }) => contract)],
			);
			return seen.length === shows.length;
		});
		await spoilHosts(sandbox);
		await fetch(`${sandbox.studioUrl}/_sandbox/reveals/now`, { method: "POST" });
		for (const { id } of plans) {
			await dueNow(service, async () => (await read(id)).status === "completed");
		}
		const all = await Promise.all(plans.map(async (one) => ({ ...one, plan: await read(one.id) })));
		const { db } = service.core;
		const judged = { sandbox, db, wallet: ada.wallet, terms: SHOW_TERMS };
		expect(await judgeShows(all, judged)).toEqual([]);
		expect(await racesLeft(sandbox)).toBe(0);
		const { body } = await service.get("/v1/nft-market/reveals?phase=revealed&limit=200");
		for (const { contract } of shows) {
			expect(body.data).toContainEqual(
				expect.objectContaining({ contractAddress: contract, revealState: "revealed" }),
			);
		}
	},
	5 * TEST_LIMIT_MS,
);

test("[RVL-04] the sandbox's hidden collection comes out while trade runs, its tokens have ranks, and a plan buys", async () => {
	const [contract] = sandbox.reveals;
	expect(sandbox.reveals).toHaveLength(1);
	expect(armed).toMatchObject({ status: 201, body: { status: "armed", fills: [] } });
	let row: any;
	await dueNow(service, async () => {
		const { body } = await service.get("/v1/nft-market/reveals?phase=revealed&limit=200");
		row = body.data.find(({ contractAddress }: any) => contractAddress === contract);
		return row !== undefined;
	});
	const revealedIn = Number(row.detection.blockNumber);
	expect(row).toMatchObject({
		chain: "anvil",
		contractAddress: contract,
		revealState: "revealed",
		detection: { blockNumber: expect.any(Number) },
		burst: { outcome: "revealed", failed: 0 },
	});
	expect(["metadata_event", "log", "block"]).toContain(row.detection.signal);
	const { body } = await service.get(`/v1/nft-market/assets/anvil/${contract}/1`);
	expect(body.traits).toHaveLength(3);
	expect(body.rank).toBeGreaterThan(0);

	let plan: any;
	await dueNow(service, async () => {
		plan = await read(armed.body.id);
		return plan.fills.some(({ status }: any) => status === "confirmed");
	});
	for (const { rank, priceNative } of plan.fills) {
		expect(rank).toBeLessThanOrEqual(200);
		expect(priceNative).toBeLessThanOrEqual(1);
	}
	expect(plan.spentNative).toBeLessThanOrEqual(2);
	expect(plan.filledCount).toBeLessThanOrEqual(3);
	const bought = plan.fills.find(({ status }: any) => status === "confirmed");
	const intent = await ada.ask(`/v1/nft-market/intents/${bought.intentId}`);
	const receipt = await receiptOf(intent.body.transactionHash);
	expect(Number(receipt.blockNumber)).toBeGreaterThan(revealedIn);
	expect(ownersAfter(receipt, { contract, tokenId: bought.tokenId })).toContain(ada.wallet);
});

test("[RVL-05] [RVL-10] over HTTP a plan is armed, listed, read, paused, resumed and cancelled, and a past reveal played", async () => {
	const [contract] = sandbox.reveals;
	const terms = {
		...{ collectionSlug: contract, chain: "anvil", trigger: "on_reveal", maxRank: 1 },
		...{ maxPricePerItemNative: 1, budgetNative: 2, maxItems: 3 },
	};
	const path = "/v1/nft-market/snipes";
	const { status, body: plan } = await ada.ask(path, terms);
	expect({ status, plan }).toMatchObject({
		status: 201,
		plan: { status: "armed", maxRank: 1, budgetNative: 2, maxItems: 3, fills: [] },
	});
	expect(plan.outlook).toMatchObject({ isRevealed: true, isBaselineSeen: true });
	const listed = await ada.ask(`${path}?status=armed`);
	expect(listed.body.data.map(({ id }: any) => id)).toContain(plan.id);
	for (const [event, after] of [
		["pause", "paused"],
		["resume", "armed"],
		["cancel", "cancelled"],
	]) {
		expect((await ada.ask(`${path}/${plan.id}/${event}`, {})).body.status).toBe(after);
		expect((await read(plan.id)).status).toBe(after);
	}
	expect((await ada.ask(`${path}/${plan.id}/resume`, {})).status).toBe(409);
	expect((await ada.ask(path, { ...terms, maxRank: undefined })).body.code).toBe(
		"validation_error",
	);
	const played = await ada.ask(`${path}/dry-run`, { ...terms, maxRank: 200 });
	expect(played).toMatchObject({ status: 200, body: { chain: "anvil" } });
	const spent = played.body.bought.reduce((sum: bigint, { priceRaw }: any) => {
		return sum + BigInt(priceRaw);
	}, 0n);
	expect(played.body.spentRaw).toBe(String(spent));
	expect(played.body.bought.length).toBeWithin(1, 4);
});

async function receiptOf(hash: string): Promise<any> {
	const response = await fetch(sandbox.httpUrl, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({
			id: 1,
			jsonrpc: "2.0",
			method: "eth_getTransactionReceipt",
			params: [hash],
		}),
	});
	return ((await response.json()) as any).result;
}

/** Returns who got the token in this transaction. */
function ownersAfter(
	{ logs }: any,
	{ contract, tokenId }: { contract: string | undefined; tokenId: string },
): string[] {
	return logs
		.filter(({ address, topics }: any) => {
			return address === contract && topics.length === 4 && BigInt(topics[3]) === BigInt(tokenId);
		})
		.map(({ topics }: any) => `0x${topics[2].slice(26)}`);
}
