import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeFunctionResult, encodeFunctionData, type Hex, isHex, toHex } from "viem";
import { z } from "zod";
import { readHead } from "./createRpc.ts";
import { oracleAbi } from "./economy/describeEconomy.ts";
import { type Home, openHome } from "./openHome.ts";
import { stockFeedAbi } from "./stocks/stockCatalogue.ts";
import { stockPrices } from "./stocks/stockMarket.ts";

const START_S = 1_800_000_000;
const HALF_HOUR_S = 1_800;
const hex = z.custom<Hex>((value) => isHex(value));
let dataDir: string;
let home: Home | null = null;

beforeAll(() => {
	dataDir = mkdtempSync(join(tmpdir(), "sandbox-home-"));
});
afterAll(async () => {
	await home?.anvil.stop();
	rmSync(dataDir, { recursive: true, force: true });
});

async function openAt(timeS: number): Promise<Home> {
	const said: string[] = [];
	const say = (line: string) => void said.push(line);
	home = await openHome({ dataDir, seed: 7, nowMs: () => timeS * 1_000, say });
	expect(said).toEqual([]);
	return home;
}

async function answerOf({ anvil, stocks }: Home, name: string): Promise<bigint> {
	const data = encodeFunctionData({ abi: stockFeedAbi, functionName: "latestRoundData" });
	const call = [{ to: stocks.feeds[name], data }, "latest"];
	const answer = hex.parse(await anvil.rpc.call("eth_call", call));
	return decodeFunctionResult({
		...{ abi: stockFeedAbi, functionName: "latestRoundData", data: answer },
	})[1];
}

/** Returns how far the mean of half an hour is from a pool's price of now, in ticks. */
async function driftOf({ anvil }: Home, to: Hex): Promise<number> {
	const ask = async (data: Hex) =>
		hex.parse(await anvil.rpc.call("eth_call", [{ to, data }, "latest"]));
	const abi = oracleAbi;
	const observed = await ask(
		encodeFunctionData({ abi, functionName: "observe", args: [[HALF_HOUR_S, 0]] }),
	);
	const [[from = 0n, until = 0n]] = decodeFunctionResult({
		...{ abi, functionName: "observe", data: observed },
	});
	const slot = await ask(encodeFunctionData({ abi, functionName: "slot0" }));
	const [, tick] = decodeFunctionResult({ abi, functionName: "slot0", data: slot });
	return Math.abs(Number((until - from) / BigInt(HALF_HOUR_S)) - tick);
}

/** Stocks without a feed are traded by the mean of their pools, which is there at once. */
async function expectSettled(home: Home): Promise<void> {
	for (const { address } of home.stocks.pools) {
		expect(await driftOf(home, address)).toBeLessThanOrEqual(1);
	}
}

const tesla = (timeS: number) => BigInt(Math.round((stockPrices(7, timeS)["TSLA"] ?? 0) * 1e8));

test("the home chain begins with stocks, and a restart finds them and updates prices", async () => {
	const first = await openAt(START_S);
	expect(first.stocks.isNew).toBe(true);
	expect(await answerOf(first, "TSLA")).toBe(tesla(START_S));
	await expectSettled(first);
	await first.save();
	const head = await readHead(first.anvil.rpc);
	await first.anvil.stop();

	const laterS = START_S + 40_000;
	const second = await openAt(laterS);
	expect(second.stocks.isNew).toBe(false);
	expect(tesla(laterS)).not.toBe(tesla(START_S));
	expect(await answerOf(second, "TSLA")).toBe(tesla(laterS));
	await expectSettled(second);
	const [number, withTransactions] = [toHex(head.number), false];
	const block = await second.anvil.rpc.call("eth_getBlockByNumber", [number, withTransactions]);
	expect(block).toMatchObject({ hash: head.hash });
});
