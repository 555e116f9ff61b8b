import type { Chain } from "#core/chain/Chain.ts";
import type { Execution } from "#plugins/wallets/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { Links } from "#plugins/wallets/link/createLinks.ts";
import type { Authenticate } from "#plugins/wallets/session/createAuthenticate.ts";

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
