import { expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import type { Chain } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { renderDrop } from "#plugins/market-index/drops/drops.ts";
import type { Priced } from "#plugins/prices/contract.ts";

const NOW = 1_700_000_000_000;
const COIN: Address = `0x${"c0".repeat(20)}`;
const STRANGER: Address = `0x${"5e".repeat(20)}`;
const chainOf = (slug: string): Chain => {
	const chain = builtinChains.find((one) => one.slug === slug);
	if (!chain) throw new Error(`there is no ${slug}`);
	return chain;
};
const base = chainOf("base");

/** A millionth of `COIN` is a gwei, now; nothing else has a rate. */
const prices = {
	toNative({ currency }: Priced, raw: bigint, atMs: number) {
		return currency === COIN && atMs === NOW ? raw * 10n ** 9n : null;
	},
};

function priceOf(priceRaw: string | null, currency: Address | null, chain = base) {
	const stage = { type: "public_sale", label: null, startsAt: null, endsAt: null };
	const row = {
		chainId: chain.id,
		contract: STRANGER,
		providerSlug: "cats",
		slug: null,
		name: null,
		imageUrl: null,
		type: "seadrop_v1_erc721",
		isMinting: false,
		stages: [{ ...stage, priceRaw, currency, maxPerWallet: null }],
		maxSupply: null,
		totalSupply: null,
		startsAt: null,
		endsAt: null,
		seenAt: new Date(NOW),
	};
	return renderDrop(chain, row, { prices, nowMs: NOW }).stages[0]?.priceNative;
}

test("a stage's price is converted to ETH, whatever its currency", () => {
	const weth = base.wrappedNative;
	if (weth === null) throw new Error("base has no wrapped coin");
	expect(priceOf("20000000000000000", ZERO_ADDRESS)).toBe(0.02);
	expect(priceOf("20000000000000000", weth)).toBe(0.02);
	expect(priceOf("50000000", COIN)).toBe(0.05);
	expect(priceOf("7", ZERO_ADDRESS, chainOf("apechain"))).toBeNull();
});

test("a price without a rate, or a missing one, is unknown; a free stage costs 0", () => {
	expect(priceOf("50000000", STRANGER)).toBeNull();
	expect(priceOf("50000000", null)).toBeNull();
	expect(priceOf(null, ZERO_ADDRESS)).toBeNull();
	expect(priceOf("0", STRANGER)).toBe(0);
	expect(priceOf("0", null)).toBe(0);
});
