import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeFunctionData, erc20Abi, type Hex } from "viem";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";
import { USDT0 } from "../../sandbox/bridge/bridgeOf.ts";
import { type Sandbox, startSandbox } from "../../sandbox/startSandbox.ts";
import { type Ada, sandboxEnvironment, signInAda } from "../reveals/sandboxShows.ts";

// Guarantee: what the sandbox prints to copy does bridge, on chains that mine at their own pace.

const dataDir = mkdtempSync(join(tmpdir(), "tapeline-bridge-"));
let sandbox: Sandbox;
let service: TestService;
let ada: Ada;

beforeAll(async () => {
	sandbox = await startSandbox({ dataDir, seed: 7, paceMs: 500, historyBlocks: 20 });
	service = await startTestService({
		scanFrom: null,
		env: {
			...sandboxEnvironment(sandbox),
			...{ BRIDGE_BASE_URL: sandbox.bridgeUrl, BRIDGE_API_KEY: sandbox.bridgeKey },
			BRIDGE_DIRECT_JSON: JSON.stringify(sandbox.bridgeDirect),
			...{ ENABLE_BRIDGING: "true", BRIDGE_DRY_RUN: "false" },
			BRIDGE_RPC_URLS_JSON: JSON.stringify({ 988: [sandbox.stable.httpUrl] }),
			PROVIDER_STREAM_ENABLED: "false",
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

test("ada bridges ether to a dollar token on 4663, and a part of it back", async () => {
	const text = "bridge 0.5 eth from anvil to robinhood as usdg";
	let there: any;
	await until(
		async () => {
			there = (await ada.ask("/v1/agent/command", { text })).body;
			if (there.data?.errorCode === null) return true;
			await Bun.sleep(300);
			return false;
		},
		() => `it is bridged: ${JSON.stringify(there).slice(0, 300)}`,
	);
	const arrived = await reached(there.data.id);
	expect(arrived).toMatchObject({ status: "success", arrived: { verified: true, chainId: 4_663 } });
	const back = "bridge 100 usdg from robinhood to anvil as eth";
	const begun = (await ada.ask("/v1/agent/command", { text: back })).body;
	const done = await reached(begun.data.id);
	expect(done).toMatchObject({ status: "success", arrived: { verified: true, chainId: 31_337 } });
	const ledger = (await (await fetch(`${sandbox.bridgeUrl}/_sandbox/ledger`)).json()) as any[];
	expect(ledger.filter((entry) => entry.fill !== null)).toHaveLength(2);
});

test("[BRG-08] ada's dollars arrive as the stablecoin of 988, by any name of the destination", async () => {
	const body = { amount: "20", currency: "usdg", mode: "degen_2_stable" };
	const begun = (await ada.ask("/v1/bridges/intents", body)).body;
	const done = await reached(begun.id);
	expect(done).toMatchObject({
		...{ status: "success", origin: { chainId: 4_663, symbol: "USDG" } },
		arrived: { verified: true, chainId: 988, currency: USDT0 },
	});
	const held = await fetch(sandbox.stable.httpUrl, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({
			...{ jsonrpc: "2.0", id: 1, method: "eth_call" },
			params: [{ to: USDT0, data: balanceOf(ada.wallet) }, "latest"],
		}),
	});
	const { result } = (await held.json()) as { result: string };
	expect(BigInt(result)).toBe(BigInt(done.arrived.amountRaw));
});

test("ada signs a permit instead of depositing, and sends another amount directly", async () => {
	const into = "bridge 0.1 eth from anvil to robinhood as pusd";
	const got = await reached((await ada.ask("/v1/agent/command", { text: into })).body.data.id);
	expect(got).toMatchObject({ status: "success", destination: { symbol: "PUSD" } });
	const out = "bridge 50 pusd from robinhood to anvil as eth";
	const signed = await reached((await ada.ask("/v1/agent/command", { text: out })).body.data.id);
	expect(signed).toMatchObject({
		...{ status: "success", steps: [{ kind: "authorize", transactionHash: null }] },
		arrived: { verified: true, chainId: 31_337 },
	});
	const direct = { amount: "5", currency: "USDG", from: "robinhood", to: "anvil", mode: "direct" };
	const sent = await reached((await ada.ask("/v1/bridges/intents", direct)).body.id);
	expect(sent).toMatchObject({
		...{ status: "success", errorCode: null },
		arrived: { verified: true, chainId: 31_337, amountRaw: "5000000" },
	});
});

function balanceOf(owner: string): string {
	const args = [owner as Hex] as const;
	return encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args });
}

async function reached(id: string): Promise<any> {
	let found: any;
	await until(
		async () => {
			found = (await ada.ask(`/v1/bridges/intents/${id}`)).body;
			return ["success", "refund", "rejected", "failure", "uncertain"].includes(found.status);
		},
		() => `an end: ${JSON.stringify(found).slice(0, 300)}`,
	);
	return found;
}
