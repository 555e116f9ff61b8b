import { afterAll, beforeAll, expect, test } from "bun:test";
import { toHex } from "viem";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { chainRpc } from "#core/chain/rpc/chainRpc.ts";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";
import { systemClock } from "#core/clock.ts";
import { silentLog } from "#core/log.ts";
import { checkContracts } from "#plugins/tokenomics/manifest/checkContracts.ts";
import { type BurnerLab, openBurnerLab } from "#plugins/tokenomics/testing/openBurnerLab.ts";
import { openLedgerLab } from "#plugins/tokenomics/testing/openLedgerLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { TREASURER } from "#test/sandbox/economy/describeEconomy.ts";

// Guarantee: the ledger is what the real contracts say, also where one of three nodes lies and
// blocks are taken back.

const DEPTH = 3;
const BOUNDS = { timeoutMs: 20_000, batchMax: 50, concurrencyMax: 4, bodyBytesMax: 20_000_000 };
const { signal } = new AbortController();
const small = (address: string): Address => `0x${address.slice(2).toLowerCase()}`;

let database: TestDatabase;
let burner: BurnerLab;
let liar: { url: string; isLying: boolean; stop(): void };
beforeAll(async () => {
	database = await createTestDatabase();
	burner = await openBurnerLab();
	liar = startLiar(burner.lab.anvil.url);
});
afterAll(async () => {
	liar?.stop();
	await burner?.lab.anvil.stop();
	await database?.drop();
});

/** A node that leaves out every second log. */
function startLiar(upstream: string) {
	const state = { isLying: false };
	const server = Bun.serve({
		...{ hostname: "127.0.0.1", port: 0 },
		async fetch(request) {
			const text = await request.text();
			const headers = { "content-type": "application/json" };
			const answer = await fetch(upstream, { method: "POST", headers, body: text });
			if (!state.isLying) return answer;
			const said: any = await answer.json();
			for (const one of [said].flat()) {
				const isLogs = Array.isArray(one.result) && one.result[0]?.topics;
				if (isLogs) one.result = one.result.filter((_: unknown, at: number) => at % 2 === 0);
			}
			return Response.json(said);
		},
	});
	return Object.assign(state, {
		url: `http://127.0.0.1:${server.port}`,
		stop: () => void server.stop(true),
	});
}

function nodes(urls: readonly string[], quorum: number) {
	const chain = createChainRegistry(builtinChains).byId(4_663);
	if (!chain) throw new Error("chain 4663 is built in");
	const endpoints = urls.map((url, index) => ({
		name: `node ${index}`,
		open: () => httpRpc({ url, ...BOUNDS }),
	}));
	return chainRpc({ chain, endpoints, quorum, clock: systemClock, log: silentLog });
}

function open(rpc: ReturnType<typeof nodes>) {
	const { token, router, burner: burns } = burner.economy.addresses;
	const addresses = { token: small(token), router: small(router), burner: small(burns) };
	return {
		addresses,
		ledger: openLedgerLab({ db: database.db, rpc, finalDepth: DEPTH, addresses }),
	};
}

async function mine(blocks: number): Promise<void> {
	await burner.lab.anvil.rpc("anvil_mine", [toHex(blocks)]);
}

async function burnOnce(spend: bigint): Promise<bigint> {
	const mined = await burner.lab.must(burner.keeper, burner.buying({ spend }));
	const [event] = burner.bought(mined);
	if (!event) throw new Error("nothing was burned");
	return event.burned;
}

test("the deployed contracts are those that a manifest must name", async () => {
	const { addresses } = open(nodes([burner.lab.anvil.url], 1));
	const rpc = nodes([burner.lab.anvil.url], 1);
	await checkContracts(rpc, { ...addresses, owner: TREASURER }, signal);
	const other = { ...addresses, owner: small(burner.keeper) };
	await expect(checkContracts(rpc, other, signal)).rejects.toMatchObject({
		code: "contract_owner",
	});
	const swapped = { ...addresses, router: addresses.burner, burner: null, owner: TREASURER };
	const refused = checkContracts(rpc, swapped, signal);
	await expect(refused).rejects.toMatchObject({ code: "contract_interface" });
});

test("revenue, shares, payments, burns and balances equal the chain's, and the comparison agrees", async () => {
	const { url } = burner.lab.anvil;
	const { ledger } = open(nodes([url, liar.url, url.replace("127.0.0.1", "localhost")], 2));
	await ledger.clear();
	liar.isLying = true;
	await burner.economy.payCoins("trading", 10n ** 18n + 7n);
	await burner.economy.setSplit("trading", [1, 2, 9_996, 1]);
	await burner.economy.payCoins("trading", 3n);
	await burner.economy.payDollars("bridges", 1_234_567n);
	const burned = (await burnOnce(10n ** 16n)) + (await burnOnce(10n ** 15n));
	await burner.lab.must(burner.owner, {
		...{ to: burner.economy.addresses.router, of: "RevenueRouter", name: "release" },
		args: [2, ZERO_ADDRESS],
	});
	await mine(DEPTH);
	await ledger.run({ compare: true });
	liar.isLying = false;
	expect(ledger.said).toEqual([]);
	const books = await ledger.books();
	const head = Number(await burner.lab.anvil.rpc("eth_blockNumber"));
	expect([books.readTo, books.agreedTo]).toEqual([head - DEPTH, head - DEPTH]);
	expect(books.entries.get("buyback_burned")).toBe(2);
	expect(books.entries.get("revenue_received")).toBe(3);
	expect(books.totals.get(`buyback_burned ${ZERO_ADDRESS} -1`)?.burned).toBe(burned);
	expect(books.totals.get(`burned ${ZERO_ADDRESS} -1`)?.amount).toBe(burned);
});

test("an event that a reorg moved is in the ledger once, at its new position", async () => {
	const { ledger } = open(nodes([burner.lab.anvil.url], 1));
	await ledger.run({ compare: true });
	const before = (await ledger.books()).entries.get("buyback_burned") ?? 0;
	const snapshot = await burner.lab.anvil.rpc("evm_snapshot");
	await burnOnce(10n ** 15n);
	await mine(DEPTH - 1);
	await ledger.run();
	await burner.lab.anvil.rpc("evm_revert", [snapshot]);
	await mine(1);
	const burned = await burnOnce(2n * 10n ** 15n);
	await mine(DEPTH);
	await ledger.run({ compare: true });
	const books = await ledger.books();
	expect(books.entries.get("buyback_burned")).toBe(before + 1);
	expect(burned).toBeGreaterThan(0n);
	expect(ledger.said).toEqual([]);
	expect(books.agreedTo).toBe(books.readTo);
});
