import { beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import {
	getUserRawBalance,
	getUserUIBalance,
	readHoldings,
	renderHoldings,
} from "#plugins/trading/holdings.ts";
import { type Asset, assetOf } from "#plugins/trading/registry/createAssets.ts";
import { newAssetRow } from "#plugins/trading/testing/newAssetRow.ts";
import { createTokenNode } from "#plugins/trading/testing/tokenNode.ts";
import type { Wallet } from "#plugins/wallets/contract.ts";

const { signal } = new AbortController();
const TSLA: Address = `0x${"a1".repeat(20)}`;
const OLD: Address = `0x${"a2".repeat(20)}`;
const USDG: Address = `0x${"d6".repeat(20)}`;
const ONE = 10n ** 18n;
const wallet = (index: number) =>
	({ id: `wallet-${index}`, address: `0x${`c${index}`.repeat(20)}` }) as Wallet;
const tesla = assetOf(newAssetRow({ symbol: "TSLA", address: TSLA }));
const old = assetOf(newAssetRow({ symbol: "OLDX", address: OLD }));
const usdg = assetOf(newAssetRow({ symbol: "USDG", address: USDG, kind: "stable", decimals: 6 }));
const coin: Asset = { ...usdg, address: ZERO_ADDRESS, symbol: "ETH", decimals: 18, kind: "native" };

let node: ReturnType<typeof createTokenNode>;
const prices = new Map<string, bigint>();
beforeEach(() => {
	node = createTokenNode(() => 0);
	prices.clear();
	prices.set("TSLA", 1_230_000_000n).set("ETH", 3_000_000_000n).set("USDG", 999_000n);
	hold(TSLA, { symbol: "TSLA", decimals: 18, multiplier: 3n * ONE }, 2n * ONE);
	hold(OLD, { symbol: "OLDX", decimals: 18 }, ONE / 2n);
	hold(USDG, { symbol: "USDG", decimals: 6 }, 50_000_000n);
	node.coins.set(wallet(1).address, ONE);
});

function hold(token: Address, facts: object, raw: bigint) {
	const balances = new Map([[wallet(1).address as string, raw]]);
	node.tokens.set(token, { symbol: "X", decimals: 18, ...facts, balances });
}

async function read(assets = [coin, usdg, tesla, old], wallets = [wallet(1)]) {
	const last = async ({ symbol }: Asset) => {
		const microsPerUnit = prices.get(symbol);
		return microsPerUnit === undefined
			? null
			: { microsPerUnit, ageMs: 7_000, market: "open" as const };
	};
	const deps = { rpc: node.rpc, reference: { last } };
	const holdings = await readHoldings(deps, { wallets, assets, signal });
	const answer = renderHoldings(holdings, { chain: "robinhood", nowMs: 0 });
	return { ...answer, by: Object.fromEntries(answer.data.map((one) => [one.symbol, one])) };
}

test("[TRD-04] a holding is worth its raw balance times the feed's price; the multiplier only shows shares", async () => {
	const { by, totalUsd } = await read([coin, usdg, tesla]);
	expect(by["TSLA"]).toMatchObject({
		...{ balanceRaw: String(2n * ONE), balance: "2", uiBalance: "6", multiplier: "3" },
		...{ priceUsd: 1_230, valueUsd: 2_460, priceAgeSeconds: 7, market: "open" },
	});
	expect(by["USDG"]).toMatchObject({ balance: "50", uiBalance: "50", valueUsd: 49.95 });
	expect(by["ETH"]).toMatchObject({ balance: "1", uiBalance: "1", valueUsd: 3_000 });
	expect(totalUsd).toBe(5_509.95);
});

test("the tradable amount and its value do not depend on the multiplier", async () => {
	const multipliers = fc.bigInt({ min: 1n, max: 10n ** 24n });
	await fc.assert(
		fc.asyncProperty(multipliers, async (multiplier) => {
			hold(TSLA, { multiplier }, 2n * ONE + 1n);
			const { by } = await read([tesla]);
			expect(by["TSLA"]).toMatchObject({ balanceRaw: String(2n * ONE + 1n), valueUsd: 2_460 });
			const units = BigInt(((2n * ONE + 1n) * multiplier) / ONE);
			const shown = getUserUIBalance({ rawBalance: 2n * ONE + 1n, multiplier });
			expect(shown).toBe(units);
		}),
		{ numRuns: 100, seed: 32 },
	);
});

test("[TRD-04] a token without a multiplier is shown as its balance; one with an unknown multiplier is not", () => {
	expect(getUserUIBalance({ rawBalance: 5n, multiplier: "none" })).toBe(5n);
	expect(getUserUIBalance({ rawBalance: 5n, multiplier: null })).toBeNull();
	expect(getUserUIBalance({ rawBalance: null, multiplier: ONE })).toBeNull();
	expect(getUserRawBalance({ rawBalance: 5n, multiplier: null })).toBe(5n);
});

test("a stock that had a multiplier before, and whose call reverts now, shows no shares", async () => {
	node.faults.answers.set(`${TSLA}:0xa60bf13d`, "0x");
	const { by } = await read([tesla]);
	expect(by["TSLA"]).toMatchObject({ balance: "2", uiBalance: null, multiplier: null });
});

test("a holding without a price is listed with null, and so is the total", async () => {
	const { by, totalUsd, knownUsd, data } = await read();
	expect(by["OLDX"]).toMatchObject({
		balance: "0.5",
		priceUsd: null,
		valueUsd: null,
		market: null,
	});
	expect(data.at(-1)?.symbol).toBe("OLDX");
	expect([totalUsd, knownUsd]).toEqual([null, 5_509.95]);
});

test("a balance that could not be read is null, and not zero", async () => {
	node.faults.answers.set(`${TSLA}:0x70a08231`, "0x");
	const { by, totalUsd } = await read([tesla, usdg]);
	expect(by["TSLA"]).toMatchObject({ balanceRaw: null, balance: null, uiBalance: null });
	expect(totalUsd).toBeNull();
	node.faults.isDown = true;
	const away = await read();
	expect(away.data.map(({ balance }) => balance)).toEqual([null, null, null, null]);
});

test("all wallets and tokens are read in one request, and no holding is left out", async () => {
	const { data } = await read(undefined, [wallet(1), wallet(2), wallet(3)]);
	expect(node.asked).toHaveLength(1);
	expect(new Set(data.map(({ walletId }) => walletId))).toEqual(new Set(["wallet-1"]));
});
