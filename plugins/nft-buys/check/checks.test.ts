import { describe, expect, test } from "bun:test";
import { concatHex, toHex } from "viem";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { limitDenial, zoneDenial } from "#plugins/nft-buys/check/checks.ts";
import type { OrderParameters } from "#plugins/nft-buys/seaport/Order.ts";
import { fakePrices } from "#test/harness/fakes.ts";

describe("limitDenial", () => {
	const chains = createChainRegistry(builtinChains);
	const COIN: Address = `0x${"c".repeat(40)}`;
	const ETHER = 10n ** 18n;

	function setUp(slug = "ethereum") {
		const chain = chains.bySlug(slug);
		if (!chain) throw new Error(slug);
		const prices = fakePrices(chains);
		const code = (currency: Address, raw: bigint, limitRaw: bigint | null) =>
			limitDenial({ price: { currency, raw }, limitRaw, chain, prices, nowMs: 1 })?.code ?? null;
		return { chain, prices, code };
	}

	test("[NFT-03] the chain's coin and its wrapped token are compared with the limit to the unit", () => {
		const { code, chain } = setUp();
		for (const currency of [ZERO_ADDRESS, chain.wrappedNative ?? COIN]) {
			expect(code(currency, ETHER, ETHER)).toBeNull();
			expect(code(currency, ETHER + 1n, ETHER)).toBe("price_limit_exceeded");
		}
	});

	test("other currencies are compared by both rates, exactly, whatever their decimals", () => {
		const { code, prices } = setUp();
		prices.setEth(2_000);
		prices.set({ chainId: 1, currency: COIN, usd: 1, decimals: 6 });
		expect(code(COIN, 2_000_000_000n, ETHER)).toBeNull();
		expect(code(COIN, 2_000_000_001n, ETHER)).toBe("price_limit_exceeded");
		// One wei less of the limit is worth less than 2,000 dollars.
		expect(code(COIN, 2_000_000_000n, ETHER - 1n)).toBe("price_limit_exceeded");
	});

	test("a chain whose coin is not ETH uses its own coin's rate", () => {
		const { code, prices } = setUp("polygon");
		prices.set({ chainId: 137, currency: COIN, usd: 1, decimals: 6 });
		expect(code(COIN, 1n, ETHER)).toBe("usd_rate_unavailable");
		prices.setEth(2_000);
		expect(code(COIN, 1n, ETHER)).toBe("usd_rate_unavailable");
		prices.set({ chainId: 137, currency: ZERO_ADDRESS, usd: 0.5 });
		expect(code(COIN, 500_000n, ETHER)).toBeNull();
		expect(code(COIN, 500_001n, ETHER)).toBe("price_limit_exceeded");
	});

	test("[NFT-01] an amount without a rate is denied if there is a limit, and allowed without one", () => {
		const { code, prices } = setUp();
		expect(code(COIN, 1n, ETHER)).toBe("usd_rate_unavailable");
		prices.set({ chainId: 1, currency: COIN, usd: 1 });
		expect(code(COIN, 1n, ETHER)).toBe("usd_rate_unavailable");
		prices.setEth(2_000);
		prices.set({ chainId: 1, currency: COIN, usd: 0 });
		expect(code(COIN, 1n, ETHER)).toBe("usd_rate_unavailable");
		expect(code(COIN, 1n, null)).toBeNull();
	});
});

describe("zoneDenial", () => {
	const NOW_MS = 1_800_000_000_000;
	const WALLET: Address = `0x${"1".repeat(40)}`;
	const STRANGER: Address = `0x${"2".repeat(40)}`;
	const SIGNED_ZONE: Address = "0x000056f7000000ece9003ca63978907a00ffd100";

	/** The zone of the chains where the marketplace has its other addresses. */
	const OTHER_ZONE: Address = "0xdfe0000000005ce3008800300037e4c803ed08c7";

	function order(orderType: number, zone: Address): OrderParameters {
		const word: Hex = `0x${"0".repeat(64)}`;
		return {
			offerer: STRANGER,
			zone,
			offer: [],
			consideration: [],
			orderType,
			startTime: 0n,
			endTime: 0n,
			zoneHash: word,
			salt: 0n,
			conduitKey: word,
			totalOriginalConsiderationItems: 0n,
		};
	}

	function permission(given: { buyer?: Address; expiresAtS?: number; version?: Hex } = {}): Hex {
		const { buyer = WALLET, expiresAtS = NOW_MS / 1_000 + 60, version = "0x00" } = given;
		return concatHex([version, buyer, toHex(expiresAtS, { size: 8 }), `0x${"5".repeat(128)}`]);
	}

	const code = (parameters: OrderParameters, extraData: Hex, chainId = 1) =>
		zoneDenial(parameters, { extraData, wallet: WALLET, chainId, nowMs: NOW_MS })?.code ?? null;

	test("an open order carries no data for a zone", () => {
		for (const orderType of [0, 1]) {
			expect(code(order(orderType, ZERO_ADDRESS), "0x")).toBeNull();
			expect(code(order(orderType, STRANGER), "0x")).toBeNull();
			expect(code(order(orderType, ZERO_ADDRESS), "0x00")).toBe("fulfilment_mismatch");
		}
	});

	test("a restricted order needs a known zone; a contract order is refused", () => {
		for (const orderType of [2, 3]) {
			expect(code(order(orderType, STRANGER), permission())).toBe("zone_unknown");
			expect(code(order(orderType, SIGNED_ZONE), permission())).toBeNull();
			expect(code(order(orderType, OTHER_ZONE), permission())).toBe("zone_unknown");
			expect(code(order(orderType, OTHER_ZONE), permission(), 5_031)).toBeNull();
		}
		for (const orderType of [4, 5, 255]) {
			expect(code(order(orderType, SIGNED_ZONE), permission())).toBe("zone_unknown");
		}
	});

	test("the zone's signature is for this wallet or for anybody, and still valid", () => {
		const restricted = order(2, SIGNED_ZONE);
		expect(code(restricted, permission({ buyer: ZERO_ADDRESS }))).toBeNull();
		expect(code(restricted, permission({ buyer: STRANGER }))).toBe("fulfilment_mismatch");
		expect(code(restricted, permission({ version: "0x01" }))).toBe("fulfilment_mismatch");
		expect(code(restricted, permission({ expiresAtS: NOW_MS / 1_000 }))).toBe("listing_gone");
		expect(code(restricted, permission().slice(0, -2) as Hex)).toBe("fulfilment_mismatch");
		expect(code(restricted, "0x")).toBe("fulfilment_mismatch");
	});
});
