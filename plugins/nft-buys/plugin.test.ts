import { expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import type { Core } from "#core/plugin/Core.ts";
import { nothingCollected } from "#core/plugin/testing/nothingCollected.ts";
import type { MarketIndex } from "#plugins/market-index/contract.ts";
import { nftBuysPlugin } from "#plugins/nft-buys/plugin.ts";
import type { IntentKind, Wallets } from "#plugins/wallets/contract.ts";
import { createFakeProvider, fakePrices } from "#test/harness/fakes.ts";

async function setUp() {
	const kinds: IntentKind<unknown>[] = [];
	const register = (kind: IntentKind<unknown>) => void kinds.push(kind);
	const chains = createChainRegistry(builtinChains);
	const chain = chains.bySlug("anvil");
	const parts = await nftBuysPlugin.setup({
		config: {},
		needs: {
			wallets: { execution: { register } } as unknown as Wallets,
			provider: createFakeProvider().provider,
			prices: fakePrices(chains),
			market: {} as MarketIndex,
		},
		core: {
			chains,
			clock: { nowMs: () => 0 },
			indexed: [{ chain, rpcFor: () => ({}) }],
		} as unknown as Core,
		contributions: () => [],
		collected: nothingCollected,
	});
	return { kinds, parts };
}

test("the plugin registers both kinds under its own kill switch, with their steps", async () => {
	const { kinds } = await setUp();
	expect(kinds.map(({ name, plugin }) => [name, plugin])).toEqual([
		["nft_buy", "nft-buys"],
		["nft_offer", "nft-buys"],
	]);
	expect(kinds[0]?.steps).toContain("nft_buy.fulfilment");
});

test("[SEC-04] the document has the four routes, their bodies and answers", async () => {
	const { parts } = await setUp();
	if (!parts.routes) throw new Error("no routes");
	const app = testHttpApp({ routes: [parts.routes] });
	const response = await app.handle(new Request("http://localhost/openapi/json"));
	const { paths, components } = await response.json();
	const buys = paths["/v1/nft-market/buys"].post;
	const { $ref } = buys.requestBody.content["application/json"].schema;
	expect($ref).toBe("#/components/schemas/BuyRequest");
	expect(Object.keys(components.schemas.BuyRequest.properties).sort()).toEqual([
		"chain",
		"contract",
		"maxPriceNative",
		"orderHash",
		"quantity",
		"slug",
		"tokenId",
		"walletId",
	]);
	expect(Object.keys(buys.responses)).toContain("201");
	expect(paths["/v1/nft-market/offers"].post).toBeDefined();
	expect(paths["/v1/nft-market/intents"].get).toBeDefined();
	expect(paths["/v1/nft-market/intents/{id}"].get).toBeDefined();
});
