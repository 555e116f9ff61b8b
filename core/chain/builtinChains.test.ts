import { describe, expect, test } from "bun:test";
import * as viemChains from "viem/chains";
import {
	builtinChains,
	conduits,
	isOnChain,
	seaports,
	signedZones,
} from "#core/chain/builtinChains.ts";

// Chain ids as each chain publishes them; viem is the second source below.
const ids = {
	ethereum: 1,
	optimism: 10,
	polygon: 137,
	base: 8453,
	arbitrum: 42161,
	avalanche: 43114,
	blast: 81457,
	zora: 7777777,
	abstract: 2741,
	apechain: 33139,
	berachain: 80094,
	ronin: 2020,
	unichain: 130,
	soneium: 1868,
	shape: 360,
	hyperevm: 999,
	monad: 143,
	robinhood: 4663,
	stable: 988,
	anvil: 31337,
};

// Chains whose viem export is not the slug: several viem chains share the ids 999 and 31337.
const viemNames: Record<string, keyof typeof viemChains> = {
	ethereum: "mainnet",
	apechain: "apeChain",
	hyperevm: "hyperEvm",
};

test("the built-in chains are exactly the decided list", () => {
	expect(Object.fromEntries(builtinChains.map(({ slug, id }) => [slug, id]))).toEqual(ids);
});

describe("the copied definitions are still those of viem", () => {
	for (const chain of builtinChains) {
		test(chain.slug, () => {
			const name = viemNames[chain.slug] ?? (chain.slug as keyof typeof viemChains);
			const original = viemChains[name] as viemChains.Chain;
			expect({
				id: chain.id,
				name: chain.name,
				symbol: chain.nativeCurrency.symbol,
				decimals: chain.nativeCurrency.decimals,
				urls: chain.publicRpcUrls,
				blockMs: chain.blockMs ?? original.blockTime,
				explorer: chain.explorerUrl,
			}).toEqual({
				id: original.id,
				name: original.name,
				symbol: original.nativeCurrency.symbol,
				decimals: original.nativeCurrency.decimals,
				urls: [...original.rpcUrls.default.http, ...(original.rpcUrls.default.webSocket ?? [])],
				blockMs: original.blockTime,
				explorer: original.blockExplorers?.default.url,
			});
		});
	}
});

test("a native coin counts as ETH exactly if its symbol is ETH", () => {
	for (const chain of builtinChains) {
		expect(chain.nativeIsEth).toBe(chain.nativeCurrency.symbol === "ETH");
	}
});

test("wrapped natives are lower-case addresses, and every ETH chain has one", () => {
	for (const { slug, nativeIsEth, wrappedNative } of builtinChains) {
		if (wrappedNative) expect(wrappedNative).toMatch(/^0x[0-9a-f]{40}$/);
		if (nativeIsEth) expect({ slug, wrappedNative }).not.toMatchObject({ wrappedNative: null });
	}
});

test("each chain has one marketplace that is called and one zone, and each address has a source", () => {
	for (const { id } of [...builtinChains, { id: 4_326 }, { id: 5_042 }]) {
		expect(seaports.filter((one) => one.isCalled && isOnChain(one, id))).toHaveLength(1);
		expect(signedZones.filter((one) => isOnChain(one, id))).toHaveLength(1);
		expect(conduits.filter((one) => isOnChain(one, id)).length).toBeGreaterThan(0);
	}
	const all = [...seaports, ...conduits, ...signedZones];
	expect(new Set(all.map(({ address }) => address)).size).toBe(all.length);
	for (const { address, source } of all) {
		expect(address).toMatch(/^0x[0-9a-f]{40}$/);
		expect(source).not.toBe("");
	}
});
