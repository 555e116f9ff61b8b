import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { encodeFunctionData, type Hex, zeroAddress } from "viem";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { until } from "#test/harness/until.ts";
import { compileContracts } from "../compileContracts.ts";
import { dollarAbi } from "./BridgeWorld.ts";
import { type BridgeEmulator, startBridgeEmulator } from "./startBridgeEmulator.ts";

// Guarantee: what the sandbox's bridge says it paid is on the chains, and what it was paid as well.

const USDG = "0x5fc5360d0400a0fd4f2af552add042d716f1d168";
const USER = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const RECIPIENT = "0x00000000000000000000000000000000000a11ce";
const ETHER = 10n ** 18n;

let origin: Anvil;
let home: Anvil;
let bridge: BridgeEmulator;

beforeAll(async () => {
	[origin, home] = await Promise.all([startAnvil(), startAnvil({ args: ["--chain-id", "4663"] })]);
	await home.rpc("anvil_setCode", [USDG, compileContracts().SandboxDollar.runtime]);
	const eth = { ...{ address: zeroAddress, symbol: "ETH", name: "Ether", decimals: 18 } } as const;
	const coin = { ...eth, usdMicros: 2_000_000_000n };
	const usdg = { address: USDG, symbol: "USDG", name: "Global Dollar", decimals: 6 } as const;
	bridge = await startBridgeEmulator({
		pollMs: 10,
		chains: [
			{ id: 31_337, rpcUrl: origin.url, name: "anvil", currencies: [coin] },
			{
				...{ id: 4_663, rpcUrl: home.url, name: "robinhood" },
				currencies: [coin, { ...usdg, usdMicros: 1_000_000n }],
			},
		],
	});
});
afterAll(async () => {
	await bridge?.stop();
	await Promise.all([origin?.stop(), home?.stop()]);
});
beforeEach(() => bridge.clearFaults());

async function post(path: string, body: unknown) {
	const response = await fetch(`${bridge.url}${path}`, {
		...{ method: "POST", headers: { "content-type": "application/json" } },
		body: JSON.stringify(body),
	});
	return { status: response.status, body: (await response.json()) as any };
}

async function quote(more: object = {}) {
	const { body } = await post("/quote/v2", {
		...{ user: USER, recipient: RECIPIENT, refundTo: USER },
		...{ originChainId: 31_337, destinationChainId: 4_663 },
		...{ originCurrency: zeroAddress, destinationCurrency: USDG },
		...{ amount: String(ETHER), tradeType: "EXACT_INPUT", includeProtocolData: true },
		...more,
	});
	return body;
}

async function carryOut(chain: Anvil, quoted: any): Promise<void> {
	for (const step of quoted.steps) {
		const { from, to, data, value } = step.items[0].data;
		await chain.rpc("anvil_impersonateAccount", [from]);
		const call = { from, to, data, value: `0x${BigInt(value).toString(16)}` };
		await chain.rpc("eth_sendTransaction", [call]);
		await chain.mined();
	}
}

const status = async (requestId: string) =>
	(await fetch(`${bridge.url}/intents/status/v3?requestId=${requestId}`)).json() as any;
const ended = (requestId: string, wanted: string) =>
	until(async () => (await status(requestId)).status === wanted, `the request is ${wanted}`);
const dollars = async (owner: string) => {
	const data = encodeFunctionData({
		...{ abi: dollarAbi, functionName: "balanceOf" as const, args: [owner as Hex] },
	});
	return BigInt(await home.rpc<string>("eth_call", [{ to: USDG, data }, "latest"]));
};
const coins = async (chain: Anvil, owner: string) =>
	BigInt(await chain.rpc<string>("eth_getBalance", [owner, "latest"]));

test("a deposit is filled on the other chain, and the emulator records it", async () => {
	const quoted = await quote();
	const before = await dollars(RECIPIENT);
	await carryOut(origin, quoted);
	const { requestId } = quoted.steps[0];
	await ended(requestId, "success");
	const out = BigInt(quoted.details.currencyOut.amount);
	expect(await dollars(RECIPIENT)).toBe(before + out);
	expect(out).toBe(1_996_000_000n);
	const entry = bridge.ledger().find((one) => one.requestId === requestId);
	expect(entry?.deposits).toMatchObject([{ chainId: 31_337, raw: ETHER, party: USER }]);
	expect(entry?.fill).toMatchObject({ chainId: 4_663, raw: out, currency: USDG });
	const receipt = await home.rpc<{ status: string }>("eth_getTransactionReceipt", [
		entry?.fill?.hash,
	]);
	expect(receipt.status).toBe("0x1");
});

test("a token is approved and deposited on its own chain, and a coin arrives", async () => {
	const mint = encodeFunctionData({
		...{ abi: dollarAbi, functionName: "mint" as const, args: [USER, 500_000_000n] as const },
	});
	await home.rpc("anvil_setBalance", [USER, `0x${ETHER.toString(16)}`]);
	await home.rpc("anvil_impersonateAccount", [USER]);
	await home.rpc("eth_sendTransaction", [{ from: USER, to: USDG, data: mint }]);
	await home.mined();
	const quoted = await quote({
		...{ originChainId: 4_663, destinationChainId: 31_337, amount: "400000000" },
		...{ originCurrency: USDG, destinationCurrency: zeroAddress },
	});
	expect(quoted.steps.map((step: any) => step.id)).toEqual(["approve", "deposit"]);
	const before = await coins(origin, RECIPIENT);
	await carryOut(home, quoted);
	await ended(quoted.steps[0].requestId, "success");
	const out = BigInt(quoted.details.currencyOut.amount);
	expect(await coins(origin, RECIPIENT)).toBe(before + out);
});

describe("requested faults", () => {
	for (const [kind, wanted] of [
		["refund", "refund"],
		["fail_then_refund", "refund"],
		["fail_then_fill", "success"],
		["fill_short", "success"],
	] as const) {
		test(`${kind} ends as ${wanted}, with the money where the records say`, async () => {
			bridge.fault({ kind, times: 1, delayMs: 20 });
			const quoted = await quote();
			const { requestId } = quoted.steps[0];
			await carryOut(origin, quoted);
			await ended(requestId, wanted);
			const entry = bridge.ledger().find((one) => one.requestId === requestId);
			const paid = entry?.fill ?? entry?.refund;
			expect(paid?.raw).toBeGreaterThan(0n);
			const chain = paid?.chainId === 4_663 ? home : origin;
			const receipt = await chain.rpc<{ status: string }>("eth_getTransactionReceipt", [
				paid?.hash,
			]);
			expect(receipt.status).toBe("0x1");
		});
	}

	test("a deposit after the order's expiry is refunded", async () => {
		const quoted = await quote();
		const { requestId } = quoted.steps[0];
		const entry = bridge.ledger().find((one) => one.requestId === requestId);
		if (entry) entry.deadlineMs = 0;
		await carryOut(origin, quoted);
		await ended(requestId, "refund");
		expect((await status(requestId)).failReason).toBe("ORDER_EXPIRED");
	});

	test("a request without a quote is unknown", async () => {
		expect((await fetch(`${bridge.url}/intents/status/v3?requestId=0x12`)).status).toBe(404);
	});
});
