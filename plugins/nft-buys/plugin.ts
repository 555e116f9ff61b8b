// Declares the plugin, and joins its routes.

import { Elysia } from "elysia";
import { z } from "zod";
import { definePlugin } from "#core/plugin/Plugin.ts";
import { MarketIndexKey } from "#plugins/market-index/contract.ts";
import { buyCommands, buyTools } from "#plugins/nft-buys/buyTools.ts";
import { createBuyKind, createOfferKind } from "#plugins/nft-buys/kinds.ts";
import type { BuyContext } from "#plugins/nft-buys/model.ts";
import { ownNftCommands } from "#plugins/nft-buys/ownNftCommands.ts";
import { ownNftTools } from "#plugins/nft-buys/ownNftTools.ts";
import { postBuys, postOffers } from "#plugins/nft-buys/routes/buys.ts";
import { getIntent, getIntents, postCancel } from "#plugins/nft-buys/routes/intents.ts";
import { PricesKey } from "#plugins/prices/contract.ts";
import { ProviderKey } from "#plugins/provider/contract.ts";
import { createSignedIn, WalletsKey } from "#plugins/wallets/contract.ts";

/** Buys NFTs from listings of the marketplace provider, by the execution path of `wallets`. */
export const nftBuysPlugin = definePlugin({
	name: "nft-buys",
	version: "1",
	config: z.object({}),
	needs: {
		wallets: WalletsKey,
		provider: ProviderKey,
		prices: PricesKey,
		market: MarketIndexKey,
	},
	setup({ needs, core }) {
		const { wallets, provider, prices, market } = needs;
		const { clock, chains, indexed } = core;
		const rpcs = new Map(indexed.map(({ chain, rpcFor }) => [chain.id, rpcFor("intents")]));
		const rpcOf = (chainId: number) => rpcs.get(chainId) ?? null;
		wallets.execution.register(createBuyKind({ clock, chains, rpcOf, provider, prices }));
		wallets.execution.register(createOfferKind());
		const served = indexed.map(({ chain }) => chain);
		const ending = new AbortController();
		const context = { wallets, log: core.log, chains, market, served, ending: ending.signal };
		return {
			routes: buyRoutes(context),
			tools: [
				...buyTools({ ...context, market, provider, clock }),
				...ownNftTools({ clock, wallets, market }),
			],
			commands: [...buyCommands, ...ownNftCommands],
			stop: () => ending.abort(),
		};
	},
});

/** Returns the routes that buy NFTs, and show and cancel buys. */
export function buyRoutes(context: BuyContext) {
	const signedIn = createSignedIn(context.wallets);
	return new Elysia({ prefix: "/v1/nft-market" })
		.use(postBuys(context, signedIn))
		.use(postOffers(context, signedIn))
		.use(getIntents(context, signedIn))
		.use(getIntent(context, signedIn))
		.use(postCancel(context, signedIn));
}
