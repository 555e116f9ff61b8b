import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import type { Execution } from "#plugins/wallets/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { Links } from "#plugins/wallets/link/createLinks.ts";
import type { Authenticate } from "#plugins/wallets/session/createAuthenticate.ts";

/** How a path names a one-time link. */
export const tokenParams = z.object({
	token: z.string().meta({
		description: "The last part of the link's address.",
		examples: ["x7Zk2pQ9"],
	}),
});

/** What the routes behind one-time links are made of. */
export type LinkContext = {
	deps: ExecutionDeps;
	links: Links;
	execution: Execution;
	authenticate: Authenticate;
	chainOf(chainId: number): Chain | null;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

/** Shows a chain to a person, also where it is not defined any more. */
export function chainShown(
	chainOf: LinkContext["chainOf"],
	chainId: number,
): { id: number; slug: string; name: string } {
	const chain = chainOf(chainId);
	return {
		id: chainId,
		slug: chain?.slug ?? String(chainId),
		name: chain?.name ?? `chain ${chainId}`,
	};
}
