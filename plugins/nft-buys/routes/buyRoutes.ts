import { Elysia } from "elysia";
import type { BuyContext } from "#plugins/nft-buys/model.ts";
import { postBuys, postOffers } from "#plugins/nft-buys/routes/buys.ts";
import { getIntent, getIntents, postCancel } from "#plugins/nft-buys/routes/intents.ts";
import { createSignedIn } from "#plugins/wallets/contract.ts";

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
