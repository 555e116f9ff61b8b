import { beforeEach, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { silentLog } from "#core/log.ts";
import { assetOf } from "#plugins/trading/registry/createAssets.ts";
import { createPools, type PoolsOptions } from "#plugins/trading/registry/createPools.ts";
import { newAssetRow } from "#plugins/trading/testing/newAssetRow.ts";
import { createTokenNode, NODE_QUOTER } from "#plugins/trading/testing/tokenNode.ts";

// Guarantee: trades use pools that the operator configured, that the factory knows, and whose price
// is close to the feeds; the deepest first.

const { signal } = new AbortController();
const FACTORY: Address = `0x${"fa".repeat(20)}`;
const USDG: Address = `0x${"01".repeat(20)}`;
const TSLA: Address = `0x${"02".repeat(20)}`;
const Q96 = 2n ** 96n;
const DEEP = 10n ** 20n;
/**
 * The price at 400 dollars, in USDG with 6 decimals, for a token with 18: token1 per token0 is
 * 10^12 / 400.
 */
const FAIR = squareRoot(((10n ** 12n) << 192n) / 400n);
const pool = (index: number): Address => `0x${(index + 0xb0).toString(16).padStart(40, "0")}`;

let node: ReturnType<typeof createTokenNode>;
const worth = new Map<Address, bigint | "closed">();
beforeEach(() => {
	node = createTokenNode(() => 0);
	worth.clear();
	worth.set(USDG, 1_000_000n).set(TSLA, 400_000_000n);
});

function place(index: number, { fee = 3_000, liquidity = DEEP, sqrtPriceX96 = FAIR } = {}) {
	node.pools.set(pool(index), { token0: USDG, token1: TSLA, fee, liquidity, sqrtPriceX96 });
	return { address: pool(index), tokens: [TSLA, USDG] as [Address, Address], fee };
}

function open(config: PoolsOptions["config"]) {
	const rows = [
		newAssetRow({ symbol: "USDG", address: USDG, kind: "stable", decimals: 6 }),
		newAssetRow({ symbol: "TSLA", address: TSLA }),
	].map(assetOf);
	return createPools({
		...{ config, factory: FACTORY, quoter: NODE_QUOTER, rpc: node.rpc, log: silentLog },
		deviationBpsMax: 500,
		readAssets: async (tokens) => rows.filter(({ address }) => tokens.includes(address)),
		reference: {
			async priceUsd({ address }) {
				const micros = worth.get(address);
				if (micros === undefined) return null;
				if (micros === "closed") return { closed: true, ageMs: 1 };
				return { microsPerUnit: micros, ageMs: 1 };
			},
		},
	});
}

const addresses = (pools: ReturnType<typeof open>) => pools.ranked().map(({ address }) => address);

test("pools are ranked by liquidity, never by their fee, in two requests", async () => {
	const pools = open([
		place(0, { fee: 100, liquidity: 5n * DEEP }),
		place(1, { fee: 10_000, liquidity: 900n * DEEP }),
		place(2, { fee: 500, liquidity: 0n }),
	]);
	expect(pools.ranked().map(({ liquidity }) => liquidity)).toEqual([null, null, null]);
	await pools.refresh(signal);
	expect(addresses(pools)).toEqual([pool(1), pool(0), pool(2)]);
	expect(pools.ranked()[0]).toEqual({
		...{ address: pool(1), token0: USDG, token1: TSLA, feeBps100: 10_000 },
		...{ liquidity: 900n * DEEP, version: "v3" },
	});
	expect(node.asked).toHaveLength(2);
});

test("what is recorded of a pool that pays on one side of its price alone is no liquidity", async () => {
	const pools = open([
		place(0, { fee: 100, liquidity: DEEP }),
		place(1, { fee: 500, liquidity: DEEP }),
		place(2, { fee: 3_000, liquidity: DEEP }),
		// So little that the narrowest position is less than a unit.
		place(3, { fee: 10_000, liquidity: 10n }),
	]);
	const of = (index: number, change: { pays0?: number; pays1?: number }) => {
		const found = node.pools.get(pool(index));
		if (found) node.pools.set(pool(index), { ...found, ...change });
	};
	of(1, { pays0: 0 });
	of(2, { pays1: 0.8 });
	const said = await pools.refresh(signal);
	expect(said.map(({ liquidity }) => liquidity)).toEqual([DEEP, 0n, 0n, 0n]);
	node.faults.answers.set(`${NODE_QUOTER}:0xc6a5026a`, "0x1234");
	// An answer that cannot be read says nothing of a pool.
	expect(await pools.refresh(signal)).toEqual([]);
});

test("a pool that the factory does not return for its tokens and fee is not used", async () => {
	const stranger = { ...place(0), address: pool(7) };
	const otherFee = { ...place(1, { fee: 500 }), fee: 10_000 };
	const pools = open([stranger, otherFee, place(2, { fee: 100 })]);
	await pools.refresh(signal);
	expect(addresses(pools)).toEqual([pool(2)]);
});

test("a pool whose price is further from the feeds than allowed is not used, until it is near again", async () => {
	const far = squareRoot((FAIR ** 2n * 10_501n) / 10_000n) + 1n;
	const near = squareRoot((FAIR ** 2n * 10_499n) / 10_000n);
	const pools = open([
		place(0, { fee: 100, sqrtPriceX96: far, liquidity: 90n * DEEP }),
		place(1, { fee: 500, sqrtPriceX96: near }),
	]);
	await pools.refresh(signal);
	expect(addresses(pools)).toEqual([pool(1)]);
	expect(pools.setAside()).toMatchObject([
		{ pool: { address: pool(0) }, flaw: "price", offBps: 502, boundBps: 500 },
	]);
	place(0, { fee: 100, liquidity: 90n * DEEP });
	await pools.refresh(signal);
	expect(addresses(pools)).toEqual([pool(0), pool(1)]);
	expect(pools.setAside()).toEqual([]);
});

for (const unknown of [undefined, "closed"] as const) {
	test(`the deepest pool of a pair is the reference without a feed (${unknown})`, async () => {
		if (unknown) worth.set(TSLA, unknown);
		else worth.delete(TSLA);
		const pools = open([
			place(0, { fee: 100, sqrtPriceX96: Q96, liquidity: 90n * DEEP }),
			place(1, { fee: 500, sqrtPriceX96: (Q96 * 11n) / 10n }),
		]);
		await pools.refresh(signal);
		expect(addresses(pools)).toEqual([pool(0)]);
	});
}

test("without a feed no pool is the reference for nothing: it has to pay on both sides, and hold more", async () => {
	worth.delete(TSLA);
	const falsePrice = (Q96 * 14n) / 10n;
	const honest = place(1, { fee: 500, sqrtPriceX96: Q96 });
	const said = async () => {
		const pools = open([place(0, { fee: 100, sqrtPriceX96: falsePrice, ...attack }), honest]);
		const of = node.pools.get(pool(0));
		if (of) node.pools.set(pool(0), { ...of, ...sides });
		await pools.refresh(signal);
		return { ranked: addresses(pools), aside: pools.setAside().map((one) => one.pool.address) };
	};
	let [attack, sides]: [{ liquidity: bigint }, { pays0?: number; pays1?: number }] = [
		{ liquidity: 10_000n * DEEP },
		{ pays1: 0 },
	];
	// A position that only sells, however deep it seems.
	expect(await said()).toEqual({ ranked: [pool(1)], aside: [pool(0)] });
	sides = { pays0: 0 };
	expect(await said()).toEqual({ ranked: [pool(1)], aside: [pool(0)] });
	// Nine times the liquidity, in a position of a tick and not of ten: it holds less.
	[attack, sides] = [{ liquidity: 9n * DEEP }, {}];
	expect(await said()).toEqual({ ranked: [pool(1)], aside: [pool(0)] });
	attack = { liquidity: 11n * DEEP };
	expect(await said()).toEqual({ ranked: [pool(0)], aside: [pool(1)] });
});

test("without a feed pools that pay on one side alone set none aside", async () => {
	worth.delete(TSLA);
	const pools = open([
		place(0, { fee: 100, sqrtPriceX96: Q96 }),
		place(1, { fee: 500, sqrtPriceX96: (Q96 * 14n) / 10n, liquidity: 9n * DEEP }),
	]);
	for (const at of [0, 1]) {
		const of = node.pools.get(pool(at));
		if (of) node.pools.set(pool(at), { ...of, pays0: 0 });
	}
	await pools.refresh(signal);
	expect(addresses(pools)).toEqual([pool(1), pool(0)]);
});

test("an unreadable pool is left out, and an unreachable node changes nothing", async () => {
	const pools = open([place(0, { fee: 100 }), place(1, { fee: 500, sqrtPriceX96: 0n })]);
	await pools.refresh(signal);
	expect(addresses(pools)).toEqual([pool(0)]);
	node.faults.isDown = true;
	await expect(pools.refresh(signal)).rejects.toThrow("rpc_transport");
	expect(addresses(pools)).toEqual([pool(0)]);
});

function squareRoot(of: bigint): bigint {
	let root = 1n << BigInt((of.toString(2).length + 1) >> 1);
	for (;;) {
		const next = (root + of / root) >> 1n;
		if (next >= root) return root;
		root = next;
	}
}
