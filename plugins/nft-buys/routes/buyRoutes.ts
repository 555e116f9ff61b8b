import { Elysia } from "elysia";
import type { BuyContext } from "#plugins/nft-buys/routes/BuyContext.ts";
import { createSignedIn } from "#plugins/nft-buys/routes/createSignedIn.ts";
import { getIntent } from "#plugins/nft-buys/routes/getIntent.ts";
import { getIntents } from "#plugins/nft-buys/routes/getIntents.ts";
import { postBuys } from "#plugins/nft-buys/routes/postBuys.ts";
import { postCancel } from "#plugins/nft-buys/routes/postCancel.ts";
import { postOffers } from "#plugins/nft-buys/routes/postOffers.ts";

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
