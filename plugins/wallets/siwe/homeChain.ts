import type { Chain } from "#core/chain/Chain.ts";
import { homeChainOf, SPECIFIED_HOME_ID } from "#core/chain/homeChainOf.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Core } from "#core/plugin/Core.ts";
import { walletsFault } from "#plugins/wallets/faults.ts";

export type HomeChain = {
	chain: Chain;
	/** Null where this deployment has no way to it: then contracts there cannot be asked. */
	rpc: Rpc | null;
	/** What sign-in messages may carry; the first is what we ask for. */
	signInChainIds: readonly number[];
};

/**
 * Returns the chain where wallets are linked: 4663 wherever money is real. In a sandbox without a
 * 4663 of its own the chain of its market stands in, and messages may carry either id.
 */
export function homeChain(
	core: Pick<Core, "chains" | "reached">,
	{ name, sandbox }: { name: string | undefined; sandbox: boolean },
): HomeChain {
	const { chains, reached } = core;
	const access = (id: number | undefined) => reached.find(({ chain }) => chain.id === id);
	const asked = homeChainOf(chains, { TRADING_HOME_CHAIN: name, SANDBOX: sandbox });
	const isOpen = name === undefined && sandbox;
	const standIn = isOpen ? (access(SPECIFIED_HOME_ID) ?? reached[0])?.chain : undefined;
	const chain = asked ?? standIn;
	if (!chain) throw walletsFault.homeChainUnknown();
	const ids = new Set(sandbox ? [SPECIFIED_HOME_ID, chain.id] : [chain.id]);
	return {
		chain,
		rpc: access(chain.id)?.rpcFor("requests") ?? null,
		signInChainIds: [...ids],
	};
}
