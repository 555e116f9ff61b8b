import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { type Sandbox, startSandbox } from "../../sandbox/startSandbox.ts";
import { dueNow } from "./openRevealLab.ts";

// Guarantee: whoever starts the sandbox sees a collection come out, noticed at once and ranked.

const dataDir = mkdtempSync(join(tmpdir(), "tapeline-reveals-"));
let sandbox: Sandbox;
let service: TestService;

beforeAll(async () => {
	sandbox = await startSandbox({ dataDir, seed: 7, paceMs: 400, historyBlocks: 40 });
	service = await startTestService({
		chain: { url: sandbox.httpUrl, wsUrl: sandbox.wsUrl },
		scanFrom: sandbox.firstBlock,
		env: { NFT_REVEAL_WATCH: sandbox.reveals.map((one) => `anvil/${one}`).join() },
	});
});

afterAll(async () => {
	await service?.stop();
	await service?.database.drop();
	await sandbox?.stop();
	rmSync(dataDir, { recursive: true, force: true });
});

test("the sandbox's hidden collection comes out while trade runs, and its tokens have ranks", async () => {
	const [contract] = sandbox.reveals;
	expect(sandbox.reveals).toHaveLength(1);
	let row: any;
	await dueNow(service, async () => {
		const { body } = await service.get("/v1/nft-market/reveals?phase=revealed");
		row = body.data[0];
		return row !== undefined;
	});
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
});
