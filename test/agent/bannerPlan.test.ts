import { expect, test } from "bun:test";
import { createGrammar } from "#agent/grammar/Grammar.ts";
import { type World, worldLines } from "#api/cli/startWorld.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { plansCommands } from "#plugins/reveal-snipe/plansTools.ts";

test("the plan in the sandbox's start message is a strict command", () => {
	const reveals = [`0x${"aa".repeat(20)}`];
	const home = { chainId: 4663, httpUrl: "http://h", wsUrl: "ws://h", firstBlock: 1 };
	const stocks = { assetsUrl: "", routerUrl: "", routerKey: "", pools: [], v4Pools: [], feeds: {} };
	const x = { socialUrl: "", social: {} as World["social"], studioUrl: "http://x" };
	const stable = { chainId: 988, httpUrl: "http://t" };
	const places = { httpUrl: "http://c", home, stable, walletProviderUrl: "http://w" };
	const world = { ...places, reveals, stocks, ...x };
	const own = { hasOwnWallets: true, hasOwnStocks: false, hasOwnSocial: true, hasTrades: false };
	const lines = worldLines(world, { url: "http://s", ...own });
	const [, text = ""] = /"(snipe [^"]*)"/.exec(lines.at(-1) ?? "") ?? [];
	const grammar = createGrammar(plansCommands, {
		// What only reads has a topic.
		isStrict: ({ topic }) => topic === undefined,
		chains: createChainRegistry(builtinChains),
	});
	expect(grammar.parse(text)).toMatchObject({
		kind: "read",
		reading: { values: { collection: reveals[0], maxPrice: "1", budget: "3" } },
	});
});
