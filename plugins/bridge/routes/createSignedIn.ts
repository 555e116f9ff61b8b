import type { Principal, Wallets } from "#plugins/wallets/contract.ts";

/** Who speaks in a request, asked once however many hooks want to know. */
export type SignedIn = (context: { request: Request }) => Promise<Principal>;

/**
 * Asks who speaks before anything else of a request is looked at: it is both a `parse` and a
 * `transform` hook, so a stranger learns nothing of how a body should look.
 */
export function createSignedIn({ authenticate }: Pick<Wallets, "authenticate">): SignedIn {
	const asked = new WeakMap<Request, Promise<Principal>>();
	return ({ request }) => {
		const principal = asked.get(request) ?? authenticate(request);
		asked.set(request, principal);
		return principal;
	};
}
