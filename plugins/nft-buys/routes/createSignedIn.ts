import type { Principal, Wallets } from "#plugins/wallets/contract.ts";

/** Returns the caller of a request, authenticated once however many hooks need it. */
export type SignedIn = (context: { request: Request }) => Promise<Principal>;

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
