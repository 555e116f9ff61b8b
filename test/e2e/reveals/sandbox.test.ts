import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";
import { type Sandbox, startSandbox } from "../../sandbox/startSandbox.ts";
import { dueNow } from "./openRevealLab.ts";
import { type Ada, sandboxEnvironment, signInAda } from "./sandboxEnvironment.ts";

// Guarantee: whoever starts the sandbox sees a collection come out, noticed at once and ranked, and
// whoever armed a plan for it owns what it wants: from the chain's event to the marketplace's fill.

const dataDir = mkdtempSync(join(tmpdir(), "tapeline-reveals-"));
let sandbox: Sandbox;
let service: TestService;
let ada: Ada;

beforeAll(async () => {
	sandbox = await startSandbox({ dataDir, seed: 7, paceMs: 600, historyBlocks: 40 });
	service = await startTestService({
		env: {
			...sandboxEnvironment(sandbox),
			NFT_REVEAL_WATCH: sandbox.reveals.map((one) => `anvil/${one}`).join(),
		},
	});
	ada = await signInAda(sandbox, () => service.url);
});

afterAll(async () => {
	await service?.stop();
	await service?.database.drop();
	await sandbox?.stop();
	rmSync(dataDir, { recursive: true, force: true });
});

test("[RVL-04] the sandbox's hidden collection comes out while trade runs, its tokens have ranks, and a plan buys", async () => {
	const [contract] = sandbox.reveals;
	expect(sandbox.reveals).toHaveLength(1);
	const wanted = {
		...{ collectionSlug: contract, chain: "anvil", trigger: "on_reveal", maxRank: 200 },
		...{ maxPricePerItemNative: 1, budgetNative: 2, maxItems: 3 },
	};
	let armed: any;
	await until(async () => {
		armed = await ada.ask("/v1/nft-market/snipes", wanted);
		return armed.status !== 404;
	}, "the collection is indexed");
	expect(armed).toMatchObject({ status: 201, body: { status: "armed", fills: [] } });
	let row: any;
	await dueNow(service, async () => {
		const { body } = await service.get("/v1/nft-market/reveals?phase=revealed");
		row = body.data[0];
		return row !== undefined;
	});
	const revealedIn = Number(row.detection.blockNumber);
	expect(row).toMatchObject({
		chain: "anvil",
		contractAddress: contract,
		revealState: "revealed",
		detection: { evidence: "uri_hash", blockNumber: expect.any(Number) },
		burst: { outcome: "revealed", failed: 0 },
	});
	expect(["metadata_event", "log", "block"]).toContain(row.detection.signal);
	const { body } = await service.get(`/v1/nft-market/assets/anvil/${contract}/1`);
	expect(body.traits).toHaveLength(3);
	expect(body.rank).toBeGreaterThan(0);

	let plan: any;
	await dueNow(service, async () => {
		plan = (await ada.ask(`/v1/nft-market/snipes/${armed.body.id}`)).body;
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

/** Who got the token in this transaction. */
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
