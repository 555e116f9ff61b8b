import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeFunctionResult, encodeFunctionData, type Hex, isHex } from "viem";
import { z } from "zod";
import { usdFeeds } from "#plugins/prices/feed.ts";
import { createRpc, type Rpc } from "./createRpc.ts";
import { feedAbi, usdAnswer } from "./feeds.ts";
import { type Sandbox, startSandbox } from "./startSandbox.ts";

const ZERO = `0x${"0".repeat(40)}`;
const hex = z.custom<Hex>((value) => isHex(value));
let dataDir: string;
let sandbox: Sandbox;
let rpc: Rpc;

beforeAll(async () => {
	dataDir = mkdtempSync(join(tmpdir(), "sandbox-feeds-"));
	sandbox = await startSandbox({ dataDir, seed: 5, paceMs: 0, historyBlocks: 20 });
	rpc = createRpc(sandbox.httpUrl);
});
afterAll(async () => {
	await sandbox?.stop();
	rmSync(dataDir, { recursive: true, force: true });
});

async function read(to: Hex, call: { functionName: "latestRoundData" } | { id: bigint }) {
	const data =
		"id" in call
			? encodeFunctionData({ abi: feedAbi, functionName: "getRoundData", args: [call.id] })
			: encodeFunctionData({ abi: feedAbi, functionName: "latestRoundData" });
	const answer = hex.parse(await rpc.call("eth_call", [{ to, data }, "latest"]));
	return decodeFunctionResult({ abi: feedAbi, functionName: "getRoundData", data: answer });
}

test("ETH and the coin have feeds under the service's names, with rounds at the world's blocks", async () => {
	const feeds = usdFeeds.parse(sandbox.usdFeeds)["31337"] ?? {};
	expect(Object.keys(feeds)).toHaveLength(2);
	for (const [token, { feed }] of Object.entries(feeds)) {
		const of = token === ZERO ? "eth" : "coin";
		const [newest] = await read(feed, { functionName: "latestRoundData" });
		expect(newest >> 64n).toBe(1n);
		const count = newest & 0xffffn;
		expect(count).toBeGreaterThan(10n);
		let before = 0n;
		for (let id = (1n << 64n) | 1n; id <= newest; id++) {
			const [told, answer, , updatedAt] = await read(feed, { id });
			expect(told).toBe(id);
			expect(answer).toBe(usdAnswer(of, Number(updatedAt)));
			expect(updatedAt > before).toBe(true);
			before = updatedAt;
		}
		await expect(read(feed, { id: newest + 1n })).rejects.toThrow();
		await expect(read(feed, { id: newest & 0xffffn })).rejects.toThrow();
	}
});

test("prices stay near their centre and move", () => {
	const answers = Array.from({ length: 200 }, (_, n) => usdAnswer("eth", 1_700_000_000 + n * 900));
	expect(new Set(answers).size).toBeGreaterThan(150);
	for (const answer of answers) {
		expect(answer >= 240_000_000_000n && answer <= 260_000_000_000n).toBe(true);
	}
});
