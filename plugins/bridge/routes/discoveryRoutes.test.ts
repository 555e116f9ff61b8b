import { afterAll, beforeAll, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { type Hex, zeroAddress } from "viem";
import { systemClock } from "#core/clock.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import { createChainReaders } from "#plugins/bridge/reconcile/createChainReaders.ts";
import { createDirectory, createRelay } from "#plugins/bridge/relay/createRelay.ts";
import { discoveryRoutes } from "#plugins/bridge/routes/discoveryRoutes.ts";
import type { Principal } from "#plugins/wallets/contract.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import {
	type BridgeEmulator,
	startBridgeEmulator,
} from "#test/sandbox/bridge/startBridgeEmulator.ts";
import { compileContracts } from "#test/sandbox/compileContracts.ts";

// Guarantee: balances are read by the nodes that an operator named for a chain, else by the
// provider's public node, and nobody is told which nodes an operator named.

const OWNER: Hex = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const TOKEN: Hex = "0x00000000000000000000000000000000000d0988";
const COIN = { address: zeroAddress, symbol: "ETH", name: "Ether", decimals: 18 } as const;

let own: Anvil;
let published: Anvil;
let bridge: BridgeEmulator;
let app: { handle(request: Request): Promise<Response> };
const askedForeign: string[] = [];

beforeAll(async () => {
	[own, published] = await Promise.all([
		startAnvil({ args: ["--chain-id", "988"] }),
		startAnvil({ args: ["--chain-id", "10"] }),
	]);
	await own.rpc("anvil_setCode", [TOKEN, compileContracts().SandboxDollar.runtime]);
	const currencies = [{ ...COIN, usdMicros: 1n }];
	const dollar = { address: TOKEN, symbol: "USDX", name: "Dollar", decimals: 6, usdMicros: 1n };
	bridge = await startBridgeEmulator({
		chains: [
			// Where it is published it leads nowhere: who reads it anyway reads it by the map.
			{
				...{ id: 988, rpcUrl: own.url, name: "stable", currencies: [...currencies, dollar] },
			},
			{ id: 10, rpcUrl: published.url, name: "optimism", currencies },
		],
	});
	bridge.publish(988, { rpcUrl: "http://127.0.0.1:9" });
	app = open();
});
afterAll(async () => {
	await bridge?.stop();
	await Promise.all([own?.stop(), published?.stop()]);
});

function open(): typeof app {
	const budget = {
		take: async () => ({ granted: true, remaining: 1, retryAfterMs: 0 }),
		async pause() {},
	};
	const core = { budget, metrics: createMetrics() };
	const ending = new AbortController().signal;
	const relay = createRelay({ core, baseUrl: bridge.url, apiKey: bridge.apiKey, ending });
	const context = {
		...{ core: { chains: { byId: () => undefined }, reached: [], db: { query: async () => [] } } },
		...{ relay, directory: createDirectory({ relay, clock: systemClock }) },
		readers: createChainReaders({
			core: {
				...{ clock: systemClock, log: silentLog, chains: { byId: () => undefined } as never },
				reached: [],
				async foreignFetch({ url, json }) {
					askedForeign.push(url);
					const answer = await fetch(url, {
						...{ method: "POST", headers: { "content-type": "application/json" } },
						body: json ?? null,
					});
					const body = new Uint8Array(await answer.arrayBuffer());
					return { status: answer.status, body, contentType: "application/json", url } as never;
				},
			},
			urls: { 988: [own.url] },
		}),
		settings: { isOn: true, isDryRun: false, deniedChainIds: new Set() },
	} as unknown as BridgeContext;
	const wallet = { id: Bun.randomUUIDv7(), address: OWNER };
	const principal = { profile: { wallets: [wallet] } } as unknown as Principal;
	return new Elysia().use(discoveryRoutes(context, async () => principal));
}

async function ask(path: string) {
	const response = await app.handle(new Request(`http://bridges.test${path}`));
	const text = await response.text();
	return { status: response.status, text, body: JSON.parse(text) };
}

test("[BRG-10] a configured chain is read through its node, another through the provider's public one", async () => {
	const mapped = await ask("/balances?chainId=988");
	expect(mapped.body.balances).toMatchObject([
		{
			symbol: "ETH",
			balanceRaw: String(BigInt(await own.rpc("eth_getBalance", [OWNER, "latest"]))),
		},
	]);
	expect(askedForeign).toEqual([]);
	const fallen = await ask("/balances?chainId=10");
	const held = BigInt(await published.rpc<string>("eth_getBalance", [OWNER, "latest"]));
	expect(fallen.body.balances).toMatchObject([{ address: OWNER, balanceRaw: String(held) }]);
	expect(new Set(askedForeign)).toEqual(new Set([published.url]));
});

test("[BRG-10] configured nodes are in no answer, and the provider never learns of them", async () => {
	const answers = [
		...[await ask("/chains"), await ask("/currencies?chainId=988")],
		...[await ask("/balances?chainId=988"), await ask("/balances?chainId=10")],
	];
	for (const { text } of answers) {
		expect(text).not.toContain(own.url);
		expect(text).not.toMatch(/https?:/);
	}
	expect(bridge.calls().some(({ call }) => call.includes(own.url))).toBe(false);
});
