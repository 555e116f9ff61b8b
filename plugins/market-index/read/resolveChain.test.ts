import { expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/chainRegistry.ts";
import { AssertionFailed } from "#core/fault/assert.ts";
import { chainOfRow } from "#plugins/market-index/display/chainOfRow.ts";
import { chainsOf } from "#plugins/market-index/read/chainsOf.ts";
import { resolveChain } from "#plugins/market-index/read/resolveChain.ts";
import { base, ethereum, polygon } from "#plugins/market-index/testing/marketFixture.ts";

const core = {
	chains: createChainRegistry(builtinChains),
	indexed: [{ chain: polygon }, { chain: ethereum }],
};

test("a chain is named by slug, other spelling, or id", () => {
	for (const name of ["polygon", "matic", "MATIC", "137"]) {
		expect(resolveChain(core, name)).toBe(polygon);
	}
});

test("a refused chain is told whether it is unknown or only not indexed, and what is", () => {
	expect(() => resolveChain(core, "base")).toThrow(
		'The chain "base" is not indexed here. Indexed chains: polygon, ethereum.',
	);
	expect(() => resolveChain(core, "bass")).toThrow('There is no chain "bass".');
});

test("without a chain an answer is about all that are indexed, in their order", () => {
	expect(chainsOf(core, undefined)).toEqual([polygon, ethereum]);
	expect(chainsOf(core, "1")).toEqual([ethereum]);
});

test("a row of a chain that was not asked for is our own mistake", () => {
	expect(chainOfRow([polygon, base], { chainId: base.id })).toBe(base);
	expect(() => chainOfRow([polygon], { chainId: 1 })).toThrow(AssertionFailed);
});
