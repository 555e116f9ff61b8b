import { Elysia } from "elysia";
import type { BuyContext, SignedIn } from "#plugins/nft-buys/model.ts";
import { postBuys, postOffers } from "#plugins/nft-buys/routes/buys.ts";
import { getIntent, getIntents, postCancel } from "#plugins/nft-buys/routes/intents.ts";
import type { Principal, Wallets } from "#plugins/wallets/contract.ts";

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

/**
 * Makes the hook that authenticates before anything else: used as both `parse` and `transform`, so
 * that without a session a caller learns nothing about the form of a body.
 */
export function createSignedIn({ authenticate }: Pick<Wallets, "authenticate">): SignedIn {
	const asked = new WeakMap<Request, Promise<Principal>>();
	return ({ request }) => {
		const principal = asked.get(request) ?? authenticate(request);
		asked.set(request, principal);
		return principal;
	};
}
