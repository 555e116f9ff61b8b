import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Address } from "#core/chain/Hex.ts";
import { rpcFault } from "#core/chain/rpc/Rpc.ts";
import { type Asset, assetOf } from "#plugins/trading/registry/createAssets.ts";
import { readMultipliers, sharesOf, tokensOf } from "#plugins/trading/shares.ts";
import { newAssetRow } from "#plugins/trading/testing/newAssetRow.ts";
import { createTokenNode, type NodeToken } from "#plugins/trading/testing/tokenNode.ts";

// Guarantee: a multiplier is what the token says now; one that is unknown, lost, late or about to
// change lets nothing be traded.

const NOW_MS = Date.parse("2026-11-18T17:00:00Z");
const NOW_S = NOW_MS / 1_000;
const ONE = 10n ** 18n;
const TSLA: Address = `0x${"a1".repeat(20)}`;
const USDG: Address = `0x${"d6".repeat(20)}`;
const { signal } = new AbortController();
const stock = assetOf(newAssetRow({ symbol: "TSLA", address: TSLA, multiplier: 3n * ONE }));
const money = assetOf(newAssetRow({ symbol: "USDG", address: USDG, kind: "stable" }));

let node: ReturnType<typeof createTokenNode>;
beforeEach(() => {
	node = createTokenNode(() => NOW_MS);
});

function read(token: Partial<NodeToken>, sell: Asset = stock) {
	node.tokens.set(TSLA, { symbol: "TSLA", decimals: 18, ...token });
	const deps = { rpc: node.rpc, clock: { nowMs: () => NOW_MS } };
	return readMultipliers(deps, { sell, buy: money, signal });
}

describe("a multiplier", () => {
	test("a multiplier is read from the token, for the current time; currencies have none", async () => {
		expect(await read({ multiplier: 6n * ONE })).toEqual({ sell: 6n * ONE, buy: null });
	});

	test("a token that never had a multiplier is one share; one that had it is unknown without", async () => {
		expect(await read({}, { ...stock, multiplier: null })).toEqual({ sell: ONE, buy: null });
		expect(await read({})).toMatchObject({ code: "multiplier_unknown" });
	});

	test.each([0n, 10n ** 24n + 1n])("a multiplier of %p is refused", async (multiplier) => {
		expect(await read({ multiplier })).toMatchObject({ code: "multiplier_unknown" });
	});

	test("a multiplier that a node does not return is unknown: reading throws, and is retried later", async () => {
		node.faults.isDown = true;
		expect(read({ multiplier: ONE })).rejects.toMatchObject({ code: rpcFault.transport().code });
	});

	test.each([
		["in a day", 86_400, true],
		["in 12 minutes and a second", 721, true],
		["in 12 minutes", 720, false],
		["at this second, and the newest block is from before", 0, false],
		["an hour ago, and is not in force", -3_600, false],
	])("a multiplier whose change is due %s", async (_, seconds, isRead) => {
		node.faults.answers.set(`${TSLA}:0xa60bf13d`, `0x${(3n * ONE).toString(16).padStart(64, "0")}`);
		const change = { multiplier: 3n * ONE, next: 6n * ONE, effectiveAtS: NOW_S + seconds };
		const expected = isRead ? { sell: 3n * ONE, buy: null } : { code: "multiplier_changed" };
		expect(await read(change)).toMatchObject(expected);
	});

	test("a multiplier whose announced change is unreadable is unknown", async () => {
		const change = { multiplier: 3n * ONE, next: 6n * ONE, effectiveAtS: NOW_S + 86_400 };
		for (const view of ["0xdc767007", "0x97a4064f"]) {
			node.faults.answers.clear();
			node.faults.answers.set(
				`${TSLA}:0xa60bf13d`,
				`0x${(3n * ONE).toString(16).padStart(64, "0")}`,
			);
			node.faults.answers.set(`${TSLA}:${view}`, "0x1234");
			expect(await read(change)).toMatchObject({ code: "multiplier_unknown" });
		}
	});

	test("a multiplier whose change was cancelled, or is in force, is read", async () => {
		node.faults.answers.set(`${TSLA}:0xa60bf13d`, `0x${(3n * ONE).toString(16).padStart(64, "0")}`);
		const off = { multiplier: 3n * ONE, next: 6n * ONE, effectiveAtS: 0 };
		expect(await read(off)).toEqual({ sell: 3n * ONE, buy: null });
		const inForce = { multiplier: ONE, next: 3n * ONE, effectiveAtS: NOW_S - 5 };
		expect(await read(inForce)).toEqual({ sell: 3n * ONE, buy: null });
	});
});

test("shares in tokens are rounded up for a buy, down for a sale, and by less than a unit", () => {
	const shares = fc.bigInt({ min: 1n, max: 10n ** 30n });
	const multiplier = fc.bigInt({ min: 1n, max: 10n ** 24n });
	fc.assert(
		fc.property(shares, multiplier, (wanted, perToken) => {
			const bought = tokensOf(wanted, perToken, "buy");
			const sold = tokensOf(wanted, perToken, "sell");
			expect(sharesOf(bought, perToken)).toBeGreaterThanOrEqual(wanted);
			expect(sharesOf(sold, perToken)).toBeLessThanOrEqual(wanted);
			expect(bought - sold).toBeLessThanOrEqual(1n);
		}),
		{ numRuns: 300, seed: 44 },
	);
});
