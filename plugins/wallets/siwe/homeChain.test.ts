import { expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/chainRegistry.ts";
import { homeChain } from "#plugins/wallets/siwe/homeChain.ts";
import { createFakeChain } from "#test/harness/fakeChain.ts";

const chains = createChainRegistry(builtinChains);
const { rpc } = createFakeChain();

function home(reached: string[], options: { name?: string; sandbox?: boolean } = {}) {
	const access = reached.map((slug) => {
		const chain = chains.bySlug(slug);
		if (!chain) throw new Error(slug);
		return { chain, rpcFor: () => rpc, headUrls: [] };
	});
	const { name, sandbox = false } = options;
	const { chain, ...rest } = homeChain({ chains, reached: access }, { name, sandbox });
	return { ...rest, id: chain.id };
}

test("[TRD-14] the home chain is 4663, and sign-in messages carry that alone", () => {
	expect(home(["base", "robinhood"])).toEqual({ id: 4663, rpc, signInChainIds: [4663] });
	expect(home(["base", "anvil"])).toEqual({ id: 4663, rpc: null, signInChainIds: [4663] });
});

test("[TRD-14] the sandbox's chain stands in for it, and messages may carry either id", () => {
	const stood = home(["anvil"], { sandbox: true });
	expect(stood).toEqual({ id: 31_337, rpc, signInChainIds: [4663, 31_337] });
});

test("[TRD-14] a sandbox that has a 4663 of its own links wallets there", () => {
	const own = home(["anvil", "robinhood"], { sandbox: true });
	expect(own).toEqual({ id: 4663, rpc, signInChainIds: [4663] });
});

test("an operator may name another; one that is not defined refuses the boot", () => {
	expect(home(["anvil"], { name: "anvil" })).toEqual({ id: 31_337, rpc, signInChainIds: [31_337] });
	expect(() => home(["anvil"], { name: "nowhere" })).toThrow("home_chain_unknown");
});
