import type { Chain } from "#core/chain/Chain.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Core } from "#core/plugin/Core.ts";
import { walletsFault } from "#plugins/wallets/faults.ts";

/** The chain where wallets are linked, and which the specification names. */
const SPECIFIED_ID = 4663;

export type HomeChain = {
	chain: Chain;
	/** Null where this deployment does not index it: then contracts there cannot be asked. */
	rpc: Rpc | null;
	/** What sign-in messages may carry; the first is what we ask for. */
	signInChainIds: readonly number[];
};

/**
 * 4663 wherever money is real. In the sandbox its stand-in is the chain that runs there, and
 * messages may carry either id.
 */
export function homeChain(
	core: Pick<Core, "chains" | "indexed">,
	{ name, sandbox }: { name: string | undefined; sandbox: boolean },
): HomeChain {
	const standIn = sandbox ? core.indexed[0]?.chain : undefined;
	const specified = core.chains.byId(SPECIFIED_ID);
	const chain = name === undefined ? (standIn ?? specified) : core.chains.bySlug(name);
	if (!chain) throw walletsFault.homeChainUnknown();
	const access = core.indexed.find((one) => one.chain.id === chain.id);
	const ids = new Set(sandbox ? [SPECIFIED_ID, chain.id] : [chain.id]);
	return { chain, rpc: access?.rpcFor("requests") ?? null, signInChainIds: [...ids] };
}
