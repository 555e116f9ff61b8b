import { expect, test } from "bun:test";
import { endpointBudgets } from "#api/service/endpointBudgets.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import type { Chain } from "#core/chain/Chain.ts";
import { createChainRegistry } from "#core/chain/chainRegistry.ts";

const base = builtinChains.find(({ slug }) => slug === "base") as Chain;
const urls = ["https://one.example/key", "https://two.example:8443"];

function budgets(CHAIN_RPC_CALLS_PER_SECOND: Record<string, number>) {
	return endpointBudgets(base, urls, {
		config: { CHAIN_RPC_CALLS_PER_SECOND },
		chains: createChainRegistry(builtinChains),
		clock: { nowMs: () => 1_000_000 },
		db: () => null,
	});
}
/** Whether a batch goes whole at once, or has to take turns. */
const isFree = (taken: number | Promise<number> | undefined) => taken === 250;
const freedom = (rates: Record<string, number>) => {
	const { of } = budgets(rates);
	return urls.map((url) => isFree(of(url)?.take(250, { rank: 3 })));
};

test("a host's setting counts for that endpoint, a chain's for all of its endpoints, * for the rest", () => {
	expect(freedom({})).toEqual([true, true]);
	expect(freedom({ "*": 100 })).toEqual([false, false]);
	expect(freedom({ "8453": 100 })).toEqual([false, false]);
	expect(freedom({ base: 100 })).toEqual([false, false]);
	expect(freedom({ "one.example": 100 })).toEqual([false, true]);
	expect(freedom({ "two.example:8443": 100 })).toEqual([true, false]);
	expect(freedom({ ethereum: 100, "other.example": 5 })).toEqual([true, true]);
});

test("an endpoint that is not the chain's has no budget", () => {
	expect(budgets({}).of("https://three.example")).toBeUndefined();
	expect(() => budgets({}).spentAt("three.example")).not.toThrow();
});
