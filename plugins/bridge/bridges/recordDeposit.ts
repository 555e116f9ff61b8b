import type { Tx } from "#core/db/Database.ts";
import type { BridgeContext } from "#plugins/bridge/BridgeContext.ts";
import { mustAsk } from "#plugins/bridge/bridges/channelRules.ts";
import { BRIDGE_DEPOSIT, type DepositRequest } from "#plugins/bridge/bridges/depositKind.ts";
import type { Bridge } from "#plugins/bridge/sql/bridges.ts";
import { readQuote } from "#plugins/bridge/sql/quotes.ts";
import type { Profile } from "#plugins/wallets/contract.ts";

/**
 * Records the intent that deposits by a bridge's newest quote, with the bounds that hold for every
 * plan of it, and returns its id; null where the bridge has no quote. The caller holds the bridge
 * and writes the id there, in the same transaction.
 */
export async function recordDeposit(
	{ wallets }: BridgeContext,
	tx: Tx,
	{ bridge, profile }: { bridge: Bridge; profile: Profile },
): Promise<string | null> {
	const { id: bridgeId, route, quoteSeq, channel, walletId } = bridge;
	const quote = await readQuote(tx, { bridgeId, seq: quoteSeq ?? 0 });
	if (!quote || !route) return null;
	const wallet = profile.wallets.find(({ id }) => id === walletId) ?? null;
	const { chainId } = route.origin;
	const request: DepositRequest = {
		...{ bridgeId, amountRaw: String(route.amountRaw) },
		minimumOutRaw: String(quote.minimumOutRaw),
	};
	const asks = mustAsk(bridge, route, profile.wallets);
	const [intent] = await wallets.execution.create(tx, [
		{ kind: BRIDGE_DEPOSIT, profile, wallet, chainId, channel, asks, request },
	]);
	return intent?.id ?? null;
}

/** The profile of a bridge's owner, as it is now. */
export async function profileOf(
	{ wallets }: Pick<BridgeContext, "wallets">,
	profileId: string,
): Promise<Profile> {
	const caller = { channel: "agent", authority: "session", profileId } as const;
	return (await wallets.principalOf(caller)).profile;
}
