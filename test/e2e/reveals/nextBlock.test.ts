import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStream, startTestService, type TestService } from "#test/harness/startTestService.ts";
import { createRpc } from "#test/sandbox/createRpc.ts";
import { type Sandbox, startSandbox } from "#test/sandbox/startSandbox.ts";
import { dueNow, holdSteps } from "./openRevealLab.ts";
import { type Ada, sandboxEnvironment, signInAda } from "./sandboxShows.ts";

// Guarantee: a plan needs one block only. The reveal is noticed, ranked and bought while the chain
// stands still after it, so the buy is in the very next block. Whoever asks meanwhile sees the
// steps in their order.

const TOKENS = 40;
const FEW = 12;
/** Sellers list a few tokens in each block. */
const BLOCKS_FOR_SELLERS = 30;

const dataDir = mkdtempSync(join(tmpdir(), "tapeline-next-block-"));
let sandbox: Sandbox;
let service: TestService;
let ada: Ada;
let contract: string;
let other: string;

const rpc = () => createRpc(sandbox.httpUrl);

async function studio(path: string, body: unknown): Promise<any> {
	const init = { method: "POST", body: JSON.stringify(body) };
	return (await fetch(`${sandbox.studioUrl}${path}`, init)).json();
}

beforeAll(async () => {
	// A chain without a clock: a block comes with each transaction, and never without one.
	sandbox = await startSandbox({ dataDir, seed: 7, paceMs: 0, historyBlocks: 40 });
	({ contract } = await studio("/_sandbox/reveals", { kind: "announced", tokens: TOKENS }));
	({ contract: other } = await studio("/_sandbox/reveals", { kind: "announced", tokens: FEW }));
	await rpc().call("anvil_mine", [`0x${BLOCKS_FOR_SELLERS.toString(16)}`]);
	service = await startTestService({
		env: { ...sandboxEnvironment(sandbox), METADATA_ALLOWED_ORIGINS: sandbox.studioUrl },
	});
	ada = await signInAda(sandbox, () => service.url);
});

afterAll(async () => {
	await service?.stop();
	await service?.database.drop();
	await sandbox?.stop();
	rmSync(dataDir, { recursive: true, force: true });
});

/** Arms a plan and returns its id once the index has the collection as hidden and with listings. */
async function arm(contract: string): Promise<string> {
	const plan = {
		...{ collectionSlug: contract, chain: "anvil", trigger: "on_reveal", maxRank: TOKENS },
		...{ maxPricePerItemNative: 1, budgetNative: 1, maxItems: 1 },
	};
	let armed: any;
	await dueNow(service, async () => {
		armed = await ada.ask("/v1/nft-market/snipes", plan);
		return armed.status === 201;
	});
	await dueNow(service, async () => {
		const hidden = await service.core.db.query(
			`select from reveal_snipe.seen as s
			join market_index.collection as c on c.id = s.collection_id
			where s.reading = 'hidden' and '0x' || encode(c.address, 'hex') = $1
				and exists (select from market_index.market_order as o
					where o.collection_id = c.id and o.is_active and o.kind = 0)`,
			[contract],
		);
		return hidden.length > 0;
	});
	return armed.body.id;
}

test("an armed plan buys in the block after the reveal", async () => {
	const planId = await arm(contract);
	await studio("/_sandbox/reveals/now", { contracts: [contract] });
	const revealedIn = Number(await rpc().call("eth_blockNumber", []));
	let fill: any;
	await dueNow(service, async () => {
		const { body } = await ada.ask(`/v1/nft-market/snipes/${planId}`);
		fill = body.fills.find(({ status }: any) => status === "confirmed");
		return fill !== undefined;
	});
	const { body } = await ada.ask(`/v1/nft-market/intents/${fill.intentId}`);
	const receipt: any = await rpc().call("eth_getTransactionReceipt", [body.transactionHash]);
	expect(Number(receipt.blockNumber)).toBe(revealedIn + 1);
	const owner = receipt.logs
		.filter(({ address, topics }: any) => address === contract && topics.length === 4)
		.map(({ topics }: any) => `0x${topics[2].slice(26)}`);
	expect(owner).toEqual([ada.wallet]);
});

test("[RVL-04] routes and stream show counted, then ranked, then plans evaluated, and only then revealed", async () => {
	const contract = other;
	const planId = await arm(contract);
	const path = `/v1/nft-market/collections/${contract}`;
	const stream = await openStream(`${service.url.replace("http", "ws")}${path}/stream?chain=anvil`);
	const steps = await holdSteps(service.database.connectionString);
	const shown = async () => {
		const traits = await service.get(`${path}/traits?chain=anvil`);
		const asset = await service.get(`/v1/nft-market/assets/anvil/${contract}/1`);
		const { body } = await service.get(`${path}?chain=anvil`);
		const reveals = await service.get("/v1/nft-market/reveals?chain=anvil&limit=200");
		const row = reveals.body.data.find((one: any) => one.contractAddress === contract);
		return {
			isCounted: (traits.body.data ?? []).length > 0,
			isRanked: asset.body.rank !== null,
			isTried: (await ada.ask(`/v1/nft-market/snipes/${planId}`)).body.fills.length > 0,
			...{ state: body.market.revealState, row: row.revealState, phase: row.phase },
			step: row.burst?.step,
			frames: stream.frames.flatMap(({ type, data }) => (type === "reveal" ? [data.phase] : [])),
		};
	};
	const before = { state: "placeholder", row: "placeholder", phase: "burst" };
	await studio("/_sandbox/reveals/now", { contracts: [contract] });

	await steps.reached("ranking");
	await stream.next(({ type }) => type === "reveal");
	expect(await shown()).toEqual({
		...{ ...before, isCounted: true, isRanked: false, isTried: false, step: "ranking" },
		frames: ["detected"],
	});
	await steps.release("ranking");

	await steps.reached("buying");
	expect(await shown()).toEqual({
		...{ ...before, isCounted: true, isRanked: true, isTried: false, step: "plans" },
		frames: ["detected"],
	});
	await steps.release("buying");

	await steps.reached("revealing");
	expect(await shown()).toEqual({
		...{ ...before, isCounted: true, isRanked: true, isTried: true, step: "revealing" },
		frames: ["detected"],
	});
	await steps.release("revealing");

	const [, frame] = await stream.take(2, ({ type }) => type === "reveal");
	expect(frame.data).toMatchObject({ phase: "revealed", revealState: "revealed" });
	expect(await shown()).toEqual({
		...{ isCounted: true, isRanked: true, isTried: true, step: "ended" },
		...{ state: "revealed", row: "revealed", phase: "revealed" },
		frames: ["detected", "revealed"],
	});
	stream.close();
	await steps.close();
});
