import type { Tx } from "#core/db/Database.ts";
import type { BridgeContext } from "#plugins/bridge/BridgeContext.ts";
import { type AuthorizeRequest, BRIDGE_AUTHORIZE } from "#plugins/bridge/bridges/authorizeKind.ts";
import { mustAsk } from "#plugins/bridge/bridges/channelRules.ts";
import { BRIDGE_DEPOSIT, type DepositRequest } from "#plugins/bridge/bridges/depositKind.ts";
import type { Authorization } from "#plugins/bridge/quote/authorizations.ts";
import type { Bridge } from "#plugins/bridge/sql/bridges.ts";
import { insertHandOver } from "#plugins/bridge/sql/handOvers.ts";
import { readQuote } from "#plugins/bridge/sql/quotes.ts";
import type { NewIntent, Profile } from "#plugins/wallets/contract.ts";

/**
 * Records the intent that deposits, or signs, by a bridge's newest quote, with the bounds that hold
 * for every plan of it, and returns its id; null where the bridge has no quote. The caller holds
 * the bridge and writes the id there, in the same transaction.
 */
export async function recordDeposit(
	context: BridgeContext,
	tx: Tx,
	{ bridge, profile }: { bridge: Bridge; profile: Profile },
): Promise<string | null> {
	const { wallets } = context;
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
	const common = { profile, wallet, chainId, channel, asks };
	if (quote.authorizations.length > 0) {
		return await recordAuthorization(context, tx, { ...common, bridgeId, request, step: 0 });
	}
	const [intent] = await wallets.execution.create(tx, [
		{ ...common, kind: BRIDGE_DEPOSIT, request },
	]);
	return intent?.id ?? null;
}

/**
 * Records the intent that signs a step in place of a deposit, with the row by which its signature
 * is handed over, and returns its id.
 */
export async function recordAuthorization(
	{ wallets, core }: BridgeContext,
	tx: Tx,
	given: Omit<NewIntent, "kind" | "request"> & {
		bridgeId: string;
		step: number;
		request: DepositRequest;
		/** Where the provider asked for it only later. */
		asked?: Authorization;
	},
): Promise<string | null> {
	const { bridgeId, step, asked = null, request: bounds, ...rest } = given;
	const request: AuthorizeRequest = { ...bounds, step };
	const [intent] = await wallets.execution.create(tx, [
		{ ...rest, kind: BRIDGE_AUTHORIZE, request },
	]);
	if (!intent) return null;
	const at = new Date(core.clock.nowMs());
	await insertHandOver(tx, { bridgeId, step, intentId: intent.id, asked, at });
	return intent.id;
}

/** The profile of a bridge's owner, as it is now. */
export async function profileOf(
	{ wallets }: Pick<BridgeContext, "wallets">,
	profileId: string,
): Promise<Profile> {
	const caller = { channel: "agent", authority: "session", profileId } as const;
	return (await wallets.principalOf(caller)).profile;
}
