import { expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { Rpc, RpcOptions } from "#core/chain/rpc/Rpc.ts";
import { readBalances } from "#plugins/wallets/agent/readWallet.ts";
import type { Profile } from "#plugins/wallets/model.ts";
import { createFakeChain } from "#test/harness/fakeChain.ts";

const chains = createChainRegistry(builtinChains);
const wallet = { id: "one", address: `0x${"a1".repeat(20)}` };
const profile = { wallets: [wallet] } as unknown as Profile;
const { signal } = new AbortController();

function reach(slug: string, settle: Rpc["settle"]) {
	const chain = chains.bySlug(slug);
	if (!chain) throw new Error(slug);
	const rpc = { ...createFakeChain().rpc, settle };
	return { chain, rpcFor: () => rpc, headUrls: [] };
}

const silent = (_: unknown, options: RpcOptions = {}) =>
	new Promise<never>((_resolve, reject) => {
		options.signal?.addEventListener("abort", () => reject(new Error("called off")));
	});

test("the balance on a chain that never answers is unknown, and other chains' balances are shown", async () => {
	const reached = [
		reach("robinhood", silent),
		reach("base", async () => [{ kind: "result", result: "0xde0b6b3a7640000" }]),
	];
	const asked = { profile, chain: undefined, signal, waitMs: 1 };
	const told = await readBalances({ chains, reached }, asked);
	expect(told.map(({ chain, balance }) => [chain, balance])).toEqual([
		["robinhood", null],
		["base", "1"],
	]);
});

test("only the balance of the given chain is read; a chain without endpoints is not found", async () => {
	const reached = [
		reach("robinhood", async () => [{ kind: "result", result: "0x0" }]),
		reach("base", () => expect.unreachable()),
	];
	const told = await readBalances({ chains, reached }, { profile, chain: "robinhood", signal });
	expect(told.map(({ chain, balance }) => [chain, balance])).toEqual([["robinhood", "0"]]);
	const away = readBalances({ chains, reached }, { profile, chain: "ethereum", signal });
	await expect(away).rejects.toThrow("not_found");
});
