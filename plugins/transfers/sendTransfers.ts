import { Fault } from "#core/fault/Fault.ts";
import {
	checkTransfers,
	type Place,
	placeOf,
	type TransfersBody,
} from "#plugins/transfers/checkTransfers.ts";
import { type Coin, coinNamed, readCoin } from "#plugins/transfers/coin.ts";
import { transfersFault } from "#plugins/transfers/faults.ts";
import { ADVANCE_TIMEOUT_MS, COIN_TIMEOUT_MS } from "#plugins/transfers/limits.ts";
import { linksOf } from "#plugins/transfers/linksOf.ts";
import { renderTransfer } from "#plugins/transfers/renderTransfer.ts";
import type { TransfersContext } from "#plugins/transfers/routes/TransfersContext.ts";
import { TRANSFER } from "#plugins/transfers/transferKind.ts";
import type { Channel, Intent, Principal, Profile, Recorded } from "#plugins/wallets/contract.ts";

export type TransfersAsked = {
	principal: Principal;
	body: TransfersBody;
	/** Names the request together with its key. */
	route: string;
	/** The tool that asks; absent for a route. */
	tool?: string;
	idempotencyKey: string | null;
	channel: Channel;
	/** True: the owner must agree by a link first, whatever their profile says. */
	asks: boolean;
	/** Called once the body is valid, before anything is recorded. */
	checked?(): void;
};

/**
 * Sends the amount to each recipient, once per key, and answers 202 with the transfers. Throws
 * Faults for an invalid body; then nothing was recorded.
 */
export async function sendTransfers(
	context: TransfersContext,
	asked: TransfersAsked,
): Promise<Response> {
	const { principal, body, route, tool, idempotencyKey, channel, asks } = asked;
	const { profile } = principal;
	const { wallets, chains } = context;
	const place = placeOf(body, { profile, chains });
	const coin = await coinOf(context, { body, place });
	const { wallet, chainId, amountRaw, recipients } = checkTransfers(body, { ...place, coin });
	const togetherRaw = String(amountRaw * BigInt(recipients.length));
	asked.checked?.();
	const batchId = context.newId();
	return await wallets.once({
		...{ principal, route, idempotencyKey, body: tool === undefined ? body : { tool, ...body } },
		intents: recipients.map((recipient) => ({
			kind: TRANSFER,
			...{ profile, wallet, chainId, channel, batchId, asks },
			request: { recipient, amountRaw: String(amountRaw), ...(coin && { coin, togetherRaw }) },
		})),
		answer: (ids, recorded) => answer(context, { principal, ids, recorded }),
	});
}

/** Returns the token that is sent; null: the chain's own coin. */
async function coinOf(
	{ rpcOf, ending }: TransfersContext,
	{ body, place }: { body: TransfersBody; place: Place },
): Promise<Coin | null> {
	const address = coinNamed(body.currency);
	if (address === null) return null;
	const { chain } = place;
	const rpc = rpcOf(chain.id);
	if (!rpc) throw transfersFault.chainUnavailable();
	const signal = AbortSignal.any([ending, AbortSignal.timeout(COIN_TIMEOUT_MS)]);
	return await readCoin(rpc, { address, chain, signal });
}

type Asked = { ids: readonly string[]; recorded: Recorded | null };

async function answer(
	context: TransfersContext,
	{ principal, ids, recorded }: Asked & { principal: Principal },
): Promise<{ status: number; body: unknown }> {
	const { wallets, chains } = context;
	const { profile } = principal;
	const intents = await goOn(context, { profile, ids, recorded });
	const urls = await linksOf(wallets, intents);
	const transfers = intents.map((intent) => {
		const questionUrl = urls.get(intent.id);
		return renderTransfer(intent, { profile, chainOf: chains.byId, questionUrl });
	});
	return { status: 202, body: { transfers } };
}

/**
 * Continues the transfers, and returns their intents. If that fails now, they are returned as they
 * are and the service retries later: an error would make the sender send them once more.
 */
async function goOn(
	{ wallets, ending, log }: TransfersContext,
	{ profile, ids, recorded }: Asked & { profile: Profile },
): Promise<Intent[]> {
	const { execution } = wallets;
	try {
		const signal = AbortSignal.any([ending, AbortSignal.timeout(ADVANCE_TIMEOUT_MS)]);
		return await execution.advance(ids, signal, recorded);
	} catch (error) {
		const level = error instanceof Fault ? "warn" : "error";
		log[level]("wallet transfers could not be taken further now", { error });
		const read = await Promise.all(ids.map((id) => execution.read(id, profile.id)));
		return read.flatMap((intent) => intent ?? []);
	}
}
